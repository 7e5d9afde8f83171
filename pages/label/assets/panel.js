// The labelling panel: one document, one key a grade. Drawn here and not of Streamlit's elements, and asking the server
// by itself, because an annotator would wait for a run of the page at every key. Texts are put in as text, never as HTML.

const BOUNCE = 300; // milliseconds: nobody reads a document and grades it with the same key in so short a time
const PATIENCE = 4000; // milliseconds after which a question that was not answered is asked again
const PAUSE = 700; // milliseconds between the first two tries; then they become rarer
const LONGEST_PAUSE = 5000;
const DRAFT = 1000; // milliseconds without typing after which a note is kept as a draft
const DECISIONS = ["grade", "cannot_tell", "later"];

function make(tag, name, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children);
  return made;
}

function written(tag, name, text) {
  const made = make(tag, name, text);
  made.dir = "auto";
  return made;
}

// Pieces of a text: every second one is a term of the query.
function pieces(tag, name, list) {
  const made = make(tag, name);
  made.dir = "auto";
  list.forEach((piece, place) => made.append(place % 2 ? make("mark", "", piece) : piece));
  return made;
}

// Names one press of a key, so that it is written once however often it is sent. (randomUUID needs https.)
function newToken() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// What was pressed, as it is printed on the keys.
function keyOf({ kind, grade }) {
  if (kind === "draft") return "Your note";
  const key = kind === "grade" ? String(grade) : { undo: "Z", cannot_tell: "S", later: "L" }[kind];
  return key ? `Your key ${key}` : "Your last key";
}

