// The files of a trial as a tree. Folders are built when they are opened, long ones in steps.

import { fill, h } from "./dom.js";
import { bytes, count } from "./figures.js";
import { visibleName } from "./names.js";

const TREE_STEP = 200;
const CHANGE_WORDS = { created: "new", modified: "changed", deleted: "deleted" };

/** A tree of entries; `choose(entry)` is called for a click. Returns {element, select(path)}. */
export function fileTree(entries, choose) {
  const root = { name: "", folders: new Map(), files: [] };
  for (const entry of entries) placeEntry(root, entry);
  const shown = new Map();
  const state = { choose, shown, openAll: entries.length <= TREE_STEP, selected: null };
  const element = h("ul", { class: "tree" });
  fillFolder(element, root, state);
  return { element, select: (path) => selectFile(root, path, state) };
}

function placeEntry(root, entry) {
  // The patch lies beside the files, not in a folder called "..".
  const parts = entry.path.startsWith("../") ? [entry.path] : entry.path.split("/");
  let folder = root;
  const upTo = entry.kind === "folder" ? parts.length : parts.length - 1;
  for (const name of parts.slice(0, upTo)) {
    if (!folder.folders.has(name)) folder.folders.set(name, { name, folders: new Map(), files: [] });
    folder = folder.folders.get(name);
  }
  if (entry.kind !== "folder") folder.files.push({ ...entry, name: parts.at(-1) });
}

function fillFolder(list, folder, state, from = 0) {
  const items = [...folder.folders.values(), ...folder.files];
  const next = Math.min(items.length, from + TREE_STEP);
  for (const item of items.slice(from, next)) list.append(item.folders ? folderRow(item, state) : fileRow(item, state));
  if (next === items.length) return;
  const more = h(
    "button",
    {
      class: "quiet",
      onclick: () => {
        row.remove();
        fillFolder(list, folder, state, next);
        list.children[next]?.querySelector("button, summary")?.focus();
      },
    },
    `Show ${count(Math.min(TREE_STEP, items.length - next))} more of ${count(items.length)}`,
  );
  const row = h("li", {}, more);
  list.append(row);
}

function folderRow(folder, state) {
  // Folders with nothing but a folder in them take one row.
  let last = folder;
  const names = [folder.name];
  while (last.files.length === 0 && last.folders.size === 1) {
    last = [...last.folders.values()][0];
    names.push(last.name);
  }
  const list = h("ul", {});
  const build = () => {
    if (details.open && list.childElementCount === 0) fillFolder(list, last, state);
  };
  const details = h(
    "details",
    { open: state.openAll, ontoggle: build },
    h("summary", { class: "hostile" }, shortPath(visibleName(names.join("/")))),
    list,
  );
  folder.open = () => {
    details.open = true;
    build();
  };
  build();
  if (last.files.length + last.folders.size === 0) list.append(h("li", { class: "muted small" }, "empty"));
  return h("li", {}, details);
}

function fileRow(file, state) {
  const word = file.kind === "file" ? CHANGE_WORDS[file.change] : file.kind;
  const button = h(
    "button",
    { class: "file", onclick: () => state.choose(file), title: file.note || false },
    h("span", { class: "hostile name" }, file.path === "../diff.patch" ? "diff.patch" : visibleName(file.name)),
    h(
      "span",
      { class: "muted small" },
      [word, file.size === null ? null : bytes(file.size)].filter(Boolean).join(" · "),
    ),
  );
  state.shown.set(file.path, button);
  if (file.path === state.selected) button.setAttribute("aria-current", "true");
  return h("li", {}, button);
}

function selectFile(root, path, state) {
  state.shown.get(state.selected)?.removeAttribute("aria-current");
  state.selected = path;
  let folder = root;
  for (const name of path.split("/").slice(0, -1)) {
    folder = folder.folders.get(name);
    if (!folder) break;
    folder.open?.();
  }
  state.shown.get(path)?.setAttribute("aria-current", "true");
}

function shortPath(name) {
  return name.length <= 120 ? name : `${name.slice(0, 60)}…${name.slice(-50)}`;
}

/** Put the words about what a list leaves out below it. */
export function treeNotes(element, { n, entries, complete, notes }, showMore) {
  const left = n - entries.length;
  fill(
    element,
    left > 0 && h("button", { onclick: showMore }, `Show more (${count(left)} left)`),
    !complete &&
      h(
        "p",
        { class: "small muted" },
        `There are more than ${count(n)} files: open the trial's folder to see the rest.`,
      ),
    notes.map((note) => h("p", { class: "small muted hostile" }, note)),
  );
}
