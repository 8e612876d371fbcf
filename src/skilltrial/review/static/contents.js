// What a trial left: its files, one of them shown; and how two trials' files differ.

import { announce } from "./announce.js";
import { ask, refusal } from "./api.js";
import { fill, h } from "./dom.js";
import { count } from "./figures.js";
import { differencePanel } from "./filedifference.js";
import { fileTree, treeNotes } from "./filetree.js";
import { fileView } from "./fileview.js";
import { showMark } from "./marking.js";
import { keyOf } from "./rawfile.js";

// The file that was looked at last, by case, and the views that follow it: both arms show the same file.
const followed = new Map();

/** The files of a trial: {element, reveal(path, quote)}; `reveal` shows a file, marks the quote, and moves the focus there. */
export function outputsView(trial, context) {
  const state = { trial, context, tree: null, entries: [], shown: null, view: null, most: null };
  state.list = h("div", { class: "file-list" });
  state.place = h("div", { class: "file-place" });
  const element = h("div", { class: "outputs" }, h("div", { class: "outputs-columns" }, state.list, state.place));
  state.ready = loadFiles(state);
  followCase(state);
  return { element, reveal: (path, quote = "") => revealIn(state, path, quote) };
}

/** How the files of two trials differ: {element}. */
export function differenceView(left, right, context) {
  return differencePanel(left, right, context);
}

function caseKey({ iteration, case: id }) {
  return JSON.stringify([iteration, id]);
}

function followCase(state) {
  const key = caseKey(state.trial);
  if (!followed.has(key)) followed.set(key, { path: null, views: new Set() });
  followed.get(key).views.add(state);
  state.context.signal?.addEventListener("abort", () => followed.get(key).views.delete(state));
}

async function loadFiles(state) {
  try {
    const answer = await ask("files", keyOf(state.trial, { most: state.most }), { signal: state.context.signal });
    drawTree(state, answer);
    const before = followed.get(caseKey(state.trial)).path;
    const first = state.entries.find((entry) => entry.path === before) ?? firstFile(state.entries);
    if (first) await showFile(state, first);
    else fill(state.place, h("p", { class: "muted" }, "The trial left no files."));
  } catch (error) {
    if (error.name !== "AbortError") fill(state.place, refusal(error));
  }
}

function drawTree(state, answer) {
  state.entries = answer.entries;
  state.tree = fileTree(answer.entries, (entry) => chooseFile(state, entry));
  const notes = h("div");
  treeNotes(notes, answer, () => {
    state.most = answer.entries.length + answer.step;
    state.ready = loadFiles(state);
  });
  const files = answer.entries.filter((entry) => entry.kind !== "folder").length;
  const words = files === 1 ? "1 file" : `${count(files)} files`;
  const wasClosed = state.list.querySelector("details")?.open === false;
  if (answer.n === 0) fill(state.list, notes);
  else
    fill(
      state.list,
      h(
        "details",
        { open: !wasClosed },
        h("summary", {}, words),
        h("div", { role: "navigation", "aria-label": "Files" }, state.tree.element),
        notes,
      ),
    );
}

function firstFile(entries) {
  const files = entries.filter((entry) => entry.kind === "file");
  return (
    files.find((entry) => entry.path !== "../diff.patch") ??
    files[0] ??
    entries.find((entry) => entry.kind !== "folder")
  );
}

async function chooseFile(state, entry) {
  const shared = followed.get(caseKey(state.trial));
  shared.path = entry.path;
  const others = [...shared.views].filter((each) => each !== state && each.shown !== entry.path);
  await showFile(state, entry);
  for (const other of others) {
    const same = other.entries.find((each) => each.path === entry.path);
    if (same) showFile(other, same);
  }
}

async function showFile(state, entry) {
  state.shown = entry.path;
  state.tree.select(entry.path);
  state.place.setAttribute("aria-busy", "true");
  try {
    const view = await fileView(state.trial, entry, state.context, (path) => revealIn(state, path, ""));
    if (state.shown !== entry.path) return;
    state.view = view;
    fill(state.place, view.element);
  } catch (error) {
    if (error.name === "AbortError") return;
    state.view = null;
    fill(state.place, refusal(error));
  }
  state.place.removeAttribute("aria-busy");
}

async function revealIn(state, path, quote) {
  await state.ready;
  const wanted = path === "diff.patch" && !state.entries.some((entry) => entry.path === path) ? "../diff.patch" : path;
  const entry = state.entries.find((each) => each.path === wanted);
  if (!entry) {
    announce(`There is no file ${path} here.`);
    return false;
  }
  if (state.shown !== wanted || !state.view) await chooseFile(state, entry);
  const mark = quote && state.view ? await state.view.find(quote) : null;
  if (mark) {
    showMark(mark);
    return true;
  }
  if (quote) announce("The quote was not found in what is shown of the file.");
  state.place.setAttribute("tabindex", "-1");
  state.place.scrollIntoView({ block: "nearest" });
  state.place.focus({ preventScroll: true });
  return !quote;
}
