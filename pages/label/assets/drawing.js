// What is on the labelling panel; what a person does with it is in panel.js, which follows this file. Texts are put in as
// text, never as HTML.

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

function shape(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

function group(made, name) {
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", name);
  return made;
}

const SIZES = ["Small text", "Middle text", "Large text"];

class Drawing {
  draw(fresh) {
    const { data } = this;
    const scrolled = fresh ? 0 : (this.document?.scrollTop ?? 0);
    const head = make("div", "rr-head", this.saved());
    if (this.viewing) head.append(this.views());
    if (data.aside) head.append(this.aside());
    const parts = [head];
    if (data.pause) parts.push(this.pause());
    else {
      head.append(this.query());
      parts.push(this.text());
    }
    if (this.view.why && data.why) parts.push(this.why());
    if (!data.pause) parts.push(...this.noted(), this.asking ? this.reasons() : this.grades());
    parts.push(this.around(), this.progress());
    this.root.replaceChildren(...parts);
    const { classList } = this.root;
    classList.toggle("rr-unmarked", !this.marks);
    classList.toggle("rr-waiting", Boolean(this.unsaved));
    classList.toggle("rr-paused", Boolean(data.pause));
    classList.toggle("rr-bare", !this.look.caps);
    classList.toggle("rr-narrow", this.look.narrow);
    SIZES.forEach((_, size) => classList.toggle(`rr-size-${size}`, size === this.look.size));
    this.root.dataset.token = data.token;
    this.measure();
    if (scrolled && this.document) this.document.scrollTop = scrolled;
  }

  saved() {
    const { saved } = this.data;
    const line = make("div", "rr-saved");
    this.status = make("span", "rr-status");
    this.status.setAttribute("role", "status");
    if (this.unsaved) this.status.append(make("b", "rr-problem", this.unsaved));
    else if (this.data.problem) this.status.append(make("b", "rr-problem", this.data.problem));
    else if (this.data.already) this.status.append(make("b", "", this.data.already));
    else if (this.data.undone) this.status.append("↶ Taken back: ", make("b", "", this.data.undone), this.data.back ? ". The document is here again." : ".");
    else if (saved) this.status.append(make("span", "rr-tick", "✓ "), saved.number ? `Saved #${saved.number}: ` : "Saved: ", make("b", "", saved.what), saved.speed);
    else this.status.append("Your labels are saved as you give them. The digits grade, Z undoes.");
    line.append(this.status, this.quiet);
    if (saved) line.append(this.button("Undo", "z", { kind: "undo" }));
    const view = this.button("View", "v", { kind: "view" });
    view.title = "Size of the text, width, keys on the buttons, line breaks.";
    view.setAttribute("aria-expanded", String(this.viewing));
    line.append(view);
    return line;
  }

  // A person's own settings, kept in their browser.
  views() {
    const { size, narrow, caps } = this.look;
    const made = group(make("div", "rr-view"), "View");
    SIZES.forEach((name, place) => made.append(this.switch(name, place === size, { kind: "look", size: place })));
    made.append(this.switch("Text only", narrow, { kind: "look", narrow: !narrow }));
    made.append(this.switch("Keys on buttons", caps, { kind: "look", caps: !caps }));
    if (this.data.broken) made.append(this.switch("Line breaks as they came", this.view.raw, { kind: "raw" }));
    if (this.view.beyond) made.append(this.switch("Beyond the natural stop", true, { kind: "stop" }));
    return made;
  }

  switch(text, on, act) {
    const made = this.button(text, "", act);
    made.setAttribute("aria-pressed", String(on));
    made.dataset.key = `view-${text}`;
    return made;
  }

  aside() {
    const made = make("p", "rr-aside", this.data.aside);
    made.setAttribute("role", "status");
    return made;
  }

  query() {
    const made = make("header", "rr-query", written("h2", "", this.data.query));
    if (this.data.need) made.append(written("p", "", this.data.need));
    return made;
  }

  text() {
    const { title, body, more, features, passage, about } = this.data;
    const folded = passage && !this.unfolded;
    const made = make("article", "rr-document");
    made.tabIndex = 0;
    made.setAttribute("aria-label", "Document");
    if (title?.length) made.append(pieces("h3", "", title));
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
    const hint = "This document has no text here. These are its features:";
    return make("div", "", make("p", "rr-hint", hint), make("table", "", make("thead", "", head), make("tbody", "", ...rows)));
  }

  noted() {
    if (!this.note) return [];
    const hint = make("span", "rr-hint", `${this.data.draft ? "Draft kept. " : ""}Saved with the grade you give`);
    const label = make("label", "rr-note", make("span", "", "Note "), hint, this.note);
    label.append(make("span", "rr-hint", "Esc goes back to the keys"));
    return [label];
  }

  // Up to six in one row; more in two.
  grades() {
    const made = group(make("div", "rr-grades"), "Grades");
    const { grades } = this.data;
    made.style.setProperty("--rr-columns", grades.length > 6 ? Math.ceil(grades.length / 2) : grades.length);
    made.style.setProperty("--rr-few", grades.length === 4 ? 2 : Math.min(3, grades.length));
    grades.forEach(({ name, meaning, ...shades }, grade) => {
      const button = this.button(name, String(grade), { kind: "grade", grade });
      const [colour, ink] = shades[this.theme];
      button.style.setProperty("--rr-grade", colour);
      button.style.setProperty("--rr-ink", ink);
      if (meaning) {
        button.title = meaning;
        button.dataset.meaning = meaning;
      }
      made.append(button);
    });
    return made;
  }

  // In the place of the grades, so that their digits cannot be mistaken for grades.
  reasons() {
    const made = make("div", "rr-reasons", make("p", "", make("b", "", "Why can't you tell?"), " This query-document pair then leaves the pool."));
    group(made, "Why can't you tell?");
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
      skip.title = "Asks why; the query-document pair then leaves the pool. A note that is written already is the reason.";
      const later = this.button("Later", "l", { kind: "later" });
      later.title = this.data.later;
      const note = this.button("Note", "n", { kind: "note" });
      note.title = "Opens a note. It is kept as you type, and saved with the grade you give.";
      const flag = this.button(this.data.flagged ? "Flagged" : "Flag", "f", { kind: "flag" });
      flag.title = "Asks those who lead the campaign, and later the others, about this document; the note is the question. You grade it as usual.";
      flag.setAttribute("aria-pressed", String(this.data.flagged));
      made.append(skip, later, note, flag, ...this.unfold(), make("span", "rr-space"), ...this.marking());
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

  // First a sentence and a picture; the rules themselves are folded away.
  why() {
    const { of, head, about, picture, parts } = this.data.why;
    const asked = of ? [make("b", "", "Why the last one, “", written("bdi", "", of), "”? ")] : [];
    const made = make("section", "rr-why", make("p", "rr-because", ...asked, written("span", "", head)));
    made.setAttribute("aria-label", "Why the last document was chosen");
    made.tabIndex = 0;
    if (picture?.length) made.append(this.picture(picture));
    if (!parts.length) return made;
    const rules = make("details", "", make("summary", "", "The rules behind it"), written("p", "", about));
    rules.open = this.rulesOpen;
    rules.addEventListener("toggle", () => (this.rulesOpen = rules.open));
    for (const { text, list } of parts) {
      rules.append(make("p", "", text));
      if (list.length) rules.append(make("ul", "", ...list.map((line) => written("li", "", line))));
    }
    made.append(rules);
    return made;
  }

  // Where the document lies in the pool (dot), and those that were graded before it (strokes).
  picture(aspects) {
    const at = (place) => `${2 + 96 * place}%`;
    const rows = aspects.map(({ name, level, place, others }) => {
      const strokes = others.map((other) => shape("line", { class: "rr-other", x1: at(other), x2: at(other), y1: 4, y2: 14 }));
      const axis = shape("line", { class: "rr-axis", x1: "2%", x2: "98%", y1: 9, y2: 9 });
      const drawn = shape("svg", { width: "100%", height: 18, role: "img" }, axis, ...strokes, shape("circle", { cx: at(place), cy: 9, r: 6 }));
      drawn.setAttribute("aria-label", `more than ${Math.round(100 * place)}% of the pool`);
      return make("div", "rr-aspect", written("span", "", name), drawn, make("span", "rr-level", level));
    });
    const words = "Dot: that last document, from the least of the pool (left) to the most. Strokes: those graded before it.";
    return make("div", "rr-picture", ...rows, make("p", "rr-hint", words));
  }

  pause() {
    const made = make("div", "rr-pause", make("p", "", make("b", "", this.data.pause.title), " ", this.data.pause.text));
    made.setAttribute("role", "status");
    if (this.data.pause.news) made.append(...this.news(this.data.pause.news));
    const further = make("div", "rr-around", ...(this.data.pause.links ?? []).map(([name, path]) => this.link(name, path)));
    if (this.data.pause.beyond) further.append(this.button("Keep labelling anyway", "", { kind: "beyond" }));
    if (further.firstChild) made.append(further);
    return made;
  }

  // What the guidelines and grades were, and what they are: struck out and underlined, for any eyes.
  news({ number, parts }) {
    const tags = { same: "span", gone: "del", new: "ins" };
    const box = make("div", "rr-news");
    box.tabIndex = 0;
    box.setAttribute("aria-label", "What has changed");
    for (const { title, lines } of parts) {
      box.append(make("h3", "", title));
      for (const line of lines) {
        const shown = make("p", "", ...line.map(([kind, text]) => make(tags[kind], "", text)));
        shown.dir = "auto";
        box.append(shown);
      }
    }
    this.document = box;
    const read = this.button("I have read it", "Enter", { kind: "read", of: number });
    read.classList.add("rr-read");
    return [box, make("div", "rr-around", read)];
  }

  // To another page of the app, wherever on the server the app is.
  link(name, path) {
    const made = make("a", "rr-link", name);
    made.href = this.address.replace(/act$/, path);
    return made;
  }

  progress() {
    const { own, text, share } = this.data.progress;
    const made = make("div", "rr-progress", make("p", "rr-hint", make("b", "", own), ` · ${text}`));
    if (share !== null) {
      const bar = make("div", "rr-bar", make("span", ""));
      bar.firstChild.style.width = `${100 * share}%`;
      bar.setAttribute("role", "progressbar");
      bar.setAttribute("aria-label", "Labelled of the pool");
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
}
