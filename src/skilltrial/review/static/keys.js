// The keyboard: each page says which keys it knows, `?` shows them all. Keys never act while somebody types, with a
// modifier, in a dialog, or on a page that is not shown.

import { fill, h } from "./dom.js";

const everywhere = [];
let here = [];

/** Keys of every page: [{key: "g o", name: "Overview", run}]; a key is one character or two after another. */
export function keysEverywhere(bindings) {
  everywhere.push(...bindings);
}

/** Keys of the page that is shown, in place of those of the page before. */
export function keysHere(bindings) {
  here = bindings;
}

let pending = "";
let pendingSince = 0;

/** Listen, once. */
export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const before = event.timeStamp - pendingSince < 1200 ? pending : "";
    const bindings = [...here, ...everywhere];
    const binding =
      bindings.find((each) => before && each.key === `${before} ${event.key}`) ??
      bindings.find((each) => each.key === event.key);
    pending = binding ? "" : event.key;
    pendingSince = event.timeStamp;
    if (!binding) return;
    event.preventDefault();
    binding.run(event);
  });
}

function typing(target) {
  return (
    target instanceof Element &&
    target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]") !== null
  );
}

/** The dialog that `?` opens. */
export function showKeys() {
  const rows = [...here, ...everywhere].map(({ key, name }) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        key.split(" ").map((part) => h("kbd", {}, part)),
      ),
      h("td", {}, name),
    ),
  );
  const dialog = h("dialog", { class: "keys", "aria-labelledby": "keys-title", onclose: () => dialog.remove() });
  fill(
    dialog,
    h("h2", { id: "keys-title" }, "Keys"),
    // First, so that the list is seen from its beginning.
    h("form", { method: "dialog" }, h("button", { autofocus: true }, "Close")),
    h("table", {}, h("tbody", {}, rows)),
  );
  document.body.append(dialog);
  dialog.showModal();
}