function remembered(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`rulerank-${name}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

class Panel {
  constructor() {
    this.root = null;
    this.pressed = {};
    this.view = { beyond: false, whole: "", why: remembered("why", false) };
    this.marks = remembered("marks", true);
    this.unsaved = ""; // what is told while a key could not be saved yet
    this.key = this.key.bind(this);
    // Leaving now would lose a key that is still to be saved: the browser asks first.
    window.addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault());
  }

  // Streamlit may put the same drawing up again, in a new place, long after the panel has moved on. And a drawing that
  // was made before the last key was saved may come after that key's answer: the document in it is graded already.
  mount(root, data) {
    this.root = root;
    window.removeEventListener("keydown", this.key, true);
    window.addEventListener("keydown", this.key, true);
    const fresh = data.serial !== this.serial;
    const outdated = data.campaign === this.data?.campaign && data.seen < this.data.seen;
    this.serial = data.serial;
    this.address = data.address;
    if (fresh && !outdated) {
      this.show(data);
      if (this.view.why) this.ask({ kind: "look" });
    } else if (!root.firstChild) this.draw(true);
  }

  leave() {
    window.removeEventListener("keydown", this.key, true);
  }

  show(data) {
    const fresh = !this.data || data.token !== this.data.token;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    this.data = data;
    if (fresh) {
      clearTimeout(this.drafting);
      this.shown = performance.now();
      this.unfolded = false; // each document begins with its best passage
      this.asking = false; // why the grade cannot be told
      this.note = undefined;
      if (data.note) this.open(data.note);
    }
    this.draw(fresh);
    if (focused === "note" && !fresh) this.note?.focus();
    else if (focused) this.root.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  draw(fresh) {
    const { data } = this;
    const scrolled = fresh ? 0 : (this.document?.scrollTop ?? 0);
    const parts = [this.saved()];
    if (data.aside) parts.push(this.aside());
    if (data.pause) parts.push(this.pause());
    else parts.push(this.query(), this.text(), ...this.noted(), this.asking ? this.reasons() : this.grades());
    parts.push(this.around(), this.stop());
    if (this.view.why && data.why) parts.push(this.why());
    this.root.replaceChildren(...parts);
    this.root.classList.toggle("rr-unmarked", !this.marks);
    this.root.classList.toggle("rr-waiting", Boolean(this.unsaved));
    this.root.dataset.token = data.token;
    if (scrolled && this.document) this.document.scrollTop = scrolled;
    const told = this.asked && this.root.querySelector(".rr-why");
    if (told) {
      told.scrollIntoView({ block: "nearest" }); // it stands at the end, which may be out of sight
      this.asked = false;
    }
  }

  // What is on the panel ------------------------------------------------------------------------------------------

  saved() {
    const { saved } = this.data;
    const line = make("div", "rr-saved");
    line.setAttribute("role", "status");
    this.told = make("span", "");
    if (this.unsaved) this.told.append(make("b", "rr-problem", this.unsaved));
    else if (this.data.problem) this.told.append(make("b", "rr-problem", this.data.problem));
    else if (this.data.undone) this.told.append("↶ Taken back: ", make("b", "", this.data.undone), this.data.back ? ". The document is here again." : ".");
    else if (saved) this.told.append(make("span", "rr-tick", "✓ "), `Saved #${saved.number}: `, make("b", "", saved.what), saved.speed);
    else this.told.append("Your labels are saved as you give them. The digits grade, Z undoes.");
    line.append(this.told);
    if (saved) line.append(this.button("Undo", "z", { kind: "undo" }));
    return line;
  }

  aside() {
    const made = make("p", "rr-aside", this.data.aside);
    made.setAttribute("role", "status");
    return made;
  }

  query() {
    const made = make("header", "rr-query", written("h3", "", this.data.query));
    if (this.data.need) made.append(written("p", "", this.data.need));
    return made;
  }

  text() {
    const { title, body, more, features, passage, about } = this.data;
    const folded = passage && !this.unfolded;
    const made = make("article", "rr-document");
    made.tabIndex = 0;
    made.setAttribute("aria-label", "Document");
    if (title?.length) made.append(pieces("h4", "", title));
    if (folded) made.append(make("p", "rr-hint", about), pieces("pre", "", passage));
    else if (body) made.append(pieces("pre", "", body));
    if (more && !folded) {
      const all = this.button(more, "", { kind: "whole" });
      all.classList.add("rr-more");
      made.append(all);
    }
    if (features) made.append(this.features(features));
    this.document = made;
    return made;
  }

  features(features) {
    const rows = features.map(([name, value, place]) => {
      const bar = make("span", "rr-bar", make("span", ""));
      bar.firstChild.style.width = `${100 * place}%`;
      return make("tr", "", written("th", "", name), make("td", "", value), make("td", "", bar, `${Math.round(100 * place)}%`));
    });
    const head = make("tr", "", ...["Feature", "Value", "Higher than so much of the pool"].map((text) => make("th", "", text)));
    const told = "This document has no text here. These are its features:";
    return make("div", "", make("p", "rr-hint", told), make("table", "", make("thead", "", head), make("tbody", "", ...rows)));
  }

  noted() {
    if (!this.note) return [];
    const hint = make("span", "rr-hint", this.data.draft ? "Draft kept" : "Saved with your next key");
    const label = make("label", "rr-note", make("span", "", "Note "), hint, this.note);
    label.append(make("span", "rr-hint", "Esc goes back to the keys"));
    return [label];
  }

  grades() {
    const made = make("div", "rr-grades");
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", "Grades");
    this.data.grades.forEach(({ name, meaning, colour }, grade) => {
      const button = this.button(name, String(grade), { kind: "grade", grade });
      button.title = meaning;
      if (colour) button.style.setProperty("--rr-grade", colour);
      made.append(button);
    });
    return made;
  }

  // In the place of the grades, so that their digits cannot be mistaken for grades.
  reasons() {
    const made = make("div", "rr-reasons", make("p", "", make("b", "", "Why can't you tell?"), " The document then leaves the pool."));
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", "Why can't you tell?");
    const all = this.data.reasons.map((reason, place) => this.button(reason, this.reasonKey(place), { kind: "cannot_tell", reason: place }));
    const own = this.button("In my own words", "n", { kind: "note" });
    own.title = "Opens a note. Press S again when it is written.";
    made.append(make("div", "rr-around", ...all, own, this.button("Back", "Esc", { kind: "back" })));
    return made;
  }

  // The last reason, "another", has the key that asked.
  reasonKey(place) {
    return place + 1 < this.data.reasons.length ? String(place + 1) : "s";
  }

  around() {
    const made = make("div", "rr-around");
    if (this.asking) return made;
    if (!this.data.pause) {
      const skip = this.button("Can't tell", "s", { kind: "cannot_tell" });
      skip.title = "Asks why; the document then leaves the pool. A note that is written already is the reason.";
      const later = this.button("Later", "l", { kind: "later" });
      later.title = this.data.later;
      const note = this.button("Note", "n", { kind: "note" });
      note.title = "Opens a note. It is kept as you type, and saved with your next key.";
      made.append(skip, later, note, ...this.unfold(), make("span", "rr-space"), ...this.marking());
    }
    const why = this.button("Why that?", "w", { kind: "why" });
    why.title = "Says why the document that you labelled last was chosen.";
    why.setAttribute("aria-pressed", String(this.view.why));
    made.append(why);
    return made;
  }

  marking() {
    if (this.data.features) return []; // no text, no words
    const made = this.button("Mark words", "m", { kind: "marks" });
    made.setAttribute("aria-pressed", String(this.marks));
    return [made];
  }

  unfold() {
    if (!this.data.passage) return [];
    const made = this.button("Whole text", "t", { kind: "unfold" });
    made.title = "Shows all of the text, or its best passage again.";
    made.setAttribute("aria-pressed", String(this.unfolded));
    return [made];
  }

  why() {
    const { head, parts } = this.data.why;
    const made = make("section", "rr-why", written("b", "", head));
    made.setAttribute("aria-label", "Why the last document was chosen");
    for (const { text, list } of parts) {
      made.append(make("p", "", text));
      if (list.length) made.append(make("ul", "", ...list.map((line) => written("li", "", line))));
    }
    return made;
  }

  pause() {
    const made = make("div", "rr-pause", make("p", "", make("b", "", this.data.pause.title), " ", this.data.pause.text));
    made.setAttribute("role", "status");
    if (this.data.pause.beyond) made.append(this.button("Keep labelling anyway", "", { kind: "beyond" }));
    return made;
  }

  stop() {
    const { text, share } = this.data.stop;
    const made = make("div", "rr-stop", make("p", "rr-hint", text));
    if (share !== null) {
      const bar = make("div", "rr-bar", make("span", ""));
      bar.firstChild.style.width = `${100 * share}%`;
      bar.setAttribute("role", "progressbar");
      bar.setAttribute("aria-label", "Towards the natural stop");
      bar.setAttribute("aria-valuenow", String(Math.round(100 * share)));
      made.append(bar);
    }
    return made;
  }

  button(text, key, act) {
    const made = make("button", "", written("span", "", text));
    made.type = "button";
    if (key) {
      const printed = key.length > 1 ? key : key.toUpperCase();
      made.append(make("kbd", "", printed));
      made.dataset.key = key;
      made.setAttribute("aria-keyshortcuts", key === "Esc" ? "Escape" : printed);
    }
    made.addEventListener("click", () => this.act(act));
    return made;
  }

  // What a person does --------------------------------------------------------------------------------------------

  key(event) {
    if (!this.root.isConnected) return this.leave();
    const field = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable=true]");
    if (field && field === this.note) return this.typed(event);
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    // A switch that was clicked last takes no text, and must not keep the keys from the panel.
    if (field && field.type !== "checkbox" && field.type !== "radio") return;
    const inside = this.root.contains(event.target) && (event.key === "Enter" || event.key === " ");
    if (inside && event.repeat) return event.preventDefault(); // a held key would press the button again and again
    const act = this.meant(event.key.toLowerCase());
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const before = this.pressed[event.key];
    // By the time that the keyboard gives: however slow the page, only a key that went down anew counts.
    const bounced = before !== undefined && event.timeStamp - before < BOUNCE;
    if (!event.repeat) this.pressed[event.key] = event.timeStamp;
    if (!event.repeat && !bounced) this.act(act);
  }

  meant(key) {
    const { data } = this;
    if (this.asking) return this.meantAsReason(key);
    if (key === "z") return data.saved ? { kind: "undo" } : null;
    if (key === "w") return { kind: "why" };
    if (data.pause) return null;
    if (/^[0-9]$/.test(key)) return Number(key) < data.grades.length ? { kind: "grade", grade: Number(key) } : null;
    if (key === "t") return data.passage ? { kind: "unfold" } : null;
    if (key === "m" && data.features) return null;
    const kind = { s: "cannot_tell", l: "later", n: "note", m: "marks" }[key];
    return kind ? { kind } : null;
  }

  meantAsReason(key) {
    if (key === "escape" || key === "z") return { kind: "back" };
    if (key === "n") return { kind: "note" };
    const reason = this.data.reasons.findIndex((_, place) => this.reasonKey(place) === key);
    return reason < 0 ? null : { kind: "cannot_tell", reason };
  }

  typed(event) {
    if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      this.keep();
      this.note.blur();
    }
  }

  act(act) {
    const { kind } = act;
    if (kind === "note") return this.write();
    if (kind === "back") return this.ponder(false);
    if (kind === "cannot_tell" && act.reason === undefined && !this.note?.value.trim()) return this.ponder(true);
    if (kind === "marks" || kind === "why") return this.turn(kind);
    if (kind === "unfold") return this.turnOver();
    const quick = performance.now() - this.shown < this.data.dwell;
    if (this.busy) return this.tell(`${keyOf(act)} was not taken: ${keyOf(this.busy).toLowerCase()} is still being saved.`);
    if (quick && DECISIONS.includes(kind)) return;
    if (kind === "beyond") this.view.beyond = true;
    if (kind === "whole") this.view.whole = this.data.token;
    this.ask(act);
  }

  // Asks why the grade cannot be told, or goes back to the grades.
  ponder(asking) {
    const inside = this.root.contains(document.activeElement);
    this.asking = asking;
    this.draw(false);
    if (inside) this.root.querySelector(asking ? ".rr-reasons button" : "[data-key=s]")?.focus();
  }

  write() {
    const again = this.asking || !this.note;
    this.asking = false;
    if (!this.note) this.open("");
    if (again) this.draw(false);
    this.note.focus();
  }

  turn(kind) {
    if (kind === "marks") this.marks = !this.marks;
    else this.view.why = !this.view.why;
    localStorage.setItem(`rulerank-${kind}`, JSON.stringify(kind === "marks" ? this.marks : this.view.why));
    this.asked = kind === "why" && this.view.why;
    this.draw(false);
    if (kind === "why" && this.view.why) this.ask({ kind: "look" });
  }

  // Both are here already, so that looking at the rest of a text costs nothing.
  turnOver() {
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    this.unfolded = !this.unfolded;
    this.draw(true);
    if (focused) this.root.querySelector(`[data-key="${focused}"]`)?.focus();
    else this.document.focus({ preventScroll: true });
  }

  // Asks until there is an answer, in the same words: the server writes an act once.
  async ask(act) {
    if (this.busy) return;
    this.busy = act;
    clearTimeout(this.drafting);
    const seen = act.kind === "undo" ? { of: this.data.saved?.act } : act.kind === "draft" ? { after: this.data.drafted } : {};
    const note = this.note?.value ?? "";
    const body = JSON.stringify({ ...act, ...seen, ...this.view, note, ticket: this.data.ticket, act: newToken() });
    for (let pause = PAUSE; ; pause = Math.min(1.5 * pause, LONGEST_PAUSE)) {
      const problem = await this.tried(body);
      if (!problem) return;
      this.unsaved = `${problem} ${keyOf(act)} is not saved yet; it is sent again by itself.`;
      this.root.classList.add("rr-waiting");
      this.tell(this.unsaved);
      await new Promise((done) => setTimeout(done, pause));
    }
  }

  // Asks once. Returns why it must be asked again, or shows the answer and returns nothing.
  async tried(body) {
    let response, answer;
    try {
      const headers = { "Content-Type": "application/json" };
      response = await fetch(this.address, { method: "POST", headers, body, signal: AbortSignal.timeout(PATIENCE) });
      answer = await response.json();
    } catch {
      return "The server does not answer.";
    }
    if (answer?.retry) return answer.problem;
    this.busy = null;
    this.unsaved = "";
    this.root.classList.remove("rr-waiting");
    if (response.ok) this.show(answer);
    else this.tell(answer?.problem ?? "The server gave no reason.");
    return "";
  }

  tell(problem) {
    this.told.replaceChildren(make("b", "rr-problem", problem));
  }

  open(text) {
    this.note = make("textarea", "");
    this.note.value = text;
    this.note.rows = 2;
    this.note.dataset.key = "note";
    this.note.setAttribute("aria-label", "Note");
    this.note.addEventListener("input", () => {
      clearTimeout(this.drafting);
      this.drafting = setTimeout(() => this.keep(), DRAFT);
    });
  }

  keep() {
    clearTimeout(this.drafting);
    if (this.note && this.note.value !== (this.data.note ?? "")) this.ask({ kind: "draft" });
  }
}

export default function ({ data, parentElement }) {
  window.rulerankPanel ??= new Panel();
  const panel = window.rulerankPanel;
  panel.mount(parentElement.querySelector(".rr-panel"), data);
  return () => panel.leave();
}
