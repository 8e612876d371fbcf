// The Benchmark page: everything that an iteration came to. Words and numbers are the reports'; only places are worked out here.

import { ask } from "./api.js";
import { assertionsPart } from "./assertionmatrix.js";
import { armLegend, chartFigure, drawIntervals, drawPairs, drawPrice, drawStrips } from "./charts.js";
import { fill, h } from "./dom.js";
import { downloadMenu } from "./downloads.js";
import { figuresTable, pagedRows, tableBox } from "./figuretables.js";
import { link } from "./links.js";
import { trialsPart } from "./trialtable.js";

const SHARES = {
  min: 0,
  max: 1,
  ticks: [
    [0, "0 %"],
    [0.5, "50 %"],
    [1, "100 %"],
  ],
};

/** The page. */
export const benchmarkPage = {
  title: "Benchmark",
  async show(main, parameters, context) {
    const iteration = parameters.iteration ?? context.iterations.at(-1);
    const asked = { iteration, adjusted: parameters.adjusted };
    const found = await ask("benchmark", asked, context);
    const parts = partsOf(found, asked, context).filter(([, content]) => content);
    fill(
      main,
      h("div", { class: "page-head" }, h("h1", {}, "Benchmark"), downloadMenu(iteration, context)),
      benchmarkHeadline(found, asked),
      contentsList(parts),
      parts.map(([title, content]) => [h("h2", { tabindex: "-1" }, title), content]),
    );
    return {
      keys: [
        { key: "[", name: "Section before", run: () => toSection(main, -1) },
        { key: "]", name: "Section after", run: () => toSection(main, 1) },
      ],
    };
  },
};

function toSection(main, by) {
  const heads = [...main.querySelectorAll("h2")];
  const before = heads.findLastIndex((head) => head.getBoundingClientRect().top < 4);
  const here = heads.indexOf(document.activeElement);
  const next = heads[Math.max(0, Math.min((here < 0 ? before : here) + by, heads.length - 1))];
  next?.focus();
  next?.scrollIntoView({ block: "start" });
}

function contentsList(parts) {
  const to = (title) => (event) => {
    const head = [...event.target.closest("main").querySelectorAll("h2")].find((each) => each.textContent === title);
    head?.focus();
    head?.scrollIntoView({ block: "start" });
  };
  return h(
    "nav",
    { "aria-label": "On this page" },
    h(
      "div",
      { class: "contents" },
      parts.map(([title]) => h("button", { onclick: to(title) }, title)),
    ),
  );
}

function partsOf(found, asked, context) {
  return [
    ["Lift", benchmarkLift(found)],
    ["Cases", found.cases.rows.length > 0 && benchmarkCases(found, asked)],
    ["Pass rates", ratesPart(found)],
    ["Assertions", assertionsPart(found, asked, context)],
    ["Cost against quality", pricePart(found)],
    ["Time, tokens and cost", benchmarkEffort(found, asked)],
    ["Reliability", reliabilityPart(found)],
    ["Trials", trialsPart(asked, context)],
    ["Can it be trusted?", benchmarkTrust(found)],
    ["As skill-creator shows it", h("div", {}, figuresTable(found.summary, "Summary of runs"))],
    ["What was tried", benchmarkFacts(found)],
  ];
}

function benchmarkHeadline(found, asked) {
  const { word, tone, sentence, details } = found.headline;
  return [
    h(
      "div",
      { class: `card verdict ${tone}` },
      h("p", {}, h("strong", { class: tone }, word), ` – ${sentence}`),
      details.map((text) => h("p", { class: "small" }, text)),
    ),
    found.notices.map((text) => h("p", { class: "notice" }, text)),
    h("p", { class: "small muted" }, `Next: ${found.next_step}`),
    bothWays(found, asked),
  ];
}

/** Raw and adjusted figures, where people took trials out. */
function bothWays({ both_ways: both }, { iteration, adjusted }) {
  if (!both) return null;
  const other = adjusted ? { iteration } : { iteration, adjusted: 1 };
  return [
    h("h2", {}, `People took ${both.n} out`),
    adjusted && h("p", { class: "notice" }, "All below is without these trials."),
    both.warning && h("p", { class: "notice" }, both.warning),
    figuresTable(both.table, "With and without the trials taken out"),
    h(
      "p",
      {},
      h("a", { href: link("benchmark", other) }, adjusted ? "Show all trials" : "Show this page without them"),
    ),
    h(
      "ul",
      { class: "small" },
      both.trials.map(([trial, reason, name]) =>
        h("li", {}, h("a", { href: link("case", { iteration, case: name }) }, trial), `: ${reason}`),
      ),
    ),
  ];
}

