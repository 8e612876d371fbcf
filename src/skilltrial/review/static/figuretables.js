// Tables of figures: of the reports as they come, and long ones a page at a time, so that a thousand rows are never built at once.

import { fill, h } from "./dom.js";

const ROWS = 50;

/** A table of the reports: {columns, rows, total} with cells [text, tone]. */
export function figuresTable(table, label) {
  const head = h(
    "tr",
    {},
    table.columns.map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {}))),
  );
  const body = table.rows.map((cells) => figuresRow(cells));
  const total = table.total && h("tfoot", {}, figuresRow(table.total, "total"));
  return tableBox(
    label,
    h(
      "table",
      { class: "figures" },
      table.caption && h("caption", {}, table.caption),
      h("thead", {}, head),
      h("tbody", {}, body),
      total,
    ),
  );
}

/** A box in which a wide table scrolls. */
export function tableBox(label, table) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

function figuresRow(cells, kind = false) {
  return h(
    "tr",
    { class: kind },
    cells.map(([text, tone], number) => figuresCell(text, tone, number === 0)),
  );
}

function figuresCell(text, tone, first) {
  return h(first ? "th" : "td", { scope: first && "row", class: tone !== "plain" && tone }, text);
}

/** Rows a page at a time. `build(rows)` fills `body` with those that are shown; returns {element, show(rows)}. */
export function pagedRows({ what, build, size = ROWS }) {
  const body = h("div", {});
  const told = h("span", { role: "status" });
  const back = h("button", { onclick: () => turn(-size) }, "Previous");
  const on = h("button", { onclick: () => turn(size) }, "Next");
  const bar = h("div", { class: "pages" }, told, back, on);
  let [all, start] = [[], 0];
  const draw = () => {
    const end = Math.min(start + size, all.length);
    fill(body, build(all.slice(start, end)));
    const range = all.length > size ? `${(start + 1).toLocaleString("en")}–${end.toLocaleString("en")} of ` : "";
    told.textContent = `${range}${all.length.toLocaleString("en")} ${what}`;
    back.disabled = start === 0;
    on.disabled = end >= all.length;
    back.hidden = on.hidden = all.length <= size;
  };
  const turn = (by) => {
    start = Math.max(0, Math.min(start + by, all.length - 1));
    draw();
  };
  const show = (rows) => {
    [all, start] = [rows, 0];
    draw();
  };
  return { element: h("div", {}, bar, body), show };
}

/** Rows in an order that people choose at the heads of columns: {columns, rows: [{cells, keys}], first}. */
export function sortedTable({ label, what, columns, rows, cellsOf }) {
  let [by, down] = [-1, false];
  let shown = rows;
  const paged = pagedRows({
    what,
    build: (part) => tableBox(label, h("table", { class: "figures" }, head(), h("tbody", {}, part.map(cellsOf)))),
  });
  const sort = (number) => {
    [by, down] = [number, by === number ? !down : false];
    paged.show(inOrder(shown, by, down));
    paged.element.querySelectorAll("thead button")[number]?.focus();
  };
  const head = () =>
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        columns.map((name, number) =>
          h(
            "th",
            { scope: "col", "aria-sort": by === number && (down ? "descending" : "ascending") },
            h("button", { onclick: () => sort(number) }, name, by === number ? (down ? " ↓" : " ↑") : ""),
          ),
        ),
      ),
    );
  const show = (some) => {
    shown = some;
    paged.show(by < 0 ? some : inOrder(some, by, down));
  };
  show(rows);
  return { element: paged.element, show };
}

/** Unknown stands last in either direction. */
function inOrder(rows, by, down) {
  return [...rows].sort((one, other) => {
    const [a, b] = [one.keys[by], other.keys[by]];
    if (a === null || b === null) return (a === null) - (b === null);
    const order = typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
    return down ? -order : order;
  });
}
