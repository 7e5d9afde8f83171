// The labelling panel: one document, one key per grade. Drawn here and not of Streamlit's elements, and asking the server
// by itself, because an annotator would wait for a run of the page at every key. How it looks is in drawing.js.

const BOUNCE = 300; // milliseconds: nobody reads a document and grades it with the same key in so short a time
const PATIENCE = 4000; // milliseconds after which a question that was not answered is asked again
const PAUSE = 700; // milliseconds between the first two tries; then they become rarer
const LONGEST_PAUSE = 5000;
const DRAFT = 1000; // milliseconds without typing after which a note is kept as a draft
const NOTICE = 3500; // milliseconds for which an ignored key is spoken of
const LINE = 56; // pixels that an arrow scrolls
const DECISIONS = ["grade", "cannot_tell", "later"];
const FIELDS = "input, textarea, select, [contenteditable=true]";
const CONTROLS = `${FIELDS}, button, a, summary, [role=tab], [role=option], [role=radio], [role=slider]`;
const HEADERS = { "Content-Type": "application/json" };

// Names one press of a key, so that it is written once however often it is sent. (randomUUID needs https.)
function newToken() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// What was pressed, as it is printed on the keys.
function keyOf({ kind, grade }) {
  if (kind === "draft") return "Your note";
  const key = kind === "grade" ? String(grade) : { undo: "Z", cannot_tell: "S", later: "L", flag: "F" }[kind];
  return key ? `Your key ${key}` : "Your last key";
}

