// Rows and columns: separated values, workbooks, names in archives. Rows are built in steps.

import { fill, h } from "./dom.js";
import { bytes, count } from "./figures.js";

const TABLE_STEP = 200;

/** A table: `header` (texts), `rows` ([label, cells]), `numbers` (places of columns to align right), `caption`. */
export function rowsTable({ header, rows, numbers, caption, note = "", more = null }) {
  const right = new Set(numbers);
  const width = Math.max(header.length, ...rows.map(([, cells]) => cells.length));
  const places = Array.from({ length: width }, (_, place) => place);
  const body = h("tbody");
  const foot = h("div", { class: "foot" });
  let built = 0;
  const build = () => {
    for (const [label, cells] of rows.slice(built, built + TABLE_STEP)) {
      body.append(
        h(
          "tr",
          {},
          h("th", { scope: "row" }, label),
          places.map((place) =>
            h("td", { class: `hostile ${right.has(place) ? "number" : ""}` }, cellText(cells[place])),
          ),
        ),
      );
    }
    built = Math.min(rows.length, built + TABLE_STEP);
    fill(
      foot,
      h(
        "span",
        { class: "muted small" },
        built < rows.length ? `${count(built)} of ${count(rows.length)} rows. ` : "",
        note,
      ),
      built < rows.length
        ? h("button", { onclick: build }, "Show more rows")
        : more && h("button", { onclick: more }, "Read more rows"),
    );
  };
  build();
  const head = h(
    "thead",
    {},
    h(
      "tr",
      {},
      h("td", { class: "corner" }),
      places.map((place) =>
        h("th", { scope: "col", class: `hostile ${right.has(place) ? "number" : ""}` }, header[place] ?? ""),
      ),
    ),
  );
  const table = h("table", { class: "cells" }, h("caption", { class: "unseen" }, caption), head, body);
  return h(
    "div",
    {},
    h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": caption }, table),
    foot,
  );
}

function cellText(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return h("span", { class: "muted" }, `${value.formula} (not computed)`);
  return String(value);
}

/** Separated values, of an answer to `rendition`. */
export function separatedTable(path, found, more) {
  if (found.rows.length === 0 && found.header.length === 0) return h("p", { class: "muted" }, "There is no row in it.");
  const note = found.more ? "There are more rows in the file." : `${count(found.rows.length)} rows in all.`;
  const rows = found.rows.map((cells, place) => [place + 1, cells]);
  return rowsTable({
    header: found.header,
    rows,
    numbers: found.numbers,
    caption: `Table of ${path}`,
    note,
    more: found.more && more,
  });
}

/** A workbook: a button for each sheet, and the rows of one. */
export function workbookTables(path, { sheets, n }) {
  const place = h("div");
  const buttons = sheets.map((sheet) => h("button", { class: "hostile", onclick: () => show(sheet) }, sheet.name));
  const show = (sheet) => {
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(sheets[at] === sheet)));
    fill(place, sheetTable(path, sheet));
  };
  if (sheets.length) show(sheets[0]);
  const left = n - sheets.length;
  return h(
    "div",
    {},
    h("div", { class: "choices", role: "group", "aria-label": "Sheets" }, buttons),
    left > 0 && h("p", { class: "muted small" }, `${count(left)} more sheets are not shown: download the file.`),
    place,
  );
}

function sheetTable(path, sheet) {
  if (sheet.rows.length === 0) return h("p", { class: "muted" }, "The sheet is empty.");
  const width = Math.max(...sheet.rows.map(([, cells]) => cells.length));
  const header = Array.from({ length: width }, (_, place) => columnName(place));
  const isNumber = (value) => value === null || value === undefined || typeof value === "number";
  const numbers = header
    .map((_, place) => place)
    .filter((place) => {
      const cells = sheet.rows.slice(1).map(([, row]) => row[place]);
      return cells.some((value) => typeof value === "number") && cells.every(isNumber);
    });
  const left = sheet.n_rows - sheet.rows.length;
  const least = sheet.counted ? "" : "more than ";
  const words =
    left > 0
      ? `${count(sheet.rows.length)} of ${least}${count(sheet.n_rows)} rows were read, the last one among them.`
      : "";
  const cut = sheet.n_columns > width ? ` ${count(width)} of ${count(sheet.n_columns)} columns are shown.` : "";
  return rowsTable({ header, rows: sheet.rows, numbers, caption: `Sheet ${sheet.name} of ${path}`, note: words + cut });
}

function columnName(place) {
  const rest = Math.floor(place / 26);
  return (rest ? columnName(rest - 1) : "") + String.fromCharCode(65 + (place % 26));
}

/** Names in an archive. */
export function archiveTable(path, { names, more }) {
  const rows = names.map(([name, size], place) => [place + 1, [name, bytes(size)]]);
  const note = more ? "There are more files in it, or what follows is too far away to look for." : "";
  return rowsTable({ header: ["Name", "Size"], rows, numbers: [1], caption: `Files in ${path}`, note });
}
