// A search for a better description, while it runs and when it has ended.

import { h } from "./dom.js";
import { count, dollars, points } from "./figures.js";

const STEPS = {
  probing: "Running",
  rewriting: "Another description is being written",
  testing: "Running",
  stopped: "Stopped",
  finished: "Finished",
};

/** The section on the newest search; null where there is none. */
export function searchSection(search) {
  if (search === null) return null;
  const { parts } = search;
  return [
    h("h2", {}, "A better description"),
    h("p", { class: "search-step", role: "status" }, sentence(search)),
    search.notices.map((notice) => h("p", { class: "notice hostile" }, notice)),
    candidateTable(search),
    h(
      "p",
      { class: "muted small" },
      "Queries on the right side, of those with a result. ",
      `There are ${parts.train} for train, ${parts.validation} for validation, ${parts.test} for test. `,
      "The best on validation was chosen by that score, so it is too good; test was seen by nothing before. ",
      `${spentWords(search.spent)}; written by ${search.rewriter}.`,
    ),
    search.word === "better" &&
      h(
        "p",
        {},
        "Taken over with ",
        h("code", {}, "skilltrial optimise SKILL --apply"),
        ", or as the patch beside it.",
      ),
    refusedList(search.refused),
  ];
}

function sentence(search) {
  if (search.step === "finished") {
    return [h("strong", { class: tone(search.word) }, search.word), `: ${search.why}${differenceWords(search)}.`];
  }
  const end = search.step === "stopped" ? " The same command goes on from there." : "";
  const doing = search.doing ? `: ${search.doing}` : "";
  return [h("strong", {}, STEPS[search.step] ?? search.step), `${doing}.${end}`.replace("..", ".")];
}

function tone(word) {
  return { better: "good", worse: "bad" }[word] ?? "";
}

function differenceWords({ difference }) {
  if (difference === null || difference.estimate === null) return "";
  const interval = difference.low === null ? "" : ` (${points(difference.low)} to ${points(difference.high)})`;
  return `; ${points(difference.estimate)}${interval}`;
}

function spentWords({ n_runs, cost_usd }) {
  return `${count(n_runs)} runs, ${cost_usd === null ? "cost unknown" : dollars(cost_usd)}`;
}

function candidateTable(search) {
  const score = (pair) => h("td", { class: "number" }, pair === null ? "unknown" : `${pair[0]} of ${pair[1]}`);
  const row = (each) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, String(each.number), each.is_best && h("strong", { class: "good" }, " ★ best")),
      score(each.train),
      score(each.validation),
      score(each.test),
      h(
        "td",
        {},
        each.number === 0 && h("span", { class: "muted small" }, "the skill’s own: "),
        h("span", { class: "hostile" }, each.description || "(none)"),
      ),
    );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Descriptions of the search" },
    h(
      "table",
      { class: "search" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["No.", "Train", "Validation", "Test", "Description"].map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h("tbody", {}, search.candidates.map(row)),
    ),
  );
}

function refusedList(refused) {
  if (refused.length === 0) return null;
  return h(
    "details",
    {},
    h("summary", {}, `Answers that were refused: ${refused.length}`),
    h(
      "ul",
      {},
      refused.map((each) =>
        h(
          "li",
          {},
          `Round ${each.round}: `,
          h("span", { class: "hostile" }, each.why),
          each.answer !== null && [h("br"), h("span", { class: "hostile" }, each.answer)],
        ),
      ),
    ),
  );
}
