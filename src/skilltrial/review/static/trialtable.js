// All trials of an iteration as one table, asked for when it is opened.

import { ask, refusal } from "./api.js";
import { fill, h } from "./dom.js";
import { sortedTable } from "./figuretables.js";
import { link } from "./links.js";

/** The part of the Benchmark page. */
export function trialsPart(asked, context) {
  const place = h("div", {});
  const open = async () => {
    if (!details.open || place.hasChildNodes()) return;
    fill(place, h("p", { class: "muted" }, "…"));
    try {
      fill(place, trialTable(await ask("trials", asked, context), asked));
    } catch (error) {
      if (!context.signal.aborted) fill(place, refusal(error));
    }
  };
  const details = h("details", { ontoggle: open }, h("summary", {}, "All trials as a table"), place);
  return details;
}

function trialTable(told, asked) {
  if (!told.rows)
    return h(
      "p",
      {},
      `There are ${told.n_trials.toLocaleString("en")} trials: too many for this table. The download trials.csv ` +
        `has them all, and the page Cases shows them by case.`,
    );
  const rows = told.rows.map((row) => ({ ...row, keys: [row.case, row.arm, row.repeat, row.cells[0], ...row.sort] }));
  const arms = [...new Set(rows.map((row) => row.arm))];
  const cellsOf = (row) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h(
          "a",
          { href: link("case", { iteration: asked.iteration, case: row.case, repeat: row.repeat }), class: "hostile" },
          row.case,
        ),
      ),
      h("td", {}, row.arm),
      h("td", { class: "number" }, row.repeat),
      row.cells.map((text, number) => h("td", { class: number > 0 && "number" }, text)),
    );
  const table = sortedTable({
    label: "Trials",
    what: rows.length === 1 ? "trial" : "trials",
    columns: told.columns,
    rows,
    cellsOf,
  });
  const search = h("input", { type: "search", oninput: () => table.show(kept()) });
  const arm = h(
    "select",
    { onchange: () => table.show(kept()) },
    h("option", { value: "" }, "all"),
    arms.map((each) => h("option", { value: each }, each)),
  );
  const kept = () =>
    rows.filter(
      (row) =>
        (!arm.value || row.arm === arm.value) &&
        `${row.case} ${row.cells[0]}`.toLowerCase().includes(search.value.toLowerCase()),
    );
  return [h("div", { class: "controls" }, h("label", {}, "Find ", search), h("label", {}, "Arm ", arm)), table.element];
}
