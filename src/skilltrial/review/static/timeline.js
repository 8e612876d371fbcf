// What the agent did in a trial, step by step.

import { announce } from "./announce.js";
import { ask, refusal } from "./api.js";
import { fill, h, s } from "./dom.js";
import { count, dollars, seconds } from "./figures.js";
import { markIn, showMark, unmarkIn } from "./marking.js";
import { loadEventText, markLook, skillMark, timelineRow } from "./timeline_rows.js";

const MOST_STEP_PAGES = 5;
const STEP_FILTERS = [
  ["all", "Everything"],
  ["tools", "Tool calls and results"],
  ["texts", "What user and agent say"],
  ["thoughts", "Thoughts"],
  ["errors", "Failures and notices"],
  ["skill", "Where the skill comes in"],
  ["agents", "Sub-agents"],
];

/** The transcript of a trial: {element, open(), reveal(step, quote), hit(direction)}. It is asked for when it is opened.
 * A file that the agent wrote is shown by whoever hears "showfile" of `element` (`event.detail.path`). */
export function timelineView(trial, context) {
  const view = new Timeline(trial, context);
  return {
    element: view.element,
    open: () => view.open(),
    reveal: (step, quote) => view.reveal(step, quote),
    hit: (direction) => view.hit(direction),
  };
}

class Timeline {
  constructor(trial, context) {
    const { iteration, case: case_, arm, repeat } = trial;
    this.trial = { iteration, case: case_, arm, repeat };
    this.signal = context.signal;
    this.only = "all";
    this.pages = [];
    this.hits = [];
    this.at = -1;
    this.opened = null;
    this.element = h("section", { class: "timeline", "aria-label": "Transcript" });
  }

  /** Draw it, once. */
  open() {
    this.opened ??= this.draw();
    return this.opened;
  }

  async draw() {
    fill(this.element, h("p", { class: "muted" }, "…"));
    let answer = null;
    try {
      answer = await ask("transcript", this.trial, { signal: this.signal });
    } catch (error) {
      this.opened = null;
      if (error.name !== "AbortError") fill(this.element, refusal(error));
      return;
    }
    if (answer.n === 0) return this.drawRaw(answer);
    this.raw = answer.raw;
    this.list = h("ol", { class: "events", role: "list" });
    this.earlier = h("button", { onclick: () => this.more(-1) }, "Earlier steps");
    this.later = h("button", { onclick: () => this.more(1) }, "Later steps");
    this.shown = h("p", { class: "muted small", role: "status" });
    const parts = [
      this.totals(answer),
      this.bars(answer),
      this.tools(),
      this.shown,
      this.earlier,
      this.list,
      this.later,
    ];
    fill(this.element, parts);
    this.replace(answer);
    this.watch();
  }

  drawRaw(answer) {
    if (answer.raw.length === 0) {
      fill(this.element, h("p", { class: "muted" }, "No transcript was kept of this trial."));
      return;
    }
    const place = h("div", { class: "timeline-raw" });
    fill(
      this.element,
      h("p", { class: "muted" }, "This transcript is in no form that steps can be told from. This is its text."),
      this.download(answer.raw),
      place,
    );
    return loadEventText(place, "", this.trial, 0);
  }

  totals({ totals, n }) {
    const facts = [
      `${count(n)} ${n === 1 ? "event" : "events"}`,
      `${count(totals.calls)} ${totals.calls === 1 ? "tool call" : "tool calls"}`,
      totals.errors > 0 && h("span", { class: "bad" }, `${count(totals.errors)} failed`),
      totals.sub_agents > 0 && `${count(totals.sub_agents)} ${totals.sub_agents === 1 ? "sub-agent" : "sub-agents"}`,
      totals.duration_s !== null && seconds(totals.duration_s),
      totals.tokens !== null &&
        `${count(totals.tokens)} tokens (${count(totals.input_tokens)} in, ${count(totals.cache_tokens)} from ` +
          `the cache, ${count(totals.output_tokens)} out)`,
      totals.cost_usd !== null && dollars(totals.cost_usd),
    ];
    const marks = Object.entries(totals.marks)
      .sort((one, other) => one[1] - other[1])
      .map(([mark, ordinal]) =>
        h("li", {}, h("button", { class: markLook(mark), onclick: () => this.jump(ordinal) }, skillMark(mark))),
      );
    return [
      h(
        "ul",
        { class: "timeline-facts" },
        facts.filter(Boolean).map((fact) => h("li", {}, fact)),
      ),
      marks.length > 0 && h("ul", { class: "timeline-facts", "aria-label": "The skill" }, marks),
    ];
  }