function remembered(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`rulerank-${name}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(`rulerank-${name}`, JSON.stringify(value));
  } catch {} // a browser that keeps nothing still labels
}

class Panel extends Drawing {
  constructor() {
    super();
    this.root = null;
    this.pressed = {};
    this.view = { beyond: false, whole: "", why: remembered("why", false), raw: remembered("raw", false) };
    this.marks = remembered("marks", true);
    this.look = { size: 1, narrow: false, caps: true, ...remembered("look", {}) };
    this.viewing = false;
    this.rulesOpen = false;
    this.theme = "light";
    this.unsaved = ""; // what is shown while a key could not be saved yet
    this.quiet = make("span", "rr-quiet"); // stays while the panel is drawn anew
    this.quiet.setAttribute("aria-live", "polite");
    this.key = this.key.bind(this);
    this.measure = this.measure.bind(this);
    window.addEventListener("resize", this.measure);
    // Leaving now would lose a key that is still to be saved: the browser asks first.
    window.addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault());
    window.addEventListener("pagehide", () => this.part());
    document.addEventListener("visibilitychange", () => document.hidden && this.part());
  }

  // Streamlit may put the same drawing up again, in a new place, long after the panel has moved on. And a drawing that
  // was made before the last key was saved may come after that key's answer: the document in it is graded already.
  mount(root, data) {
    this.root = root;
    window.removeEventListener("keydown", this.key, true);
    window.addEventListener("keydown", this.key, true);
    const fresh = data.serial !== this.serial;
    const outdated = data.campaign === this.data?.campaign && data.seen < this.data.seen;
    const repainted = this.theme !== (data.theme ?? this.theme);
    this.serial = data.serial;
    this.address = data.address;
    this.theme = data.theme ?? this.theme;
    if (fresh && !outdated) {
      this.show(data);
      const { why, raw, beyond } = this.view;
      if (why || (raw && data.broken) || (beyond && data.pause?.beyond)) this.ask({ kind: "look" });
    } else if (!root.firstChild || repainted) this.draw(!root.firstChild);
  }

  // A place that the panel has left already, for a newer one, takes no keys along when it goes.
  leave(root = this.root) {
    if (root === this.root) window.removeEventListener("keydown", this.key, true);
  }

  show(data) {
    const fresh = !this.data || data.token !== this.data.token;
    const inside = this.root.contains(document.activeElement);
    // A new document takes the focus from every button: Enter or the space bar, meant to scroll, would grade it unread.
    const focused = inside && !fresh ? document.activeElement.dataset.key : undefined;
    const tabbed = inside && document.activeElement.matches(".rr-panel button:focus-visible");
    this.data = data;
    const whose = `beyond-${data.person}-${data.campaign}`;
    if (whose !== this.whose) this.view.beyond = remembered(whose, false);
    this.whose = whose;
    if (fresh) {
      clearTimeout(this.drafting);
      this.shown = performance.now();
      this.unfolded = false; // each document begins with its best passage
      this.asking = false; // why the grade cannot be given
      this.note = undefined;
      if (data.note) this.open(data.note);
    }
    this.draw(fresh);
    if (focused === "note") this.note?.focus();
    else if (tabbed && focused) this.root.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    else if (inside || document.activeElement === document.body || (fresh && data.pause?.news)) this.rest();
    if (data.ignored) this.ignore("Your key was ignored: it came too soon after the document.");
  }

  // Gives the keys back to the document.
  rest() {
    if (this.document?.isConnected) this.document.focus({ preventScroll: true });
  }

  // The panel takes the height that the window has below it.
  measure() {
    if (!this.root?.isConnected) return;
    const main = this.root.closest("[data-testid=stMain]");
    const top = this.root.getBoundingClientRect().top + (main?.scrollTop ?? 0);
    this.root.style.setProperty("--rr-top", `${Math.round(top)}px`);
  }

  // What a person does --------------------------------------------------------------------------------------------

  key(event) {
    if (!this.root.isConnected) return this.leave();
    const target = event.target instanceof Element ? event.target : document.body;
    const field = target.closest(FIELDS);
    if (field && field === this.note) return this.typed(event);
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    // A switch that was clicked last takes no text, and must not keep the keys from the panel.
    if (field && field.type !== "checkbox" && field.type !== "radio") return;
    if (this.scrolled(event, target)) return event.preventDefault();
    const inside = this.root.contains(target) && (event.key === "Enter" || event.key === " ");
    if (inside && event.repeat) return event.preventDefault(); // a held key would press the button again and again
    const act = this.meant(event.key.toLowerCase());
    if (!act) return;
    if (act.kind === "read" && target.closest(CONTROLS) && !target.closest(".rr-read")) return; // that button was meant
    event.preventDefault();
    event.stopImmediatePropagation();
    const before = this.pressed[event.key];
    // By the time that the keyboard gives: however slow the page, only a key that went down anew counts.
    const bounced = before !== undefined && event.timeStamp - before < BOUNCE;
    if (event.repeat) return;
    this.pressed[event.key] = event.timeStamp;
    if (bounced) this.ignore(`Your key ${event.key.toUpperCase()} was ignored: it came twice within ${BOUNCE / 1000} seconds.`);
    else this.act(act);
  }

  // Moves a long text by the keys that move texts everywhere, wherever the focus is; says whether it did.
  scrolled(event, target) {
    const box = this.document;
    if (!box?.isConnected || box.scrollHeight <= box.clientHeight + 1) return false;
    const page = 0.9 * box.clientHeight;
    const far = { ArrowDown: LINE, ArrowUp: -LINE, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9, " ": event.shiftKey ? -page : page }[event.key];
    if (far === undefined || target.closest(".rr-why")) return false;
    const control = target.closest(CONTROLS);
    if (control && (event.key === " " || !this.root.contains(control))) return false;
    box.scrollTop = Math.min(Math.max(box.scrollTop + far, 0), box.scrollHeight);
    return true;
  }

  meant(key) {
    const { data } = this;
    if (this.asking) return this.meantAsReason(key);
    if (key === "z") return data.saved ? { kind: "undo" } : null;
    if (key === "w") return { kind: "why" };
    if (key === "v") return { kind: "view" };
    if (data.pause?.news) return key === "enter" ? { kind: "read", of: data.pause.news.number } : null;
    if (data.pause) return null;
    if (/^[0-9]$/.test(key)) return Number(key) < data.grades.length ? { kind: "grade", grade: Number(key) } : null;
    if (key === "t") return data.passage ? { kind: "unfold" } : null;
    if (key === "m" && data.features) return null;
    const kind = { s: "cannot_tell", l: "later", n: "note", f: "flag", m: "marks" }[key];
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
      this.rest();
    }
  }

  act(act) {
    const { kind } = act;
    if (kind === "note") return this.write();
    if (kind === "back") return this.ponder(false);
    if (kind === "cannot_tell" && act.reason === undefined && !this.note?.value.trim()) return this.ponder(true);
    if (["marks", "why", "view", "look", "raw", "stop"].includes(kind)) return this.turn(act);
    if (kind === "unfold") return this.turnOver();
    const quick = performance.now() - this.shown < this.data.dwell;
    if (this.busy && !this.waits(act)) {
      return this.ignore(`${keyOf(act)} was not taken: ${keyOf(this.busy).toLowerCase()} is still being saved.`);
    }
    if (this.busy) return;
    if (quick && DECISIONS.includes(kind)) return this.ignore(`${keyOf(act)} was ignored: this document has only just come.`);
    if (kind === "beyond") remember(this.whose, (this.view.beyond = true));
    if (kind === "whole") this.view.whole = this.data.token;
    this.ask(act);
  }

  // A decision waits for an answer that cannot change the document: that of a note that is kept, or of a look.
  waits(act) {
    if (DECISIONS.includes(this.busy.kind) || this.busy.kind === "undo" || this.unsaved || this.next) return false;
    this.next = { act, token: this.data.token };
    return true;
  }

  // Says that a key was not taken, without disturbing who reads.
  ignore(words) {
    clearTimeout(this.hush);
    this.quiet.textContent = words;
    this.hush = setTimeout(() => (this.quiet.textContent = ""), NOTICE);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const moves = [0, -4, 4, -2, 0].map((far) => ({ transform: `translateX(${far}px)` }));
    this.root.querySelector(".rr-grades, .rr-reasons")?.animate(moves, 180);
  }

  // Asks why the grade cannot be given, or goes back to the grades.
  ponder(asking) {
    const inside = this.root.contains(document.activeElement);
    this.asking = asking;
    this.draw(false);
    if (inside && asking) this.root.querySelector(".rr-reasons button")?.focus();
    else if (inside) this.rest();
  }

  write() {
    const again = this.asking || !this.note;
    this.asking = false;
    if (!this.note) this.open("");
    if (again) this.draw(false);
    this.note.focus();
  }

  // Turns what is a person's own: how the panel looks, and what is shown on it.
  turn({ kind, ...chosen }) {
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    if (kind === "view") this.viewing = !this.viewing;
    else if (kind === "look") remember("look", (this.look = { ...this.look, ...chosen }));
    else if (kind === "marks") remember("marks", (this.marks = !this.marks));
    else if (kind === "stop") remember(this.whose, (this.view.beyond = false));
    else remember(kind, (this.view[kind] = !this.view[kind]));
    this.draw(false);
    if (kind === "view" && this.viewing) this.root.querySelector(".rr-view [aria-pressed=true]")?.focus();
    else if (focused && focused !== "v") this.root.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    else this.rest();
    if (kind === "raw" || (kind === "why" && this.view.why)) this.ask({ kind: "look" });
  }

  // Both are here already, so that looking at the rest of a text costs nothing.
  turnOver() {
    this.unfolded = !this.unfolded;
    this.draw(true);
    this.rest();
  }

  // Asks until there is an answer, with the same token: the server writes an act once.
  async ask(act) {
    if (this.busy) return;
    this.busy = act;
    clearTimeout(this.drafting);
    const seen = act.kind === "undo" ? { of: this.data.saved?.act } : act.kind === "draft" ? { after: this.data.drafted } : {};
    let body = this.question({ ...act, ...seen });
    for (let pause = PAUSE; ; pause = Math.min(1.5 * pause, LONGEST_PAUSE)) {
      const problem = await this.tried(body);
      if (!problem) break;
      this.unsaved = `${problem} ${keyOf(act)} is not saved yet; it is sent again by itself.`;
      this.root.classList.add("rr-waiting");
      this.tell(this.unsaved);
      await new Promise((done) => setTimeout(done, pause));
      body = JSON.stringify({ ...JSON.parse(body), again: true });
    }
    // Grades and guidelines stand beside the panel as well, where they are still the old ones.
    if (act.kind === "read" && !this.data.problem && !this.data.pause?.news) return location.reload();
    const { next } = this;
    this.next = undefined;
    if (next && next.token === this.data.token) this.act(next.act);
  }

  question(act) {
    const since = Math.floor(new Date().setHours(0, 0, 0, 0) / 1000);
    const note = this.note?.value ?? "";
    return JSON.stringify({ ...act, ...this.view, since, note, ticket: this.data.ticket, act: newToken() });
  }

  // Asks once. Returns why it must be asked again, or shows the answer and returns nothing.
  async tried(body) {
    let response, answer;
    try {
      response = await fetch(this.address, { method: "POST", headers: HEADERS, body, signal: AbortSignal.timeout(PATIENCE) });
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
    this.status.replaceChildren(make("b", "rr-problem", problem));
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

  // The page goes, or is no longer seen: what is typed is kept now. An answer comes only if the page stays after all.
  async part() {
    const typed = this.note?.value;
    const known = typed === undefined || typed === (this.data.note ?? "") || typed === this.parting;
    if (known || !this.data.token || DECISIONS.includes(this.busy?.kind)) return;
    this.parting = typed;
    const { token } = this.data;
    const after = this.busy?.kind === "draft" ? {} : { after: this.data.drafted }; // that draft may be written before
    const body = this.question({ kind: "draft", ...after });
    const sent = fetch(this.address, { method: "POST", headers: HEADERS, body, keepalive: true });
    const answer = await sent.then((response) => (response.ok ? response.json() : null)).catch(() => null);
    this.parting = undefined;
    if (answer?.token !== token || this.data.token !== token) return;
    const { note, draft, drafted } = answer;
    Object.assign(this.data, { note, draft, drafted });
  }
}

export default function ({ data, parentElement }) {
  window.rulerankPanel ??= new Panel();
  const panel = window.rulerankPanel;
  const root = parentElement.querySelector(".rr-panel");
  panel.mount(root, data);
  return () => panel.leave(root);
}
