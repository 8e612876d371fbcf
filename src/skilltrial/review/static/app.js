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
import { newsButton } from "./news.js";
import { overview } from "./overview.js";
import { triggersPage } from "./triggers.js";

// A page is {title, show(main, parameters, context)}: it fills `main`, and may return {keys, leave}. `parameters` are those
// after the "?" of "#/cases?arm=with_skill"; `context` is what `api/workspace` says, plus `signal`, which aborts when the page
// is left, and `go(name, parameters)`. A page that can take news without being drawn anew returns `refresh` too.
const PAGES = {
  overview,
  cases: casesPage,
  case: casePage,
  benchmark: benchmarkPage,
  history: historyPage,
  comparisons: comparisonsPage,
  triggers: triggersPage,
  label: labelPage,
};
// Those in the navigation, with their second key after "g".
const NAVIGATION = [
  ["overview", "o"],
  ["cases", "c"],
  ["benchmark", "b"],
  ["history", "h"],
  ["comparisons", "p"],
  ["triggers", "t"],
];
const FIRST = "overview";
const WHEN_BLIND = "label";

const main = h("main", { id: "main", tabindex: "-1" });
const navigation = h("nav", { "aria-label": "Pages" });
const subject = h("p", { class: "subject" });
const choice = h("div");
let workspace = null;
let leaving = () => {};
let refresh = null;

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
  refresh = null;
  const page = PAGES[name];
  document.title = `${page.title} – ${workspace.skill ?? workspace.name} – skilltrial`;
  drawHeader();
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
    refresh = shown?.refresh ?? null;
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
        h(
          "li",
          {},
          h("a", { href: link(name, { iteration }), "aria-current": name === current && "page" }, PAGES[name].title),
        ),
      ),
    ),
  );
}

/** The subject and the choice of an iteration, as they are now. */
function drawHeader() {
  fill(
    subject,
    h("strong", {}, workspace.skill ?? "No iteration yet"),
    " ",
    h("span", { class: "muted" }, workspace.name),
  );
  fill(choice, workspace.iterations.length > 1 && !workspace.blind && iterationChoice());
}

/** An iteration may have begun since the page was opened. */
async function lookAgain() {
  workspace = await ask("workspace").catch(() => workspace);
  drawHeader();
}

async function drawNews() {
  await lookAgain();
  if (refresh === null) return show();
  await refresh().catch((error) => error.name !== "AbortError" && main.prepend(refusal(error)));
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
      subject,
      !workspace.blind && followLive(),
      !workspace.blind && newsButton(main, { place, newest: () => workspace.iterations.at(-1), draw: drawNews }),
      choice,
      h("button", { class: "quiet", onclick: showKeys, "aria-label": "Keys" }, "?"),
    ),
    ...(workspace.blind ? [] : [navigation]),
    main,
  );
  placeAnnouncements();
  onLive((event) => event.kind === "iteration" && lookAgain());
  keysEverywhere([
    ...(workspace.blind ? [] : NAVIGATION).map(([name, key]) => ({
      key: `g ${key}`,
      name: PAGES[name].title,
      run: () => go(name, { iteration: place().parameters.iteration }),
    })),
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
