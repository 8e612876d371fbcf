// A text with numbered lines, in pieces, coloured once the colours are there.

import { ask, refusal } from "./api.js";
import { append, h } from "./dom.js";
import { bytes } from "./figures.js";
import { markIn } from "./marking.js";
import { keyOf } from "./rawfile.js";

const BLOCK_LINES = 200;
/** The height of a line, as contents.css has it: what is not in view takes the place that it will need. */
const LINE_REM = 0.8125 * 1.5;
const MARK_PIECES = 24;

/** A file's text: {element, text(), find(quote)}; `first` is the answer to `file`. */
export function textView(trial, first, context, { colours = true } = {}) {
  const box = h("div", {
    class: "source scroll",
    tabindex: "0",
    role: "region",
    "aria-label": `Text of ${first.path}`,
  });
  const foot = h("div", { class: "foot" });
  const state = {
    trial,
    path: first.path,
    size: first.size,
    context,
    box,
    foot,
    lines: 0,
    piece: null,
    text: [],
    quote: "",
  };
  addPiece(state, first.piece);
  if (colours) colourLines(state);
  return {
    element: h("div", {}, box, foot),
    text: () => state.text.join(""),
    find: (quote) => findIn(state, quote),
  };
}

function addPiece(state, piece) {
  // A line that a cap cut goes on where it ended.
  const lines = linesOf(piece.text);
  if (state.openLine) {
    state.openLine.append(lines.shift() ?? "");
    if (lines.length) state.openLine = null;
  }
  if (piece.ends && lines.at(-1) === "" && lines.length > 1) lines.pop();
  const isCut = !piece.ends && !/[\n\r]$/.test(piece.text);
  if (!piece.ends && !isCut && lines.at(-1) === "") lines.pop();
  for (let at = 0; at < lines.length; at += BLOCK_LINES) {
    const block = h("div", { class: "block" });
    for (const line of lines.slice(at, at + BLOCK_LINES)) {
      state.lines += 1;
      block.append(h("span", { class: "line", "data-n": state.lines }, line || "\n"));
    }
    block.style.containIntrinsicBlockSize = `auto ${block.childElementCount * LINE_REM}rem`;
    state.box.append(block);
  }
  if (isCut && lines.length) state.openLine = state.box.lastElementChild.lastElementChild;
  state.text.push(piece.text);
  state.piece = piece;
  drawFoot(state);
}

function linesOf(text) {
  return text.split(/\r\n|\r|\n/);
}

function drawFoot(state) {
  const { piece, size } = state;
  const said = [
    piece.guessed && "It is no UTF-8; read as Windows-1252, which is a guess.",
    piece.replaced && `Bytes that are no ${piece.encoding} are shown as \uFFFD.`,
    !piece.guessed && piece.encoding !== "utf-8" && `Read as ${piece.encoding}.`,
    !piece.ends && `Shown: ${bytes(piece.to)} of ${bytes(size)}.`,
  ].filter(Boolean);
  state.foot.replaceChildren();
  append(state.foot, [
    said.length > 0 && h("span", { class: "muted small" }, said.join(" ")),
    !piece.ends && h("button", { onclick: () => showNext(state) }, "Show more"),
  ]);
}

async function showNext(state) {
  const query = keyOf(state.trial, { path: state.path, from: state.piece.to });
  try {
    const answer = await ask("file", query, { signal: state.context.signal });
    if (!answer.piece) throw new Error(answer.gap ?? "The file is no text any more.");
    addPiece(state, answer.piece);
    return true;
  } catch (error) {
    if (error.name !== "AbortError") state.foot.append(refusal(error));
    return false;
  }
}

async function findIn(state, quote) {
  state.quote = quote;
  for (let tries = 0; tries < MARK_PIECES; tries += 1) {
    const mark = markIn(state.box, quote);
    if (mark || state.piece.ends || !(await showNext(state))) return mark;
  }
  return null;
}

async function colourLines(state) {
  let tokens = [];
  try {
    const query = keyOf(state.trial, { path: state.path, as: "source" });
    tokens = (await ask("rendition", query, { signal: state.context.signal })).tokens ?? [];
  } catch {
    return; // without colours it is the same text
  }
  const lines = state.box.querySelectorAll(".line");
  let at = 0;
  let parts = [];
  const put = () => {
    const line = lines[at];
    at += 1;
    if (!line || line === state.openLine || line.querySelector("mark")) return;
    if (parts.map(([, text]) => text).join("") !== line.textContent) return;
    line.replaceChildren(
      ...parts.map(([group, text]) => (group ? h("span", { class: `token-${group}` }, text) : text)),
    );
  };
  for (const [group, text] of tokens) {
    const pieces = text.split("\n");
    pieces.forEach((piece, index) => {
      if (index > 0) {
        put();
        parts = [];
      }
      if (piece) parts.push([group, piece]);
    });
  }
  put();
}
