// Is the skill taken when it should be, and left alone when not?

import { ask } from "./api.js";
import { append, fill, h } from "./dom.js";
import { count, percent } from "./figures.js";
import { searchSection } from "./search.js";

const MOST_QUERIES = 200;
const HOW_TO_TRIGGER =
  "Nothing is known yet of when agents take this skill. `skilltrial trigger SKILL` measures it; results of " +
  "skill-creator’s run_eval and run_loop are shown too once their workspace is imported.";
const QUERY_FILTERS = [
  ["all", "All queries", () => true],
  ["wrong", "On the wrong side", (row) => row.passes === false],
  ["should", "That should trigger", (row) => row.should_trigger],
  ["should_not", "That should not", (row) => !row.should_trigger],
  ["unknown", "Without a result", (row) => row.passes === null],
];
const QUERY_ORDERS = {
  file: ["Wrong ones first", null],
  low: ["Lowest rate first", (one, other) => rateOf(one) - rateOf(other)],
  high: ["Highest rate first", (one, other) => rateOf(other) - rateOf(one)],
  text: ["By their words", (one, other) => one.query.localeCompare(other.query)],
};

/** The page of triggers. */
export const triggersPage = {
  title: "Triggers",
  async show(main, parameters, context) {
    const answer = await ask("triggers", { name: parameters.name }, { signal: context.signal });
    append(main, [h("h1", {}, "Triggers"), searchSection(answer.search)]);
    if (answer.chosen === null) {
      append(main, [answer.search === null && h("p", {}, HOW_TO_TRIGGER)]);
      return {};
    }
    const chosen = answer.chosen;
    append(main, [
      answer.search !== null && h("h2", {}, "When the skill is taken"),
      answer.sheets.length > 1 && sheetChoice(answer, parameters, context),
      sheetFacts(chosen),
      chosen.notices.map((notice) => h("p", { class: "notice" }, notice)),
      triggerRates(chosen),
      h("h2", {}, "Queries"),
      queryTable(chosen.rows),
      takenTable(chosen.taken),
      triedTable(chosen.tried),
    ]);
    return {};
  },
};

function sheetChoice({ sheets, chosen }, parameters, context) {
  const select = h(
    "select",
    { onchange: () => context.go("triggers", { ...parameters, name: select.value }) },
    sheets.map((sheet) => h("option", { value: sheet.name, selected: sheet.name === chosen.name }, sheet.name)),
  );
  return h("p", {}, h("label", {}, "Results ", select));
}

function sheetFacts(sheet) {
  const runs = ([n, of]) => (of === 0 ? "not told" : `in ${n} of ${of} runs`);
  const facts = [
    ["Skill", sheet.skill],
    ["Description", sheet.description],
    ["Agent", sheet.agent],
    ["When", sheet.created_at],
    ["Threshold", sheet.threshold === null ? null : percent(sheet.threshold)],
    ["Beside it", sheet.siblings.join(", ")],
    ["In the agent’s listing", sheet.listed && runs(sheet.listed)],
    ["With its whole description", sheet.described && runs(sheet.described)],
    ["The listing", sheet.listing],
    ["Ended", sheet.ended],
    ["In short", sheet.said],
  ];
  return h(
    "dl",
    { class: "sheet-facts" },
    facts
      .filter(([, value]) => value)
      .map(([name, value]) => [h("dt", {}, name), h("dd", { class: "hostile" }, value)]),
  );
}

function triggerRates(sheet) {
  const names = [
    ["recall", "Recall", "of the queries that should trigger"],
    ["precision", "Precision", "of what triggered"],
    ["f1", "F1", "both together"],
  ];
  const card = ([key, name, about]) =>
    h(
      "div",
      { class: "card" },
      h("dt", {}, name),
      h(
        "dd",
        {},
        h("strong", {}, percent(sheet[key]?.estimate)),
        h("span", { class: "muted" }, ` ${intervalWords(sheet[key])}`),
        h("span", { class: "muted small" }, ` ${about}`),
      ),
    );
  return [h("dl", { class: "rate-cards" }, names.map(card)), h("p", { class: "muted small" }, `Over ${sheet.unit}.`)];
}

function intervalWords(share) {
  if (!share || share.low === null || share.high === null) return "";
  return `(${percent(share.low)} to ${percent(share.high)})`;
}

function rateOf(row) {
  return row.rate?.estimate ?? 2;
}

