// The History page: iterations over time, and the versions of history.json.

import { ask } from "./api.js";
import { armLegend, chartFigure, drawOverTime } from "./charts.js";
import { fill, h } from "./dom.js";
import { figuresTable } from "./figuretables.js";
import { link } from "./links.js";

/** The page. */
export const historyPage = {
  title: "History",
  async show(main, parameters, context) {
    const found = await ask("history", {}, context);
    fill(
      main,
      h("h1", {}, `History of ${found.title}`),
      found.notices.map((text) => h("p", { class: "notice" }, text)),
      timePart(found),
      tablePart(found),
      versionsPart(found),
    );
    return {};
  },
};

function timePart(found) {
  if (!found.points.length) return null;
  if (found.points.length === 1)
    return h("p", { class: "notice" }, "There is one iteration. Run the next one, and they stand side by side here.");
  const breaks = found.points.flatMap((point, number) =>
    number && point.readable && !point.comparable ? [number] : [],
  );
  const labels = found.points.map((point) => String(point.iteration));
  return [
    liftOverTime(found, labels, breaks),
    ratesOverTime(found, labels, breaks),
    costOverTime(found, labels, breaks),
  ];
}

function valuesOf(points, valueOf, words, more = () => ({})) {
  return points.flatMap((point, number) => {
    const value = valueOf(point);
    if (value === null || value === undefined) return [];
    return [
      {
        number,
        value,
        words: point[words],
        joined: point.comparable,
        href: link("overview", { iteration: point.iteration }),
        ...more(point),
      },
    ];
  });
}

function liftOverTime(found, labels, breaks) {
  const values = valuesOf(
    found.points,
    (point) => point.estimate,
    "words",
    ({ low, high }) => ({ low, high }),
  );
  if (!values.length) return h("p", {}, "No iteration has a valid lift.");
  const scale = {
    min: -1,
    max: 1,
    zero: 0,
    ticks: [
      [1, "+100"],
      [0, "0"],
      [-1, "−100"],
    ],
  };
  return [
    h("h2", {}, "Lift of each iteration, in points"),
    chartFigure({
      name: "Lift of each iteration, in points",
      about:
        "A disc is the lift, the bar its interval. Lines join iterations that can be compared: with the same " +
        "suite, model, agent program, judge and baseline. A broken upright line stands where they cannot. " +
        "Without a valid lift there is a gap.",
      draw: drawOverTime({ labels, breaks, scale, series: [{ role: "treatment", values }] }),
    }),
  ];
}

function ratesOverTime(found, labels, breaks) {
  const series = [
    { role: "treatment", values: valuesOf(found.points, (point) => point.rates[0], "rate_words") },
    { role: "baseline", values: valuesOf(found.points, (point) => point.rates[1], "rate_words") },
  ];
  if (!series.some(({ values }) => values.length)) return null;
  const scale = {
    min: 0,
    max: 1,
    ticks: [
      [1, "100 %"],
      [0.5, "50 %"],
      [0, "0 %"],
    ],
  };
  return [
    h("h2", {}, "Pass rates"),
    armLegend([
      { title: "with (treatment)", role: "treatment" },
      { title: "without (baseline)", role: "baseline" },
    ]),
    chartFigure({
      name: "Pass rates of each iteration",
      about: "Over all cases graded in the arm, each counted once.",
      draw: drawOverTime({ labels, breaks, scale, series }),
    }),
    found.rates && h("p", { class: "notice" }, found.rates),
  ];
}

function costOverTime(found, labels, breaks) {
  const values = valuesOf(found.points, (point) => point.cost, "cost_words");
  if (!values.length) return null;
  const max = Math.max(...values.map(({ value }) => value)) || 1;
  const scale = {
    min: 0,
    max,
    ticks: [
      [max, found.most_cost],
      [0, "$0"],
    ],
  };
  return [
    h("h2", {}, "Cost"),
    chartFigure({
      name: "Cost of each iteration",
      about: "Of all trials of the agents, in US dollars; nothing is drawn where it is not known.",
      draw: drawOverTime({ labels, breaks, scale, series: [{ role: "other", values }] }),
    }),
  ];
}

function tablePart(found) {
  if (!found.table.rows.length) return null;
  const table = figuresTable(found.table, "Iterations");
  for (const head of table.querySelectorAll("tbody th"))
    fill(head, h("a", { href: link("overview", { iteration: head.textContent }) }, head.textContent));
  return [
    h("h2", {}, "Iterations"),
    table,
    h(
      "p",
      { class: "small muted" },
      "With and without: pass rates of the compared arms, cases weigh equally. Lift in points. Time: mean of a " +
        "trial with the skill. Cost: of all trials of the agents.",
    ),
    found.changes.length > 0 && [
      h("h3", {}, "From one to the next"),
      h(
        "ul",
        {},
        found.changes.map((text) => h("li", {}, text)),
      ),
    ],
  ];
}

function versionsPart(found) {
  if (!found.versions) return null;
  return [
    h("h2", {}, "Versions of history.json"),
    versionBranch(found.tree, "versions"),
    h("details", { class: "as-table" }, h("summary", {}, "As a table"), figuresTable(found.versions, "Versions")),
  ];
}

function versionBranch(nodes, kind = false) {
  return h(
    "ul",
    { class: kind },
    nodes.map((node) =>
      h(
        "li",
        {},
        node.iteration === null
          ? h("strong", {}, node.version)
          : h("a", { href: link("overview", { iteration: node.iteration }) }, node.version),
        ` ${node.rate}, ${node.result}`,
        node.best && [" ", h("strong", { class: "good" }, "★ current best")],
        node.children.length > 0 && versionBranch(node.children),
      ),
    ),
  );
}
