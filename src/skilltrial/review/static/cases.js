// All cases, a row each, with search, filters and order. What is chosen stands in the address.

import { announce } from "./announce.js";
import { ask } from "./api.js";
import { fill, h } from "./dom.js";
import { count, percent, points } from "./figures.js";
import { link } from "./links.js";
import { visibleName } from "./names.js";

const CASE_BATCH = 100;
const CASE_WORDS = ["helps", "harms", "flaky", "both pass", "both fail", "cannot tell"];
const CASE_SIGNS = { helps: "▲", harms: "▼", flaky: "≈", "both pass": "✓", "both fail": "✗", "cannot tell": "?" };
const CASE_TONES = { helps: "good", harms: "bad", flaky: "warning", "cannot tell": "muted" };
const CASE_FILTERS = [
  ["", "All cases"],
  ...CASE_WORDS.map((word) => [word, word[0].toUpperCase() + word.slice(1)]),
  ["ungraded", "With ungraded assertions"],
  ["errors", "With trials in no rate"],
  ["unreviewed", "Not reviewed by you"],
  ["commented", "Commented"],
  ["good", "Rated good"],
  ["needs-work", "Rated needs work"],
  ["bad", "Rated bad"],
];
const CASE_ORDERS = {
  "": ["By name", null],
  gain: ["Most gained first", (row) => -(row.difference ?? -Infinity)],
  harm: ["Most lost first", (row) => row.difference ?? Infinity],
  ungraded: ["Most ungraded first", (row) => -(row.ungraded ?? 0)],
};

/** The word for a case, with a sign. */
export function caseWord(word) {
  return word
    ? h("span", { class: `case-word ${CASE_TONES[word] ?? ""}` }, `${CASE_SIGNS[word] ?? ""} ${word}`)
    : h("span", { class: "muted" }, "–");
}

/** A share as a bar with its number. */
export function shareBar(share, role) {
  const bar = h("span", { class: `share ${role}`, "aria-hidden": "true" });
  const inside = h("span");
  inside.style.width = `${100 * (share ?? 0)}%`;
  bar.append(inside);
  return [bar, h("span", { class: "share-number" }, percent(share))];
}

export const casesPage = {
  title: "Cases",
  async show(main, parameters, context) {
    const asked = { iteration: parameters.iteration };
    const found = await ask("cases", asked, { signal: context.signal });
    const list = new CaseList(main, parameters, found);
    if (!found.fresh) followCases(list, asked, context);
    const refresh = async () =>
      list.take(await ask("cases", { ...asked, wait: 1 }, { signal: context.signal }), list.shown);
    return { keys: list.keys(context), refresh };
  },
};

async function followCases(list, asked, context) {
  try {
    list.take(await ask("cases", { ...asked, wait: 1 }, { signal: context.signal }), list.shown);
  } catch (error) {
    if (error.name !== "AbortError") list.say(error.message);
  }
}