function queryTable(rows) {
  const body = h("tbody");
  const said = h("p", { class: "muted small", role: "status" });
  const more = h("button", { onclick: () => add() }, "Show more");
  let chosen = rows;
  let shown = 0;
  const filter = h(
    "select",
    { onchange: redraw },
    QUERY_FILTERS.map(([value, name]) => h("option", { value }, name)),
  );
  const order = h(
    "select",
    { onchange: redraw },
    Object.entries(QUERY_ORDERS).map(([value, [name]]) => h("option", { value }, name)),
  );
  const search = h("input", { type: "search", oninput: redraw });
  function redraw() {
    const [, , isWanted] = QUERY_FILTERS.find(([value]) => value === filter.value);
    const words = search.value.toLowerCase();
    chosen = rows.filter((row) => isWanted(row) && row.query.toLowerCase().includes(words));
    const [, compare] = QUERY_ORDERS[order.value];
    if (compare) chosen.sort(compare);
    fill(body);
    shown = 0;
    add();
  }
  function add() {
    body.append(...chosen.slice(shown, shown + MOST_QUERIES).map(queryRow));
    shown = Math.min(chosen.length, shown + MOST_QUERIES);
    more.hidden = shown >= chosen.length;
    said.textContent = `${count(chosen.length)} of ${count(rows.length)} queries`;
  }
  redraw();
  const heads = [
    "Query",
    "Should trigger",
    "Triggered",
    "Rate and 95 % interval",
    "Verdict",
    "Errors",
    "Taken by another",
  ];
  return [
    h(
      "div",
      { class: "query-tools" },
      h("label", {}, "Search ", search),
      h("label", {}, "Show ", filter),
      h("label", {}, "Order ", order),
    ),
    said,
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Queries" },
      h(
        "table",
        { class: "queries" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heads.map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        body,
      ),
    ),
    more,
  ];
}

function queryRow(row) {
  const errors =
    row.errors === null
      ? "not told"
      : Object.entries(row.errors)
          .map(([reason, n]) => `${reason}: ${n}`)
          .join(", ") || "none";
  const others = Object.entries(row.others)
    .map(([skill, n]) => `${skill}: ${n}`)
    .join(", ");
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("span", { class: "hostile" }, row.query),
      row.is_canary && h("span", { class: "muted small" }, " canary"),
      row.split && h("span", { class: "muted small" }, ` ${row.split}`),
    ),
    h("td", {}, row.should_trigger ? "yes" : "no"),
    h("td", {}, row.runs === null ? "not told" : `${count(row.triggers)} of ${count(row.runs)}`, triggerWays(row)),
    h("td", {}, rateBar(row.rate)),
    triggerVerdict(row.passes),
    h("td", { class: "hostile" }, errors),
    h("td", { class: "hostile" }, others),
  );
}

function triggerWays(row) {
  if (row.attempted === null) return null;
  return h("span", { class: "muted small" }, ` asked for ${count(row.attempted)}, read ${count(row.read)}`);
}

function triggerVerdict(passes) {
  if (passes === null) return h("td", { class: "muted" }, "unknown");
  return passes ? h("td", { class: "good" }, "✓ right") : h("td", { class: "bad" }, "✗ wrong");
}

function rateBar(share) {
  if (!share || share.estimate === null) return h("span", { class: "muted" }, "unknown");
  const bar = h("span", { class: "rate-bar", "aria-hidden": "true" });
  const place = (name, value) => bar.style.setProperty(name, `${100 * value}%`);
  place("--at", share.estimate);
  place("--low", share.low ?? share.estimate);
  place("--high", share.high ?? share.estimate);
  return [bar, `${percent(share.estimate)} ${intervalWords(share)}`];
}

function takenTable(taken) {
  const names = [...new Set(taken.flatMap((row) => Object.keys(row.others)))];
  if (names.length === 0) return null;
  const row = (each) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, each.should_trigger ? "should trigger" : "should not"),
      [each.runs, each.own, ...names.map((name) => each.others[name] ?? 0), each.errors].map((n) =>
        h("td", { class: "number" }, count(n)),
      ),
    );
  return [
    h("h2", {}, "Which skill was taken"),
    h("p", { class: "muted small" }, "Runs. One run may take several skills."),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Which skill was taken" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Queries that", "Runs with a result", "This skill", ...names, "Runs with an error"].map((name) =>
              h("th", { scope: "col", class: "hostile" }, name),
            ),
          ),
        ),
        h("tbody", {}, taken.map(row)),
      ),
    ),
  ];
}

function triedTable(tried) {
  if (tried.length === 0) return null;
  const part = ([passed, total]) =>
    h("td", { class: "number" }, passed === null || total === null ? "not told" : `${passed} of ${total}`);
  const row = (each) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h("span", { class: "hostile" }, each.version),
        each.is_best && h("strong", { class: "good" }, " ★ chosen"),
      ),
      h("td", { class: "hostile" }, each.description),
      part(each.train),
      part(each.test),
    );
  return [
    h("h2", {}, "Descriptions that were tried"),
    h("p", { class: "muted small" }, "Queries on the right side."),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Descriptions" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Try", "Description", "Train", "Test"].map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h("tbody", {}, tried.map(row)),
      ),
    ),
  ];
}
