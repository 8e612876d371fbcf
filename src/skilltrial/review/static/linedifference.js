// Two texts line by line: one under the other, or side by side. Equal parts are folded.

import { fill, h } from "./dom.js";
import { count } from "./figures.js";

const CONTEXT_LINES = 3;
const ROWS_STEP = 400;
const differenceLook = { sideBySide: false };

/** The difference of two texts, of the blocks that `difference` answers. */
export function lineDifference(path, blocks) {
  if (blocks.every((block) => block.same))
    return h(
      "p",
      { class: "muted" },
      "The lines are the same. If the files differ, they do in their line ends or their encoding.",
    );
  const place = h("div");
  const choose = (sideBySide) => {
    differenceLook.sideBySide = sideBySide;
    under.setAttribute("aria-pressed", String(!sideBySide));
    beside.setAttribute("aria-pressed", String(sideBySide));
    fill(place, differenceTable(path, blocks, sideBySide));
  };
  const under = h("button", { onclick: () => choose(false) }, "Unified");
  const beside = h("button", { onclick: () => choose(true) }, "Side by side");
  choose(differenceLook.sideBySide);
  const [removed, added] = ["left", "right"].map((side) =>
    blocks.reduce((sum, block) => sum + (block[side]?.length ?? 0), 0),
  );
  const words = h(
    "span",
    { class: "muted small" },
    `${count(removed)} lines only left (−), ${count(added)} only right (+)`,
  );
  return h(
    "div",
    {},
    h("div", { class: "choices" }, h("span", { role: "group", "aria-label": "Arrangement" }, under, beside), words),
    place,
  );
}

function differenceTable(path, blocks, sideBySide) {
  const rows = differenceRows(blocks, sideBySide);
  const body = h("tbody");
  const foot = h("div", { class: "foot" });
  let built = 0;
  const build = () => {
    for (const row of rows.slice(built, built + ROWS_STEP)) body.append(differenceLine(row, sideBySide));
    built = Math.min(rows.length, built + ROWS_STEP);
    fill(
      foot,
      built < rows.length && h("button", { onclick: build }, `Show more (${count(rows.length - built)} rows left)`),
    );
  };
  build();
  const names = sideBySide
    ? ["Line left", "Left", "Line right", "Right"]
    : ["Line left", "Line right", "Which", "Text"];
  const widths = sideBySide ? ["narrow", "", "narrow", ""] : ["narrow", "narrow", "sign", ""];
  const columns = h(
    "colgroup",
    {},
    widths.map((width) => h("col", { class: width })),
  );
  const head = h(
    "thead",
    { class: "unseen" },
    h(
      "tr",
      {},
      names.map((name) => h("th", { scope: "col" }, name)),
    ),
  );
  const table = h(
    "table",
    { class: `difference ${sideBySide ? "beside" : "under"}` },
    h("caption", { class: "unseen" }, `Difference of ${path}`),
    columns,
    head,
    body,
  );
  return h(
    "div",
    {},
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Lines of ${path}` }, table),
    foot,
  );
}

// Rows are {fold: rows} or {old, new}, each [number, pieces] or null.
function differenceRows(blocks, sideBySide) {
  const rows = [];
  let [left, right] = [1, 1];
  blocks.forEach((block, at) => {
    if (block.same) {
      const same = block.same.map((line, place) => ({
        old: [left + place, [[0, line]]],
        new: [right + place, [[0, line]]],
        same: true,
      }));
      rows.push(...foldedRows(same, at === 0, at === blocks.length - 1));
      left += same.length;
      right += same.length;
      return;
    }
    const olds = block.left.map((pieces, place) => [left + place, pieces]);
    const news = block.right.map((pieces, place) => [right + place, pieces]);
    left += olds.length;
    right += news.length;
    if (sideBySide) {
      for (let row = 0; row < Math.max(olds.length, news.length); row += 1)
        rows.push({ old: olds[row] ?? null, new: news[row] ?? null });
    } else {
      rows.push(...olds.map((old) => ({ old, new: null })), ...news.map((each) => ({ old: null, new: each })));
    }
  });
  return rows;
}

function foldedRows(rows, isFirst, isLast) {
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  if (rows.length <= head + tail + 2) return rows;
  const end = rows.length - tail;
  return [...rows.slice(0, head), { fold: rows.slice(head, end) }, ...rows.slice(end)];
}

function differenceLine(row, sideBySide) {
  if (row.fold) return foldRow(row.fold, sideBySide);
  const kind = row.same ? false : row.old && row.new ? "changed" : row.old ? "removed" : "added";
  if (sideBySide)
    return h("tr", {}, sideCells(row.old, row.same ? "" : "removed"), sideCells(row.new, row.same ? "" : "added"));
  const [, pieces] = row.new ?? row.old;
  const sign = kind === "removed" ? "−" : kind === "added" ? "+" : "";
  return h(
    "tr",
    { class: kind },
    lineNumber(row.old),
    lineNumber(row.new),
    h("td", { class: "sign" }, sign),
    h("td", { class: "hostile" }, markedWords(pieces, kind)),
  );
}

function sideCells(side, kind) {
  if (!side) return [h("td", { class: "line-number" }), h("td", { class: "nothing" })];
  const sign = kind === "removed" ? "−" : kind === "added" ? "+" : "";
  return [lineNumber(side), h("td", { class: `hostile ${kind}`, "data-sign": sign }, markedWords(side[1], kind))];
}

function lineNumber(side) {
  return h("td", { class: "line-number", "data-n": side ? side[0] : "" });
}

function markedWords(pieces, kind) {
  const tag = kind === "removed" ? "del" : kind === "added" ? "ins" : null;
  return pieces.map(([differs, text]) => (differs && tag ? h(tag, {}, text) : text));
}

function foldRow(rows, sideBySide) {
  let hidden = rows;
  const open = () => {
    const next = hidden.slice(0, ROWS_STEP);
    hidden = hidden.slice(ROWS_STEP);
    line.before(...next.map((row) => differenceLine(row, sideBySide)));
    if (hidden.length) button.textContent = words();
    else line.remove();
  };
  const words = () => `Show ${count(Math.min(ROWS_STEP, hidden.length))} of ${count(hidden.length)} equal lines`;
  const button = h("button", { class: "quiet", onclick: open }, words());
  const line = h("tr", { class: "fold" }, h("td", { colspan: "4" }, button));
  return line;
}
