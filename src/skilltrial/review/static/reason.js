// The dialog that asks why a trial is left out, and says what that does to the comparison.

import { ask } from "./api.js";
import { fill, h } from "./dom.js";

/** Ask, then call `keep(reason)`; the dialog stays open with the words where that throws. */
export function askForReason({ trial, excluded, context }, keep) {
  const status = h("p", { class: "small warning", role: "alert" });
  const area = h("textarea", { rows: 3, required: true, autofocus: true, "aria-label": "Reason" });
  const warning = h("div", { class: "small" });
  const dialog = h("dialog", { "aria-labelledby": "reason-title", onclose: () => dialog.remove() });
  const send = async (event) => {
    event.preventDefault();
    if (!area.value.trim()) {
      fill(status, "Say why: a figure without its reason cannot be checked.");
      return area.focus();
    }
    try {
      await keep(area.value.trim());
      dialog.close();
    } catch (error) {
      fill(status, `Not saved: ${error.message}`);
    }
  };
  fill(
    dialog,
    h("h2", { id: "reason-title" }, excluded ? "Leave this run out?" : "Take this run back in?"),
    h(
      "p",
      {},
      excluded
        ? "The benchmark keeps it. The adjusted figures, shown beside, are without it."
        : "The adjusted figures will have it again.",
    ),
    h(
      "form",
      { onsubmit: send },
      h("label", {}, "Reason", area),
      warning,
      status,
      h(
        "p",
        { class: "dialog-foot" },
        h("button", {}, excluded ? "Leave out" : "Take back in"),
        " ",
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  area.focus();
  ask("feedback", { iteration: trial.iteration }, { signal: context.signal })
    .then(({ balance }) => fill(warning, balanceWords(balance, trial.arm, excluded ? 1 : -1)))
    .catch(() => {});
}

/** What the arms lose once this is done, and whether they lose alike. */
function balanceWords({ arms }, arm, change) {
  const own = arms.find((each) => each.arm === arm);
  const told = arms.map(({ arm: name, planned, excluded }, index) => {
    const out = excluded + (name === arm ? change : 0);
    return [index > 0 && ", ", `${out} of ${planned} `, h("bdi", {}, name)];
  });
  const isUnequal = change > 0 ? own?.unequal_out : own?.unequal_back;
  return [
    h("p", { class: "muted" }, "Left out then: ", told, "."),
    isUnequal && h("p", { class: "warning" }, "The arms lose unequal shares: what is left of them may not be alike."),
  ];
}
