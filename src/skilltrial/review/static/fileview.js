// One file: what it is, the ways to look at it, and one of them.

import { announce } from "./announce.js";
import { ask, refusal } from "./api.js";
import { fill, h } from "./dom.js";
import { bytes, count } from "./figures.js";
import { jsonLines, jsonTree, parseJson } from "./jsonview.js";
import { markdownView } from "./markdownview.js";
import { hexView, imageView, pageFrame, pdfView, playerView } from "./mediaview.js";
import { markIn } from "./marking.js";
import { visibleName } from "./names.js";
import { hasServer, keyOf, rawAddress } from "./rawfile.js";
import { archiveTable, separatedTable, workbookTables } from "./tableview.js";
import { textView } from "./textview.js";

const VIEW_WORDS = {
  image: "picture",
  svg: "SVG picture",
  pdf: "PDF",
  audio: "sound",
  video: "film",
  html: "page",
  markdown: "Markdown",
  table: "table",
  json: "JSON",
  lines: "JSON lines",
  code: "source",
  text: "text",
  sheets: "workbook",
  docx: "Word document",
  pptx: "presentation",
  archive: "archive",
  binary: "bytes",
  empty: "empty",
};
// The ways to look at a view, the first one by default.
const WAYS = {
  image: ["Picture"],
  svg: ["Picture", "Source"],
  pdf: ["Pages", "Text"],
  audio: ["Player"],
  video: ["Player"],
  html: ["Page", "Source"],
  markdown: ["Formatted", "Source"],
  table: ["Table", "Source"],
  json: ["Tree", "Source"],
  lines: ["Tree", "Source"],
  code: ["Source"],
  text: ["Source"],
  sheets: ["Sheets"],
  docx: ["Text"],
  pptx: ["Text"],
  archive: ["Names"],
  binary: ["Bytes"],
};
const NEEDS_SERVER = new Set(["Picture", "Pages", "Player", "Page"]);
// The choice holds for the files that are opened next.
const lookedAt = { wrap: true, ways: {} };

/** A file's view: {element, find(quote)}, where `find` marks a quote and returns the mark or null. */
export async function fileView(trial, entry, context, open) {
  const path = entry.path;
  if (entry.kind !== "file") return plainView(entry, entry.note || `This is a ${entry.kind}; it is not opened.`);
  const answer = await ask("file", keyOf(trial, { path }), { signal: context.signal });
  if (answer.gap) return plainView(entry, answer.gap);
  if (answer.view === "empty") return plainView(entry, "The file is empty.");
  const state = { trial, answer, context, open, body: h("div", { class: "body" }), source: null, buttons: new Map() };
  const element = h("section", { class: "file-view", "aria-label": `File ${path}` }, fileHead(state), state.body);
  await showWay(state, startingWay(answer));
  return { element, find: (quote) => findQuote(state, quote) };
}

function plainView({ path }, words) {
  const title = h("p", { class: "file-title" }, h("strong", { class: "hostile" }, fileName(path)));
  return {
    element: h(
      "section",
      { class: "file-view", "aria-label": `File ${path}` },
      title,
      h("p", { class: "notice hostile" }, words),
    ),
    find: async () => null,
  };
}

function fileName(path) {
  return path === "../diff.patch" ? "diff.patch" : visibleName(path);
}

function waysOf(answer) {
  if (answer.heavy) return ["Source"];
  const ways = (WAYS[answer.view] ?? ["Source"]).filter(
    (way) => hasServer() || answer.picture || !NEEDS_SERVER.has(way),
  );
  return ways.length ? ways : ["Bytes"];
}

function startingWay(answer) {
  const ways = waysOf(answer);
  const before = lookedAt.ways[answer.view];
  return ways.includes(before) ? before : ways[0];
}

function fileHead(state) {
  const { trial, answer } = state;
  const words = [VIEW_WORDS[answer.view], bytes(answer.size)].join(" · ");
  const ways = waysOf(answer);
  for (const way of ways) {
    const choose = () => {
      lookedAt.ways[answer.view] = way;
      showWay(state, way);
    };
    state.buttons.set(way, h("button", { onclick: choose, "aria-pressed": "false" }, way));
  }
  const wrap = h("button", { onclick: () => setWrap(!lookedAt.wrap), "aria-pressed": String(lookedAt.wrap) }, "Wrap");
  const setWrap = (value) => {
    lookedAt.wrap = value;
    wrap.setAttribute("aria-pressed", String(value));
    state.body.classList.toggle("unwrapped", !value);
  };
  setWrap(lookedAt.wrap);
  return h(
    "div",
    { class: "file-head" },
    h(
      "p",
      { class: "file-title" },
      h("strong", { class: "hostile" }, fileName(answer.path)),
      " ",
      h("span", { class: "muted small" }, words),
    ),
    h(
      "div",
      { class: "choices" },
      ways.length > 1 && h("span", { role: "group", "aria-label": "Ways to look at it" }, [...state.buttons.values()]),
      answer.piece && wrap,
      answer.piece && h("button", { onclick: () => copyText(state) }, "Copy"),
      hasServer() &&
        h("a", { class: "button", href: rawAddress(trial, answer.path, { download: true }), download: "" }, "Download"),
    ),
    answer.note && h("p", { class: "warning small hostile" }, answer.note),
  );
}

