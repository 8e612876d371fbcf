// How two trials' files differ: which, and one of them in detail.

import { ask, refusal } from "./api.js";
import { fill, h } from "./dom.js";
import { bytes, count } from "./figures.js";
import { imageDifference } from "./imagedifference.js";
import { lineDifference } from "./linedifference.js";
import { visibleName } from "./names.js";
import { hasServer, keyOf } from "./rawfile.js";

const DIFFERENCE_ORDER = ["changed", "unknown", "added", "removed", "same"];
const DIFFERENCE_WORDS = {
  changed: "changed",
  added: "only right",
  removed: "only left",
  same: "the same",
  unknown: "not compared",
};
const DIFFERENCE_STEP = 200;

/** The panel of two trials: {element}. */
export function differencePanel(left, right, context) {
  const state = {
    left,
    right,
    context,
    shown: null,
    place: h("div", { class: "file-place" }),
    list: h("div", { class: "file-list" }),
  };
  const element = h("div", { class: "outputs" }, h("div", { class: "outputs-columns" }, state.list, state.place));
  loadDifferences(state);
  return { element };
}

function pairQuery({ left, right }, more = {}) {
  const { iteration, case: id, arm, repeat } = right;
  return keyOf(left, { to_iteration: iteration, to_case: id, to_arm: arm, to_repeat: repeat, ...more });
}

async function loadDifferences(state) {
  try {
    const { entries, n_more: nMore } = await ask("difference", pairQuery(state), { signal: state.context.signal });
    const order = (entry) => DIFFERENCE_ORDER.indexOf(entry.change);
    const sorted = [...entries].sort((one, other) => order(one) - order(other));
    // The patch says again what the files say.
    const first = sorted.find(({ path, change }) => path !== "../diff.patch" && change !== "same") ?? sorted[0];
    drawList(state, sorted, nMore);
    if (sorted.length === 0) fill(state.place, h("p", { class: "muted" }, "Neither trial left a file."));
    else if (sorted[0].change === "same")
      fill(state.place, h("p", { class: "muted" }, "Both trials left the same files, byte for byte."));
    else await showDifference(state, first);
  } catch (error) {
    if (error.name !== "AbortError") fill(state.place, refusal(error));
  }
}

function drawList(state, entries, nMore) {
  const list = h("ul", { class: "tree" });
  state.rows = new Map();
  const build = (from) => {
    const next = Math.min(entries.length, from + DIFFERENCE_STEP);
    for (const entry of entries.slice(from, next)) list.append(differenceRow(state, entry));
    if (next === entries.length) return;
    const row = h(
      "li",
      {},
      h(
        "button",
        {
          onclick: () => {
            row.remove();
            build(next);
          },
        },
        `Show more (${count(entries.length - next)} left)`,
      ),
    );
    list.append(row);
  };
  build(0);
  const differing = entries.filter((entry) => entry.change !== "same").length;
  const words = `${count(differing)} of ${count(entries.length)} files differ`;
  fill(
    state.list,
    h(
      "details",
      { open: true },
      h("summary", {}, words),
      h("div", { role: "navigation", "aria-label": "Files that differ" }, list),
    ),
    nMore > 0 && h("p", { class: "small muted" }, `${count(nMore)} more files are not compared.`),
  );
}

function differenceRow(state, entry) {
  const sizes = [entry.size, entry.to_size].filter((size) => size !== null).map(bytes);
  const button = h(
    "button",
    { class: "file wide", onclick: () => showDifference(state, entry) },
    h("span", { class: "hostile name" }, entry.path === "../diff.patch" ? "diff.patch" : visibleName(entry.path)),
    h("span", { class: "muted small" }, `${DIFFERENCE_WORDS[entry.change]} · ${[...new Set(sizes)].join(" → ")}`),
  );
  state.rows.set(entry.path, button);
  return h("li", {}, button);
}

async function showDifference(state, entry) {
  const { path } = entry;
  state.rows.get(state.shown)?.removeAttribute("aria-current");
  state.shown = path;
  state.rows.get(path)?.setAttribute("aria-current", "true");
  state.place.setAttribute("aria-busy", "true");
  let view = null;
  try {
    const found = await ask("difference", pairQuery(state, { path }), { signal: state.context.signal });
    view = differenceDetail(state, entry, found);
  } catch (error) {
    if (error.name === "AbortError") return;
    view = refusal(error);
  }
  if (state.shown !== path) return;
  const title = h(
    "p",
    { class: "file-title" },
    h("strong", { class: "hostile" }, path === "../diff.patch" ? "diff.patch" : visibleName(path)),
    " ",
    h("span", { class: "muted small" }, DIFFERENCE_WORDS[entry.change]),
  );
  fill(
    state.place,
    h(
      "section",
      { class: "file-view", "aria-label": `Difference of ${path}` },
      h("div", { class: "file-head" }, title),
      view,
    ),
  );
  state.place.removeAttribute("aria-busy");
}

function differenceDetail({ left, right }, { path, note }, found) {
  const pictures = ["image", "svg"];
  if (pictures.includes(found.view) && pictures.includes(found.to_view) && hasServer())
    return imageDifference(left, right, path);
  if (found.blocks) {
    const asText = ["docx", "pptx", "pdf"].includes(found.view ?? found.to_view);
    return [
      asText && h("p", { class: "muted small" }, "Only the words are compared, not how it looks."),
      lineDifference(path, found.blocks),
    ];
  }
  return h("p", { class: "notice hostile" }, [found.gap, note].filter(Boolean).join(" "));
}
