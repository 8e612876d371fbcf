// What is new in the workspace and belongs to the page that is shown: drawn by itself while nobody is at work there, else
// when its reader asks for it.

import { h } from "./dom.js";
import { onLive } from "./live.js";

const REDRAW_MS = 3000;
/** How many times longer we wait than a drawing takes. */
const REDRAW_SHARE = 10;
const FIGURES = ["trial", "grading", "benchmark", "iteration"];
// The kinds of news that each page shows.
const SHOWN = {
  overview: FIGURES,
  cases: FIGURES,
  case: ["trial", "grading", "iteration"],
  benchmark: FIGURES,
  history: ["benchmark", "iteration", "history"],
  comparisons: ["comparisons", "iteration"],
  triggers: ["triggers"],
};
const TOUCHABLE = "a, button, summary, input, select, textarea, label, [role=button], [role=gridcell], [role=treeitem]";

/** Whether news belong to a page: `{name, parameters}` as the address says, `newest` the iteration that it shows by itself. */
export function concerns(event, { name, parameters }, newest) {
  if (!SHOWN[name]?.includes(event.kind)) return false;
  if (event.kind === "iteration" || name === "history" || name === "triggers") return true;
  if (event.iteration !== Number(parameters.iteration ?? newest)) return false;
  return name !== "case" || event.case === parameters.case;
}

/** The button "New results". `place()` is the page that is shown, `newest()` the newest iteration, `draw()` draws it again. */
export function newsButton(main, { place, newest, draw }) {
  const news = new News(main, { place, newest, draw });
  return news.button;
}

class News {
  constructor(main, { place, newest, draw }) {
    Object.assign(this, { main, place, newest, draw });
    this.button = h("button", { class: "news", hidden: true, onclick: () => this.show() }, "New results: show them");
    this.touched = false;
    this.timer = 0;
    this.pauseMs = REDRAW_MS;
    for (const kind of ["click", "input", "keydown"]) {
      main.addEventListener(kind, (event) => event.target.closest?.(TOUCHABLE) && (this.touched = true), true);
    }
    addEventListener("hashchange", () => this.forget());
    document.addEventListener("visibilitychange", () => this.due && this.decide());
    onLive((event) => concerns(event, place(), newest()) && this.later());
  }

  /** What was new is on the page that comes. */
  forget() {
    clearTimeout(this.timer);
    Object.assign(this, { timer: 0, touched: false, due: false });
    this.button.hidden = true;
  }

  later() {
    this.timer ||= setTimeout(() => this.decide(), this.pauseMs);
  }

  decide() {
    this.timer = 0;
    this.due = document.hidden;
    if (this.due) return;
    if (this.isFree()) this.show();
    else this.button.hidden = false;
  }

  isFree() {
    const { main } = this;
    if (this.touched || ![document.body, main].includes(document.activeElement)) return false;
    if (document.querySelector("dialog[open], main [data-unsaved]")) return false;
    return getSelection()?.isCollapsed ?? true;
  }

  async show() {
    const hadFocus = document.activeElement === this.button;
    this.forget();
    const begun = performance.now();
    const [left, top] = [scrollX, scrollY];
    this.main.style.minHeight = `${this.main.offsetHeight}px`;
    await this.draw();
    this.main.style.minHeight = "";
    if (hadFocus) this.main.focus({ preventScroll: true });
    scrollTo(left, top);
    this.pauseMs = Math.max(REDRAW_MS, REDRAW_SHARE * (performance.now() - begun));
  }
}
