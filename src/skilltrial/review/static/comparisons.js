// Blind comparisons of two outputs: who won and why, and once one wants to know, which arm it was.

import { analysisView } from "./analysis.js";
import { ask, refusal } from "./api.js";
import { append, fill, h } from "./dom.js";
import { count, percent } from "./figures.js";
import { link } from "./links.js";

const MOST_COMPARISONS = 200;
const HOW_TO_COMPARE =
  "There is no blind comparison in this iteration. They are files comparison-1.json, analysis-1.json, … in the " +
  "iteration’s folder comparisons, as `skilltrial compare` and skill-creator write them.";

/** The page of comparisons. */
export const comparisonsPage = {
  title: "Comparisons",
  async show(main, parameters, context) {
    const { iteration, unblind } = parameters;
    const answer = await ask("comparisons", { iteration, unblind }, { signal: context.signal });
    append(main, [h("h1", {}, "Blind comparisons")]);
    if (answer.rows.length === 0 && answer.analyses.length === 0) {
      append(main, [h("p", {}, HOW_TO_COMPARE), notRead(answer)]);
      return {};
    }
    const openOne = async (name) =>
      answer.whole[name] ?? ask("comparison", { iteration, unblind, name }, { signal: context.signal });
    append(main, [
      outcome(answer),
      blindness(answer, parameters, context),
      unblind && winRates(answer),
      h("h2", {}, "One by one"),
      comparisonList(answer.rows, openOne, iteration),
      answer.analyses.length > 0 && [
        h("h2", {}, "Analyses of no single comparison"),
        answer.analyses.map((each) =>
          h("section", { class: "card" }, h("h3", { class: "hostile" }, each.name), analysisView(each)),
        ),
      ],
      notRead(answer),
    ]);
    return {};
  },
};

function notRead({ unreadable }) {
  if (unreadable.length === 0) return null;
  return h(
    "p",
    { class: "notice" },
    "Not read, since they are neither comparisons nor analyses: ",
    h("span", { class: "hostile" }, unreadable.join(", ")),
    ".",
  );
}

function outcome({ rows, winners, consistent, longer_won: longer, n_left_out: out }) {
  const facts = [
    `${count(rows.length)} ${rows.length === 1 ? "comparison" : "comparisons"}`,
    out > 0 && `${count(out)} of them in no figure, since people left out a run of theirs`,
    ...["A", "B"].filter((label) => winners[label]).map((label) => `${label} won ${count(winners[label])}`),
    winners.TIE && `${count(winners.TIE)} ${winners.TIE === 1 ? "tie" : "ties"}`,
    winners.unknown && `${count(winners.unknown)} without a winner that can be read`,
    consistent.of > 0 && `the same winner in both orders: ${consistent.n} of ${consistent.of}`,
    longer.of > 0 && `the longer output won: ${longer.n} of ${longer.of}`,
  ];
  return h(
    "ul",
    { class: "facts" },
    facts.filter(Boolean).map((fact) => h("li", {}, fact)),
  );
}

function blindness(answer, { iteration, unblind }, context) {
  if (answer.n_with_key === 0) {
    return h("p", { class: "muted" }, "No key was kept beside these files, so nothing tells which arm A or B was.");
  }
  const to = unblind ? { iteration } : { iteration, unblind: 1 };
  const said = unblind ? "Hide the arms" : "Show which arm is which";
  return h(
    "p",
    {},
    h("button", { onclick: () => context.go("comparisons", to) }, said),
    " ",
    h("span", { class: "muted small" }, unblind ? "" : "A and B were drawn anew for each comparison."),
  );
}

function winRates({ win_rates: rates }) {
  if (!rates?.length) return null;
  return [
    h("h2", {}, "Who wins how often"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Win rates" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Arm", "Against", "Wins", "95 % interval", "Comparisons", "Cases"].map((name) =>
              h("th", { scope: "col" }, name),
            ),
          ),
        ),
        h("tbody", {}, rates.map(winRateRow)),
      ),
    ),
    h(
      "p",
      { class: "muted small" },
      "A tie is half a win. The case is the unit: comparisons of the same case count together. No preference is 50 %.",
    ),
  ];
}

function winRateRow(rate) {
  const interval = rate.low === null ? "needs two cases" : `${percent(rate.low)} to ${percent(rate.high)}`;
  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "hostile" }, rate.arm),
    h("td", { class: "hostile" }, rate.against),
    h("td", { class: "number" }, percent(rate.estimate)),
    h("td", {}, interval),
    h("td", { class: "number" }, count(rate.n_comparisons)),
    h("td", { class: "number" }, count(rate.n_cases)),
  );
}

function comparisonList(rows, openOne, iteration) {
  const list = h("div", { class: "comparisons" });
  let shown = 0;
  const more = h("button", { onclick: () => draw() }, "Show more");
  function draw() {
    const next = rows.slice(shown, shown + MOST_COMPARISONS);
    list.append(...next.map((row) => comparisonBox(row, openOne, iteration, rows.length === 1)));
    shown += next.length;
    more.hidden = shown >= rows.length;
  }
  draw();
  return [list, more];
}