  /** The whole in one line: how much text where. Only for the mouse: the list tells the same. */
  bars({ bars }) {
    const most = Math.log1p(Math.max(1, ...bars.map((bar) => bar.n_chars)));
    const width = 1000 / bars.length;
    const drawn = bars.map((bar, index) => {
      const height = 4 + (36 * Math.log1p(bar.n_chars)) / most;
      const look = bar.is_error ? "bar-error" : bar.mark ? "bar-mark" : `bar-${bar.kind}`;
      const place = { x: index * width, y: 40 - height, width: Math.max(1, width - 1), height };
      return s(
        "rect",
        { ...place, class: look, onclick: () => this.jump(bar.ordinal) },
        s("title", {}, `From event ${bar.ordinal + 1}: ${count(bar.n_chars)} characters`),
      );
    });
    const about = "How much text comes where. Red is a failure, green is where the skill comes in.";
    return s(
      "svg",
      { class: "timeline-bars", viewBox: "0 0 1000 40", preserveAspectRatio: "none", role: "img", "aria-label": about },
      drawn,
    );
  }

  tools() {
    this.field = h("input", {
      type: "search",
      onkeydown: (event) => this.typed(event),
      oninput: () => (this.searched = null),
    });
    this.found = h("span", { class: "muted small", role: "status" });
    const filter = h(
      "select",
      { onchange: () => this.filter(filter.value) },
      STEP_FILTERS.map(([value, name]) => h("option", { value }, name)),
    );
    this.element.addEventListener("keydown", (event) => this.key(event));
    return h(
      "div",
      { class: "timeline-tools" },
      h("label", {}, "Search ", this.field),
      h("button", { onclick: () => this.hit(-1), "aria-label": "Previous hit" }, "↑"),
      h("button", { onclick: () => this.hit(1), "aria-label": "Next hit" }, "↓"),
      this.found,
      h("label", {}, "Show ", filter),
      h("button", { onclick: () => this.fold(true) }, "Expand all"),
      h("button", { onclick: () => this.fold(false) }, "Collapse all"),
      this.raw.length > 0 && this.download(this.raw),
    );
  }

  /** n and N, wherever the focus is in here. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key !== "n" && event.key !== "N") return;
    event.preventDefault();
    this.hit(event.key === "n" ? 1 : -1);
  }

  typed(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.hit(event.shiftKey ? -1 : 1);
  }

  /** To the next hit, or the one before. */
  async hit(direction) {
    const text = this.field?.value ?? "";
    if (!text.trim()) return this.field?.focus();
    if (this.searched !== text) {
      if (!(await this.search(text))) return;
      this.at = direction > 0 ? -1 : 0;
    }
    if (this.hits.length === 0) return;
    this.at = (this.at + direction + this.hits.length) % this.hits.length;
    const hit = this.hits[this.at];
    this.found.textContent = `${this.at + 1} of ${count(this.hits.length)}${this.more_hits ? " or more" : ""}`;
    const row = await this.jump(hit.ordinal, { focus: false });
    if (row) await this.mark(row, hit.match, { focus: false });
  }

  async search(text) {
    this.found.textContent = "…";
    try {
      const answer = await ask("transcript_search", { ...this.trial, only: this.only, text }, { signal: this.signal });
      [this.hits, this.more_hits, this.searched] = [answer.hits, answer.more, text];
    } catch (error) {
      this.found.textContent = error.message;
      return false;
    }
    if (this.hits.length === 0) this.found.textContent = "Not found";
    return true;
  }

  async filter(only) {
    this.only = only;
    this.searched = null;
    await this.go({ from: 0 });
  }

  async go(place) {
    try {
      this.replace(await ask("transcript", { ...this.trial, only: this.only, ...place }, { signal: this.signal }));
    } catch (error) {
      this.refused(error);
    }
  }

  refused(error) {
    if (error.name !== "AbortError") this.shown.textContent = error.message;
  }

  replace(answer) {
    this.pages = [answer];
    fill(
      this.list,
      answer.rows.map((row) => this.row(row)),
    );
    this.tell();
  }

  /** The pages after those that are shown, or before; the farthest one goes. */
  async more(direction) {
    const last = this.pages.at(-1);
    const from = direction > 0 ? last.from + last.rows.length : Math.max(0, this.pages[0].from - 200);
    if (this.loading || (direction > 0 ? from >= last.n_shown : this.pages[0].from === 0)) return;
    this.loading = true;
    try {
      const answer = await ask("transcript", { ...this.trial, only: this.only, from }, { signal: this.signal });
      const rows = answer.rows.map((row) => this.row(row));
      if (direction > 0) {
        this.pages.push(answer);
        this.list.append(...rows);
        if (this.pages.length > MOST_STEP_PAGES) this.drop(0, this.pages.shift().rows.length);
      } else {
        answer.rows = answer.rows.slice(0, this.pages[0].from - from);
        this.pages.unshift(answer);
        this.list.prepend(...rows.slice(0, answer.rows.length));
        if (this.pages.length > MOST_STEP_PAGES) this.drop(-this.pages.pop().rows.length);
      }
      this.tell();
    } catch (error) {
      this.refused(error);
    }
    this.loading = false;
  }

