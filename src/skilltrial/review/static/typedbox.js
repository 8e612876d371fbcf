// A box whose text is kept while somebody types: in this browser at once, in the workspace a moment later.

import { announce } from "./announce.js";
import { fill, h } from "./dom.js";
import { dropDraft, freshName, keepDraft, otherDrafts, ownDraft } from "./drafts.js";

const PAUSE_MS = 800;
const FIRST_RETRY_MS = 4000;
const LAST_RETRY_MS = 60000;
const OTHER_WINDOW_S = 20;

/** `words` are the person's own that stand now ([{id, text, at}], more than one where two windows wrote); `send({id, text,
 * replaces})` keeps a text and returns {words, at, warning}, null where nothing can be kept but drafts; `about` goes into
 * drafts. */
export class TypedBox {
  constructor({ label, place, words, send, about = {}, signal }) {
    Object.assign(this, { place, send, about, words });
    this.mine = words.at(-1) ?? null;
    this.saved = this.mine?.text ?? "";
    this.past = [];
    this.tried = [];
    this.retryMs = FIRST_RETRY_MS;
    this.area = h("textarea", { rows: 3, dir: "auto", oninput: () => this.typed(), onblur: () => this.save() });
    this.area.value = this.saved;
    this.status = h("span", { class: "small muted" });
    this.undoing = h("button", { class: "small quiet", onclick: () => this.undo(), hidden: true }, "Undo");
    this.beside = h("div");
    this.element = h(
      "div",
      { class: "typed" },
      h("label", { class: "small muted" }, label, this.area),
      h("p", { class: "typed-foot" }, this.status, this.undoing),
      this.beside,
    );
    if (this.mine) this.say(`Saved ${clock(this.mine.at)}`);
    this.bringBack();
    this.drawBeside();
    signal?.addEventListener("abort", () => this.save());
    addEventListener("pagehide", () => this.save(), { signal });
  }

  focus() {
    this.area.focus();
  }

  bringBack() {
    const draft = ownDraft(this.place);
    if (draft === null || typeof draft.text !== "string") return;
    // It was kept after all, and only the answer did not come.
    if (
      draft.text === this.saved ||
      this.words.some(({ id }) => (draft.tried ?? []).includes(id) && id === draft.tried.at(-1))
    )
      return this.forget();
    this.tried = draft.tried ?? [];
    this.area.value = draft.text;
    this.say(this.send ? "Brought back: this was not saved before." : `Kept in this browser since ${clock(draft.at)}.`);
    if (this.send) this.later(PAUSE_MS);
  }

  typed() {
    const kept = this.keep();
    this.element.dataset.unsaved = "";
    if (!this.send)
      return this.say(
        kept ? "Kept in this browser." : "This browser keeps nothing: copy your text before you leave.",
        !kept,
      );
    this.say(kept ? "Not saved yet" : "Not saved yet, and this browser keeps no drafts");
    this.later(PAUSE_MS);
  }

  keep() {
    return keepDraft(this.place, { ...this.about, text: this.area.value, tried: this.tried });
  }

  forget() {
    if (this.send) dropDraft(this.place);
  }

  later(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), milliseconds);
  }

  /** Keep what stands in the box, unless it is kept; `over` are further texts that the person chose to write over. */
  async save(over = []) {
    clearTimeout(this.timer);
    if (!this.send) return;
    if (this.saving) {
      this.again = true;
      return;
    }
    const text = this.area.value;
    if (text === this.saved && !over.length) {
      delete this.element.dataset.unsaved;
      return this.forget();
    }
    this.saving = true;
    this.say("Saving…");
    const sameAsBefore = this.pending?.text === text && !over.length;
    const id = sameAsBefore ? this.pending.id : freshName();
    const replaces = [...new Set([this.mine?.id, ...this.tried, ...over])].filter((each) => each && each !== id);
    if (!sameAsBefore) this.tried.push(id);
    this.pending = { id, text };
    this.keep();
    try {
      this.done(await this.send({ id, text, replaces }), { id, text });
    } catch (error) {
      this.failed(error);
    }
    this.saving = false;
    if (this.again) {
      this.again = false;
      this.save();
    }
  }

  done({ words, at, warning }, { id, text }) {
    if (this.past.length && this.past.at(-1) === text) this.past.pop();
    else if (this.saved !== text) this.past.push(this.saved);
    Object.assign(this, { words, saved: text, tried: [], pending: null, retryMs: FIRST_RETRY_MS });
    this.mine = words.find((each) => each.id === id) ?? null;
    this.undoing.hidden = !this.past.length;
    this.drawBeside();
    if (this.area.value !== text) return this.typed();
    delete this.element.dataset.unsaved;
    this.forget();
    if (this.hasFailed) announce("Saved.");
    this.hasFailed = false;
    this.say(warning ?? `Saved ${clock(at)}`, Boolean(warning));
  }

  failed(error) {
    const kept = this.keep();
    const where = kept
      ? "Your text is kept in this browser, at this address."
      : "This browser keeps nothing: copy your text before you leave.";
    this.say(`Not saved: ${error.message} ${where}`, true);
    if (!this.hasFailed) announce(`Not saved. ${error.message}`);
    this.hasFailed = true;
    this.status.append(" ", h("button", { class: "small", onclick: () => this.save() }, "Try again"));
    this.later(this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, LAST_RETRY_MS);
  }

  undo() {
    this.area.value = this.area.value === this.saved ? (this.past.at(-1) ?? "") : this.saved;
    this.area.focus();
    this.save();
  }

  say(text, isBad = false) {
    this.status.className = isBad ? "small warning" : "small muted";
    fill(this.status, text);
  }

  /** Texts of the same person that this window did not write: the person chooses. */
  drawBeside() {
    const kept = this.words
      .filter((each) => each !== this.mine)
      .map((each) => ({ ...each, from: "You also wrote, in another window:", over: [each.id] }));
    const drafts = this.send ? otherDrafts(this.place, OTHER_WINDOW_S) : [];
    const unsaved = drafts
      .filter(({ text }) => text !== this.saved && text.trim())
      .map((each) => ({ ...each, from: "Typed in another window, and not saved:", over: [] }));
    fill(
      this.beside,
      [...kept, ...unsaved].map((each) => this.choice(each)),
    );
  }

  choice({ from, text, over, key }) {
    const take = (value) => {
      this.area.value = value;
      if (key) dropDraft(this.place, key);
      this.save(over.length ? over : [""]).then(() => this.drawBeside());
      this.area.focus();
    };
    return h(
      "div",
      { class: "notice small", role: "group", "aria-label": from },
      h("p", {}, from),
      h("blockquote", { class: "hostile" }, text),
      h("button", { onclick: () => take([this.area.value, text].filter(Boolean).join("\n\n")) }, "Keep both"),
      " ",
      h("button", { onclick: () => take(text) }, "Only that one"),
      " ",
      h("button", { onclick: () => take(this.area.value) }, "Only what is in the box"),
    );
  }
}

/** "12:03" of today, with the date else. */
export function clock(at) {
  const when = new Date(at);
  const time = when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return when.toDateString() === new Date().toDateString() ? time : `${when.toLocaleDateString()} ${time}`;
}