async function copyText(state) {
  const text = state.source ? state.source.text() : state.answer.piece.text;
  try {
    await navigator.clipboard.writeText(text);
    announce(state.answer.piece.ends ? "Copied." : "Copied what is shown: the file is longer.");
  } catch {
    announce("The browser does not allow copying.");
  }
}

async function showWay(state, way) {
  state.way = way;
  for (const [name, button] of state.buttons) button.setAttribute("aria-pressed", String(name === way));
  let view = null;
  state.body.setAttribute("aria-busy", "true");
  try {
    view = await wayView(state, way);
  } catch (error) {
    if (error.name === "AbortError") return;
    view = refusal(error);
  }
  if (state.way !== way) return;
  fill(state.body, view);
  state.body.removeAttribute("aria-busy");
}

async function wayView(state, way) {
  const { trial, answer, context } = state;
  if (way === "Source") {
    const colours = !["text", "lines", "table"].includes(answer.view);
    state.source ??= textView(trial, answer, context, { colours });
    return state.source.element;
  }
  if (way === "Picture") return imageView(trial, answer.path, answer.picture);
  if (way === "Pages") return pdfView(trial, answer.path);
  if (way === "Page") return pageFrame(trial, answer.path);
  if (way === "Player") return playerView(trial, answer.path, answer.view);
  if (way === "Bytes")
    return answer.head
      ? hexView(answer.path, answer.head)
      : h("p", { class: "notice" }, "Open the trial's folder to see this file.");
  if (way === "Tree") return treeView(state);
  return renderedView(state);
}

function treeView({ answer }) {
  const { piece, view } = answer;
  if (view === "lines") {
    const whole = piece.ends ? piece.text : piece.text.slice(0, piece.text.lastIndexOf("\n") + 1);
    return [
      jsonLines(whole),
      !piece.ends && h("p", { class: "muted small" }, "The file is longer; its source shows more."),
    ];
  }
  if (!piece.ends)
    return h("p", { class: "notice" }, "The file is too large for a tree. Look at its source, or download it.");
  try {
    return jsonTree(parseJson(piece.text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return h("p", { class: "notice" }, `${error.message} Look at its source.`);
  }
}

async function renderedView(state, most = null) {
  const { trial, answer, context, open } = state;
  const found = await ask("rendition", keyOf(trial, { path: answer.path, most }), { signal: context.signal });
  if (found.gap) return gapView(state, found.gap);
  if (found.tree) {
    return [
      markdownView(trial, answer.path, found.tree, open),
      found.more && h("p", { class: "muted small" }, "The file is longer; its source shows more."),
    ];
  }
  if (found.header) {
    const more = async () => fill(state.body, await renderedView(state, (most ?? 500) * 4));
    return separatedTable(answer.path, found, (most ?? 0) < 20000 ? more : null);
  }
  if (found.sheets) return workbookTables(answer.path, found);
  if (found.names) return archiveTable(answer.path, found);
  return documentView(answer, found);
}

function gapView({ answer }, words) {
  return [h("p", { class: "notice hostile" }, words), answer.head && hexView(answer.path, answer.head)];
}

function documentView({ path, view }, { text, pages }) {
  const what = view === "pptx" ? "slide" : "page";
  const counted = pages === null ? "" : `${count(pages)} ${what}${pages === 1 ? "" : "s"}. `;
  const words = `${counted}Only the words are shown, not how it looks.`;
  const most = 200000;
  const inner = text.trim()
    ? h("pre", { class: "hostile document" }, text.slice(0, most))
    : h("p", { class: "muted" }, "There is no text in it.");
  return [
    h(
      "p",
      { class: "muted small" },
      words,
      text.length > most && " The text is longer than what is shown: download the file.",
    ),
    h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": `Text of ${path}` }, inner),
  ];
}

async function findQuote(state, quote) {
  if (!quote) return null;
  // What is formatted may not have the quote's characters next to each other; the source has.
  const tries = ["Formatted", "Table", "Sheets", "Names", "Text", "Source"].filter(
    (way) => state.buttons.has(way) || state.way === way,
  );
  if (tries.includes(state.way)) tries.unshift(state.way);
  for (const way of tries) {
    if (state.way !== way) await showWay(state, way);
    const mark = way === "Source" && state.source ? await state.source.find(quote) : markIn(state.body, quote);
    if (mark) return mark;
  }
  return null;
}