  drop(from, to = undefined) {
    for (const row of [...this.list.children].slice(from, to)) row.remove();
  }

  tell() {
    const [first, last] = [this.pages[0], this.pages.at(-1)];
    const end = last.from + last.rows.length;
    this.earlier.hidden = first.from === 0;
    this.later.hidden = end >= last.n_shown;
    const all = this.only === "all" ? "" : ` of this kind, of ${count(last.n)} in all`;
    const some = first.from === 0 && end === last.n_shown ? "" : `${count(first.from + 1)}–${count(end)} of `;
    this.shown.textContent =
      last.n_shown === 0 ? "There is nothing of this kind." : `${some}${count(last.n_shown)} events${all}`;
  }

  /** Go on where one scrolls to the end. */
  watch() {
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && this.more(1),
    );
    observer.observe(this.later);
    this.signal?.addEventListener("abort", () => observer.disconnect());
  }

  row(row) {
    const showFile = (path) =>
      this.element.dispatchEvent(new CustomEvent("showfile", { bubbles: true, detail: { path } }));
    return timelineRow(row, this.trial, { jump: (ordinal) => this.jump(ordinal), showFile });
  }

  rowOf(ordinal) {
    return this.list.querySelector(`[data-ordinal="${Number(ordinal)}"]`);
  }

  /** Show an event, whatever the filter; its row. */
  async jump(ordinal, { focus = true } = {}) {
    if (!this.rowOf(ordinal)) await this.go({ ordinal });
    if (!this.rowOf(ordinal)) {
      this.showAll();
      await this.go({ ordinal });
    }
    const row = this.rowOf(ordinal);
    if (row) this.bring(row, { focus });
    return row;
  }

  showAll() {
    this.only = "all";
    this.searched = null;
    this.element.querySelector("select").value = "all";
  }

  bring(row, { focus }) {
    for (const each of this.list.querySelectorAll(".event-here")) each.classList.remove("event-here");
    unmarkIn(this.list);
    row.classList.add("event-here");
    for (const details of row.querySelectorAll(".event-body > details")) details.open = true;
    row.scrollIntoView({ block: "center" });
    if (focus) row.focus({ preventScroll: true });
  }

  /** Show the step that a verdict names, and mark the words that it quotes. */
  async reveal(step, quote) {
    await this.open();
    if (!this.list) return;
    this.showAll();
    await this.go({ step });
    const row = this.pages[0].rows.find((each) => each.step === Number(step));
    if (!row) return announce(`There is no step ${step} in this transcript.`);
    const element = await this.jump(row.ordinal);
    if (quote) await this.mark(element, quote);
  }

  /** Mark a text in a row, and go there; where it was cut in the row, have all of it. */
  async mark(row, text, { focus = true } = {}) {
    // What a box holds is put there when the browser has opened it.
    await new Promise((resolve) => setTimeout(resolve, 30));
    let mark = markInRow(row, text);
    const rest = row.querySelector(".event-more") ?? row.querySelector(".event-arguments > summary");
    if (!mark && rest) {
      rest.closest("details")?.setAttribute("open", "");
      const place = rest.matches(".event-more")
        ? rest.parentElement
        : rest.parentElement.querySelector(".event-inside > div");
      await loadEventText(place ?? rest.parentElement, row.dataset.ordinal, this.trial, 0);
      mark = markInRow(row, text);
    }
    if (mark && focus) showMark(mark);
    else mark?.scrollIntoView({ block: "center" });
  }

  fold(open) {
    for (const details of this.list.querySelectorAll(".event-body > details")) details.open = open;
  }

  download(names) {
    const button = h("button", { onclick: () => saveStream(button, names, this.trial) }, "Download the raw stream");
    return button;
  }
}

/** Mark the first place of a quote in the texts of a row; the mark, or null. */
function markInRow(row, quote) {
  for (const text of row.querySelectorAll(".event-text")) {
    const mark = markIn(text, quote);
    if (mark) return mark;
  }
  return null;
}

/** All streams, one for each turn, as one file. */
async function saveStream(button, names, trial) {
  button.disabled = true;
  try {
    const parts = [];
    for (let from = 0; from !== null;) {
      const part = await ask("transcript_text", { ...trial, from, most: 2000000 });
      parts.push(part.text);
      from = part.next;
    }
    const url = URL.createObjectURL(new Blob(parts, { type: "text/plain" }));
    h("a", { href: url, download: names[0] }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  } catch (error) {
    button.after(refusal(error));
  }
  button.disabled = false;
}