function benchmarkLift(found) {
  if (!found.lifts.length)
    return h(
      "p",
      {},
      found.valid
        ? "There is no lift: no arm is compared with a baseline."
        : "No lift is drawn: the comparison is not valid.",
    );
  const margin = found.margin ? ` The shaded band is the margin of ±${+(100 * found.margin).toFixed(2)} points.` : "";
  return [
    chartFigure({
      name: "Lift against the baseline, in points",
      about: `A sign is the lift, the bar its interval; right of 0 is better than the baseline.${margin}`,
      draw: drawIntervals(found.lifts, {
        min: -1,
        max: 1,
        ticks: [
          [-1, "−100"],
          [0, "0"],
          [1, "+100"],
        ],
        zero: 0,
        margin: found.margin,
      }),
      table: wordsTable(found.lifts, "Lifts"),
    }),
    found.where.length > 0 &&
      h(
        "ul",
        {},
        found.where.map(([text, tone]) => h("li", { class: tone }, text)),
      ),
    found.comparisons && figuresTable(found.comparisons, "Every arm against the baseline"),
  ];
}

function wordsTable(rows, label) {
  return tableBox(
    label,
    h(
      "table",
      { class: "figures" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, label))),
      h(
        "tbody",
        {},
        rows.map((row) => h("tr", {}, h("td", { class: "long" }, row.words))),
      ),
    ),
  );
}

const ORDERS = [
  ["By name", null],
  ["Most harmed first", (row) => row.difference],
  ["Most helped first", (row) => (row.difference === null ? null : -row.difference)],
];

function benchmarkCases(found, asked) {
  const rows = found.cases.rows.map((row) => ({
    ...row,
    words: found.cases.columns
      .slice(1)
      .map((name, number) => `${name} ${row.cells[number + 1][0]}`)
      .join(", "),
    href: link("case", { iteration: asked.iteration, case: row.case }),
  }));
  for (const row of rows) row.words = `${row.title}: ${row.words}`;
  const paged = pagedRows({ what: rows.length === 1 ? "case" : "cases", build: (part) => pairsChart(found, part) });
  const order = h(
    "select",
    { onchange: () => paged.show(orderedCases(rows, ORDERS[order.value][1])) },
    ORDERS.map(([name], number) => h("option", { value: number }, name)),
  );
  paged.show(rows);
  const arms = found.arms.filter((arm) => arm.role !== "other");
  return h("div", {}, h("div", { class: "controls" }, h("label", {}, "Order ", order)), armLegend(arms), paged.element);
}

function orderedCases(rows, key) {
  if (!key) return rows;
  return [...rows].sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    return a === null || b === null ? (a === null) - (b === null) : a - b;
  });
}

function pairsChart(found, part) {
  const head = h(
    "thead",
    {},
    h(
      "tr",
      {},
      found.cases.columns.map((name) => h("th", { scope: "col" }, name)),
    ),
  );
  const body = part.map((row) =>
    h(
      "tr",
      {},
      row.cells.map(([text, tone], i) =>
        i
          ? h("td", { class: tone !== "plain" && tone }, text)
          : h("th", { scope: "row" }, h("a", { href: row.href }, text)),
      ),
    ),
  );
  const total =
    found.cases.total &&
    h(
      "tfoot",
      {},
      h(
        "tr",
        { class: "total" },
        found.cases.total.map(([text], i) => h(i ? "td" : "th", { scope: !i && "row" }, text)),
      ),
    );
  return chartFigure({
    name: "Pass rate of each case",
    about: "A line joins the two arms of a case: unbroken where the treatment is better, broken where it is worse.",
    draw: drawPairs(part),
    table: tableBox("Pass rates by case", h("table", { class: "figures" }, head, h("tbody", {}, body), total)),
  });
}

function ratesPart(found) {
  if (!found.rates.length) return null;
  return chartFigure({
    name: "Pass rate of each arm",
    about:
      "Mean over all cases graded in the arm, each counted once; the bar is the interval over cases like these. " +
      "Of one case, of cases that are all alike, and where cases come in families, there is none.",
    draw: drawIntervals(found.rates, SHARES),
    table: wordsTable(found.rates, "Pass rates"),
  });
}

function pricePart(found) {
  if (!found.price) return h("p", {}, "Fewer than two arms have both a pass rate and a known cost, tokens or time.");
  const { dots, measure, missing } = found.price;
  const least = missing.length ? ` Not drawn, since unknown: ${missing.join(", ")}.` : "";
  return [
    armLegend(found.arms),
    chartFigure({
      name: `Pass rate over ${measure} of a trial`,
      about:
        "High and to the left is good: more passes for less. The upright bar is the interval of the pass " +
        `rate; ${measure} is the mean of a trial.${least}`,
      draw: drawPrice(found.price, found.price.end),
      table: wordsTable(dots, "Arms"),
    }),
  ];
}