function comparisonBox(row, openOne, iteration, isOpen) {
  const inside = h("div", { class: "comparison-inside" });
  let asked = false;
  async function opened() {
    if (asked || !box.open) return;
    asked = true;
    fill(inside, "…");
    try {
      fill(inside, wholeComparison(await openOne(row.name), iteration));
    } catch (error) {
      asked = false;
      if (error.name !== "AbortError") fill(inside, refusal(error));
    }
  }
  const box = h(
    "details",
    { class: "comparison", open: isOpen, ontoggle: opened },
    h(
      "summary",
      {},
      h("strong", { class: "hostile" }, row.name),
      " ",
      verdictOf(row),
      row.case !== null && [" · case ", h("span", { class: "hostile" }, row.case)],
      row.has_analysis && h("span", { class: "muted" }, " · with an analysis"),
      row.left_out && h("span", { class: "muted" }, " · left out"),
    ),
    inside,
  );
  if (isOpen) opened();
  return box;
}

function verdictOf(row) {
  if (row.winner === null) return h("span", { class: "warning" }, "no winner that can be read");
  if (row.winner === "TIE") return "a tie";
  return [`${row.winner} wins`, row.labels && [" (", h("span", { class: "hostile" }, row.labels[row.winner].arm), ")"]];
}

function wholeComparison(whole, iteration) {
  return [
    whole.labels && labelsOf(whole.labels, iteration),
    whole.reasoning && [h("h3", {}, "Why"), h("p", { class: "hostile" }, whole.reasoning)],
    whole.skilltrial?.orders.length > 0 && ordersOf(whole.skilltrial),
    rubricTable(whole),
    qualities(whole.output_quality),
    expectationTable(whole.expectation_results),
    whole.analysis && [h("h3", {}, "Analysis"), analysisView(whole.analysis)],
  ];
}

function labelsOf(labels, iteration) {
  return h(
    "ul",
    { class: "facts" },
    Object.entries(labels).map(([label, key]) => {
      const to = link("case", { iteration, case: key.case_id, arm: key.arm, repeat: key.repeat });
      return h(
        "li",
        {},
        `${label} is `,
        h("a", { href: to }, h("span", { class: "hostile" }, key.arm), `, run ${key.repeat}`),
      );
    }),
  );
}

function ordersOf({ orders, judge }) {
  const said = orders.map(
    (order) => `${order.first} first: ${order.winner === "TIE" ? "a tie" : `${order.winner} wins`}`,
  );
  return h(
    "p",
    {},
    "By order: ",
    said.join("; "),
    ".",
    judge && [" Judge: ", h("span", { class: "hostile" }, judge), "."],
  );
}

/** A score with a bar of its length. */
export function scoreBar(value, most) {
  if (value === null || value === undefined) return h("span", { class: "muted" }, "not told");
  const bar = h("span", { class: "score-bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", `${Math.max(0, Math.min(1, value / most)) * 100}%`);
  return h("span", { class: "score" }, bar, String(value));
}

function rubricTable({ rubric }) {
  const labels = Object.keys(rubric);
  if (labels.length === 0) return null;
  const part = (name) => [...new Set(labels.flatMap((label) => Object.keys(rubric[label][name])))];
  const row = (title, value, most, strong = false) =>
    h(
      "tr",
      { class: strong && "rubric-sum" },
      h("th", { scope: "row", class: "hostile" }, title),
      labels.map((label) => h("td", {}, scoreBar(value(rubric[label]), most))),
    );
  const rows = [
    ...part("content").map((name) => row(name, (side) => side.content[name], 5)),
    row("Content", (side) => side.content_score, 5, true),
    ...part("structure").map((name) => row(name, (side) => side.structure[name], 5)),
    row("Structure", (side) => side.structure_score, 5, true),
    row("Overall", (side) => side.overall_score, 10, true),
  ];
  return [
    h("h3", {}, "Rubric"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rubric" },
      h(
        "table",
        { class: "rubric" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "Criterion"),
            labels.map((label) => h("th", { scope: "col" }, label)),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
  ];
}

function qualities(quality) {
  const labels = Object.keys(quality);
  if (labels.length === 0) return null;
  const listOf = (title, points) =>
    points.length > 0 && [
      h("h5", {}, title),
      h(
        "ul",
        {},
        points.map((point) => h("li", { class: "hostile" }, point)),
      ),
    ];
  const side = (label) =>
    h(
      "section",
      { class: "card" },
      h("h4", {}, `Output ${label}: `, scoreBar(quality[label].score, 10)),
      listOf("Strengths", quality[label].strengths),
      listOf("Weaknesses", quality[label].weaknesses),
    );
  return [h("h3", {}, "What is good and bad"), h("div", { class: "two-sides" }, labels.map(side))];
}

function expectationTable(results) {
  const labels = Object.keys(results);
  if (labels.length === 0) return null;
  const texts = [...new Set(labels.flatMap((label) => results[label].details.map((detail) => detail.text)))];
  const head = ["Expectation", ...labels].map((name) => h("th", { scope: "col" }, name));
  const rows = texts.map((text) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "hostile" }, text),
      labels.map((label) => expectationCell(results[label].details.find((detail) => detail.text === text)?.passed)),
    ),
  );
  const sums = labels.map((label) => h("td", {}, expectationSum(results[label])));
  return [
    h("h3", {}, "Expectations"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Expectations" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, head)),
        h("tbody", {}, rows, h("tr", { class: "rubric-sum" }, h("th", { scope: "row" }, "All"), sums)),
      ),
    ),
  ];
}

function expectationCell(passed) {
  if (passed === true) return h("td", { class: "good" }, "✓ passed");
  return passed === false ? h("td", { class: "bad" }, "✗ failed") : h("td", { class: "muted" }, "not told");
}

function expectationSum({ passed, total }) {
  return passed === null || total === null ? "not told" : `${passed} of ${total}`;
}