class CaseList {
  constructor(main, parameters, found) {
    this.chosen = {
      iteration: parameters.iteration,
      q: parameters.q ?? "",
      show: parameters.show ?? "",
      arm: parameters.arm ?? "",
      sort: parameters.sort ?? "",
    };
    this.at = -1;
    this.summary = h("p", { class: "muted", role: "status" });
    this.body = h("tbody");
    this.head = h("thead");
    this.end = h("p");
    this.notes = h("div");
    this.found = found;
    main.append(
      h("h1", {}, "Cases"),
      this.controls(),
      this.notes,
      this.summary,
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cases" },
        h("table", { class: "case-list" }, this.head, this.body),
      ),
      this.end,
    );
    this.observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && this.more(),
      { rootMargin: "600px" },
    );
    this.observer.observe(this.end);
    this.take(found);
  }

  controls() {
    this.search = h("input", {
      type: "search",
      value: this.chosen.q,
      placeholder: "Name, prompt or assertion",
      oninput: () => this.choose({ q: this.search.value }),
    });
    const armFilters = this.found.arms.flatMap(({ name }, place) => [
      [`fails ${place}`, `${name}: not every trial passes`],
      [`passes ${place}`, `${name}: every trial passes`],
    ]);
    return h(
      "form",
      { class: "controls", role: "search", onsubmit: (event) => event.preventDefault() },
      h("label", {}, "Search ", this.search),
      this.select("Show", "show", CASE_FILTERS),
      this.select("Arm", "arm", [["", "Any"], ...armFilters]),
      this.select(
        "Order",
        "sort",
        Object.entries(CASE_ORDERS).map(([value, [name]]) => [value, name]),
      ),
    );
  }

  select(label, name, options) {
    const element = h(
      "select",
      { onchange: () => this.choose({ [name]: element.value }) },
      options.map(([value, text]) => h("option", { value, selected: value === this.chosen[name] }, text)),
    );
    return h("label", {}, `${label} `, element);
  }

  choose(change) {
    Object.assign(this.chosen, change);
    history.replaceState(null, "", link("cases", this.chosen));
    this.draw();
  }

  /** Show these, at least so many rows of them. */
  take(found, rows = 0) {
    this.found = found;
    const strangers = found.strangers.length;
    fill(
      this.notes,
      !found.fresh &&
        h("p", { class: "notice" }, "Trials changed since these figures were made. New ones are on their way."),
      strangers > 0 &&
        h(
          "details",
          { class: "notice" },
          h(
            "summary",
            {},
            `${count(strangers)} ${strangers === 1 ? "folder holds a case" : "folders hold cases"} that the plan does not know`,
          ),
          h(
            "ul",
            {},
            found.strangers.map((name) => h("li", { class: "hostile" }, visibleName(name))),
          ),
        ),
    );
    fill(
      this.head,
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "Case"),
        found.arms.map(({ name, role }) =>
          h("th", { scope: "col" }, h("bdi", {}, name), h("div", { class: "muted small" }, role)),
        ),
        ["Difference", "Word", "Ungraded", "In no rate", "Review"].map((name) => h("th", { scope: "col" }, name)),
      ),
    );
    this.draw();
    while (this.shown < Math.min(rows, this.rows.length)) this.more();
  }

  say(text) {
    fill(this.notes, h("p", { class: "notice", role: "alert" }, text));
  }

  draw() {
    const wanted = this.chosen.q.trim().toLowerCase();
    const key = CASE_ORDERS[this.chosen.sort]?.[1];
    this.rows = this.found.cases.filter((row) => this.fits(row, wanted));
    if (key)
      this.rows = this.rows
        .map((row) => [key(row), row])
        .sort(([one], [other]) => (one === other ? 0 : one - other))
        .map(([, row]) => row);
    this.shown = 0;
    this.at = -1;
    fill(this.body);
    const all = this.found.cases.length;
    this.summary.textContent =
      this.rows.length === all
        ? `${count(all)} ${all === 1 ? "case" : "cases"}`
        : `${count(this.rows.length)} of ${count(all)} cases`;
    this.more();
  }

  fits(row, wanted) {
    if (wanted && !`${row.id}\n${row.title}\n${row.searched}`.toLowerCase().includes(wanted)) return false;
    const { show, arm } = this.chosen;
    if (arm) {
      const [how, place] = arm.split(" ");
      const { passed, graded } = row.arms[Number(place)] ?? {};
      if (!graded || (passed === graded) !== (how === "passes")) return false;
    }
    if (!show) return true;
    if (show === "ungraded") return row.ungraded > 0;
    if (show === "errors") return row.arms.some(({ lost }) => lost > 0);
    if (show === "unreviewed") return row.reviewed === 0;
    if (show === "commented") return row.comments > 0;
    return row.word === show || row.ratings.includes(show);
  }

  more() {
    const next = this.rows.slice(this.shown, this.shown + CASE_BATCH);
    this.shown += next.length;
    this.body.append(...next.map((row) => this.row(row)));
    fill(
      this.end,
      this.shown < this.rows.length &&
        h("button", { onclick: () => this.more() }, `Show more (${count(this.rows.length - this.shown)} left)`),
    );
    // The observer tells of changes alone: where the end is still in sight it has to look anew.
    this.observer.unobserve(this.end);
    if (this.shown < this.rows.length) this.observer.observe(this.end);
  }

  row(row) {
    const address = link("case", { iteration: this.chosen.iteration, case: row.id });
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h("a", { href: address, class: "hostile" }, visibleName(row.title)),
        h("div", { class: "prompt-line muted small hostile" }, row.line),
      ),
      row.arms.map((arm, place) => h("td", { class: "arm-share" }, armShare(arm, this.found.arms[place].role))),
      h("td", { class: "number" }, points(row.difference)),
      h("td", {}, caseWord(row.word)),
      h("td", { class: "number" }, row.ungraded === null ? "–" : row.ungraded || ""),
      h("td", { class: "number" }, row.arms.reduce((sum, { lost }) => sum + lost, 0) || ""),
      h("td", { class: "small" }, reviewWords(row)),
    );
  }

  step(by) {
    const to = Math.max(0, Math.min(this.rows.length - 1, this.at + by));
    while (this.shown <= to && this.shown < this.rows.length) this.more();
    this.at = to;
    this.body.children[to]?.querySelector("a").focus();
  }

  keys() {
    return [
      { key: "j", name: "Next row", run: () => this.step(1) },
      { key: "k", name: "Previous row", run: () => this.step(-1) },
      { key: "/", name: "Search", run: () => this.search.focus() },
      { key: "x", name: "Forget search and filters", run: () => this.reset() },
    ];
  }

  reset() {
    for (const field of document.querySelectorAll(".controls select, .controls input")) field.value = "";
    this.choose({ q: "", show: "", arm: "", sort: "" });
    announce("All cases are shown.");
  }
}

function reviewWords({ reviewed, comments, ratings }) {
  const words = [
    reviewed > 0 && "✓ reviewed",
    comments > 0 && `${comments} ${comments === 1 ? "comment" : "comments"}`,
    ...ratings.map((rating) => rating.replace("-", " ")),
  ];
  return words.filter(Boolean).join(", ");
}

function armShare({ rate, passed, graded, planned }, role) {
  if (!graded) return h("span", { class: "muted" }, planned ? `– none of ${planned} graded` : "– not planned");
  return [
    h("div", {}, shareBar(rate, role)),
    h(
      "div",
      { class: "muted small" },
      `${passed} of ${graded} ${graded === 1 ? "trial" : "trials"}${graded < planned ? `, ${planned} planned` : ""}`,
    ),
  ];
}