function benchmarkEffort(found, asked) {
  const hrefOf = (dot) => link("case", { iteration: asked.iteration, case: dot.case, repeat: dot.repeat });
  return [
    figuresTable(found.effort, "Trials, and what they took"),
    found.arm_table && figuresTable(found.arm_table, "All arms"),
    found.judge_bill && h("p", {}, `Calls of the judge, apart from the trials: ${found.judge_bill}.`),
    found.ratios.length > 0 &&
      chartFigure({
        name: "How many times as much as the baseline",
        about:
          "Geometric means over cases with their intervals; left of 1 is less than the baseline takes. The " +
          "scale doubles at equal steps.",
        draw: drawIntervals(found.ratios, ratioScale(found.ratios)),
        table: h(
          "div",
          {},
          found.ratio_sentences.map((text) => h("p", { class: "small" }, text)),
        ),
        tableName: "In words",
      }),
    found.efforts.map((effort) => [
      h("h3", {}, `${effort.title} of single trials`),
      chartFigure({
        name: `${effort.title} of single trials`,
        about: stripsAbout(effort),
        draw: drawStrips(effort, hrefOf),
        table: wordsTable(effort.rows, effort.title),
      }),
    ]),
  ];
}

function stripsAbout({ rows }) {
  const some = rows.every((row) => row.dots.length)
    ? "A dot is a trial. "
    : "Of arms with more than 300 trials no single ones are drawn. ";
  const boxes = rows.some((row) => row.box) ? "The box holds the middle half, with the median in it. " : "";
  return `${some}${boxes}The line goes from the least to the most; the sign is the mean.`;
}

function ratioScale(rows) {
  const most = Math.max(
    2,
    ...rows.flatMap((row) => [row.estimate, 1 / row.estimate, row.high ?? 1, 1 / (row.low ?? 1)]),
  );
  const end = Math.min(2 ** Math.ceil(Math.log2(most)), 1024);
  return {
    min: 1 / end,
    max: end,
    log: true,
    zero: 1,
    ticks: [
      [1 / end, `1/${end}`],
      [1, "the same"],
      [end, `${end} times`],
    ],
  };
}

function reliabilityPart(found) {
  if (!found.reliability.length) return h("p", {}, "Not known: it takes at least two graded runs of every case.");
  return chartFigure({
    name: "Reliability of each arm",
    about: "pass@k: at least one of k runs of a case passes. pass^k: all of them do. Means over cases, with intervals.",
    draw: drawIntervals(found.reliability, SHARES),
    table: wordsTable(found.reliability, "Reliability"),
  });
}

function benchmarkTrust(found) {
  const groups = (title, list) =>
    list.length > 0 && [
      h("h3", {}, title),
      h(
        "ul",
        {},
        list.map(([what, reason, examples]) =>
          h("li", {}, `${what}: ${reason} `, h("span", { class: "muted small" }, `[${examples.join("; ")}]`)),
        ),
      ),
    ];
  return [
    h(
      "ul",
      {},
      found.findings.map(({ severity, code, text }) =>
        h(
          "li",
          {},
          h("strong", { class: { invalid: "bad", warning: "warning" }[severity] ?? "muted" }, severity),
          `: ${text} `,
          h("span", { class: "muted small" }, `(${code})`),
        ),
      ),
    ),
    groups(`Not graded: ${found.n_ungraded} of ${found.n_results} assertions`, found.ungraded),
    groups(`Left out: ${found.n_excluded} of ${found.n_trials} trials`, found.excluded),
    found.notes.length > 0 && [
      h("h3", {}, "Notes"),
      h(
        "ul",
        {},
        found.notes.map((text) => h("li", {}, text)),
      ),
    ],
    found.calibration.length > 0 && [
      h("h3", {}, "The judge, measured by people"),
      h(
        "ul",
        {},
        found.calibration.map((text) => h("li", {}, text)),
      ),
    ],
    found.self_check && [h("h3", {}, "The baseline against itself"), found.self_check.map((text) => h("p", {}, text))],
  ];
}

function benchmarkFacts(found) {
  const models = found.arms
    .filter((arm) => arm.models.length)
    .map((arm) => [`models of ${arm.title}`, arm.models.join(", ")]);
  return h(
    "dl",
    { class: "facts small" },
    [...models, ...found.facts].map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}
