// Every assertion in every arm: how often it holds, and whether it tells the arms apart.

import { ask, refusal } from "./api.js";
import { fill, h } from "./dom.js";
import { sortedTable } from "./figuretables.js";
import { link } from "./links.js";

/** The part of the Benchmark page; asks for its rows by itself. */
export function assertionsPart(found, asked, context) {
  const place = h("div", {}, "…");
  ask("assertions", asked, context).then(
    (told) => fill(place, told.rows.length ? assertionMatrix(told, asked) : "There is no assertion."),
    (error) => context.signal.aborted || fill(place, refusal(error)),
  );
  return h("div", {}, found.assertion_words && h("p", {}, found.assertion_words), place);
}

function assertionMatrix(told, asked) {
  const words = [...new Set(told.rows.map((row) => row.word).filter(Boolean))];
  const rows = told.rows.map((row) => ({
    ...row,
    keys: [`${row.case} ${row.text}`, ...row.cells.map(([text]) => sortKey(text))],
  }));
  const cellsOf = (row) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row", class: "long" },
        h(
          "a",
          { href: link("case", { iteration: asked.iteration, case: row.case, assertion: row.assertion }) },
          h("span", { class: "hostile" }, row.case),
        ),
        ": ",
        h("span", { class: "hostile" }, row.text),
      ),
      row.cells.map(([text, tone]) => h("td", { class: tone !== "plain" && tone }, text)),
    );
  const table = sortedTable({
    label: "Assertions by arm",
    what: rows.length === 1 ? "assertion" : "assertions",
    columns: ["assertion", ...told.columns],
    rows,
    cellsOf,
  });
  const search = h("input", { type: "search", oninput: () => table.show(kept()) });
  const word = h(
    "select",
    { onchange: () => table.show(kept()) },
    h("option", { value: "" }, "all"),
    words.map((each) => h("option", {}, each)),
  );
  const kept = () => {
    const text = search.value.toLowerCase();
    return rows.filter(
      (row) => (!word.value || row.word === word.value) && `${row.case} ${row.text}`.toLowerCase().includes(text),
    );
  };
  return [
    h(
      "div",
      { class: "controls" },
      h("label", {}, "Find ", search),
      words.length > 1 && h("label", {}, "Tells apart ", word),
    ),
    table.element,
  ];
}

/** "2 of 3, 1 ungraded" sorts by its share. */
function sortKey(text) {
  const [, passed, graded] = /^(\d+) of (\d+)/.exec(text) ?? [];
  return graded ? `${String(Math.round((1000 * passed) / graded)).padStart(4, "0")}` : text;
}
