// The frame: which page is shown, the navigation, and what all pages share.

import { placeAnnouncements } from "./announce.js";
import { ask, refusal } from "./api.js";
import { benchmarkPage } from "./benchmark.js";
import { casePage } from "./case.js";
import { casesPage } from "./cases.js";
import { comparisonsPage } from "./comparisons.js";
import { fill, h } from "./dom.js";
import { historyPage } from "./history.js";
import { keysEverywhere, keysHere, listenToKeys, showKeys } from "./keys.js";
import { labelPage } from "./label.js";
import { link } from "./links.js";
import { followLive, onLive } from "./live.js";
import { overview } from "./overview.js";
import { triggersPage } from "./triggers.js";

// A page is {title, show(main, parameters, context)}: it fills `main`, and may return {keys, leave}. `parameters` are those
// after the "?" of "#/cases?arm=with_skill"; `context` is what `api/workspace` says, plus `signal`, which aborts when the page
// is left, and `go(name, parameters)`.
const PAGES = { overview, cases: casesPage, case: casePage, benchmark: benchmarkPage, history: historyPage, comparisons: comparisonsPage, triggers: triggersPage, label: labelPage };
// Those in the navigation, with their second key after "g".
const NAVIGATION = [["overview", "o"], ["cases", "c"], ["benchmark", "b"], ["history", "h"], ["comparisons", "p"], ["triggers", "t"]];
const FIRST = "overview";
const WHEN_BLIND = "label";

const main = h("main", { id: "main", tabindex: "-1" });
const navigation = h("nav", { "aria-label": "Pages" });
let workspace = null;
let leaving = () => {};

function place() {
  const [, name = "", search = ""] = /^#\/([a-z]*)\??(.*)$/s.exec(location.hash) ?? [];
  const known = name in PAGES && name !== WHEN_BLIND ? name : FIRST;
  return { name: workspace.blind ? WHEN_BLIND : known, parameters: Object.fromEntries(new URLSearchParams(search)) };
}

function go(name, parameters = {}) {
  location.hash = link(name, parameters);
}

async function show() {
  const { name, parameters } = place();
  leaving();
  const controller = new AbortController();
  let leave = null;
  leaving = () => {
    controller.abort();
    leave?.();
  };
  keysHere([]);
  const page = PAGES[name];
  document.title = `${page.title} – ${workspace.skill ?? workspace.name} – skilltrial`;
  drawNavigation(name, parameters);
  fill(main);
  main.setAttribute("aria-busy", "true");
  try {
    const shown = await page.show(main, parameters, { ...workspace, signal: controller.signal, go });
    if (controller.signal.aborted) {
      shown?.leave?.();
      return;
    }
    keysHere(shown?.keys ?? []);
    leave = shown?.leave ?? null;
  } catch (error) {
    if (controller.signal.aborted) return;
    main.append(refusal(error));
  }
  main.removeAttribute("aria-busy");
}

function drawNavigation(current, parameters) {
  const iteration = parameters.iteration;
  fill(
    navigation,
    h(
      "ul",
      {},
      NAVIGATION.map(([name]) =>
        h("li", {}, h("a", { href: link(name, { iteration }), "aria-current": name === current && "page" }, PAGES[name].title)),
      ),
    ),
  );
}

// Pages of figures are drawn again by themselves while nobody is at work in them; others when their reader asks for it.
const FOLLOWING = new Set(["overview", "benchmark", "history"]);
const REDRAW_MS = 5000;

function newsButton() {
  let waiting = 0;
  const button = h("button", { class: "news", hidden: true, onclick: () => redraw() }, "New results: show them");
  const redraw = async () => {
    button.hidden = true;
    const [left, top] = [scrollX, scrollY];
    await show();
    scrollTo(left, top);
  };
  onLive((event) => {
    if (event.kind === "progress" || waiting) return;
    waiting = setTimeout(() => {
      waiting = 0;
      const idle = [document.body, main].includes(document.activeElement) && !document.querySelector("dialog[open]");
      if (FOLLOWING.has(place().name) && idle) redraw();
      else button.hidden = false;
    }, REDRAW_MS);
  });
  return button;
}

function iterationChoice() {
  const chosen = place().parameters.iteration ?? String(workspace.iterations.at(-1));
  const select = h(
    "select",
    { onchange: () => go(place().name, { ...place().parameters, iteration: select.value }) },
    workspace.iterations.map((number) => h("option", { value: number, selected: String(number) === chosen }, number)),
  );
  return h("label", { class: "iteration" }, "Iteration ", select);
}

async function start() {
  try {
    workspace = await ask("workspace");
  } catch (error) {
    document.body.append(refusal(error));
    return;
  }
  document.body.append(
    h("a", { class: "skip", href: "#main", onclick: skip }, "Skip to the page"),
    h(
      "header",
      {},
      h("p", { class: "subject" }, h("strong", {}, workspace.skill ?? "No iteration yet"), " ", h("span", { class: "muted" }, workspace.name)),
      !workspace.blind && followLive(),
      !workspace.blind && newsButton(),
      workspace.iterations.length > 1 && !workspace.blind && iterationChoice(),
      h("button", { class: "quiet", onclick: showKeys, "aria-label": "Keys" }, "?"),
    ),
    ...(workspace.blind ? [] : [navigation]),
    main,
  );
  placeAnnouncements();
  keysEverywhere([
    ...(workspace.blind ? [] : NAVIGATION).map(([name, key]) => ({ key: `g ${key}`, name: PAGES[name].title, run: () => go(name, { iteration: place().parameters.iteration }) })),
    { key: "?", name: "These keys", run: showKeys },
  ]);
  listenToKeys();
  addEventListener("hashchange", async () => {
    await show();
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  });
  await show();
}

function skip(event) {
  event.preventDefault();
  main.focus();
}

start();
