// Verdicts of both sides, an assertion a row, with the way from evidence to the place that it speaks of.

import { h } from "./dom.js";
import { percent } from "./figures.js";

const VERDICT_SIGNS = { PASS: "✓", FAIL: "✗", UNGRADED: "?" };
const VERDICT_TONES = { PASS: "good", FAIL: "bad", UNGRADED: "warning" };

/** "✓ PASS": a verdict in a word and a sign. */
export function verdictWord(verdict) {
  return h(
    "strong",
    { class: `verdict-word ${VERDICT_TONES[verdict] ?? "muted"}` },
    `${VERDICT_SIGNS[verdict] ?? "–"} ${verdict}`,
  );
}

/** All assertions of a case with the verdicts of the shown trials; `sides` are {title, trial, own, reveal(place, quote)}. */
export function verdictTable(assertions, sides) {
  const known = new Set(assertions.map(({ id }) => id));
  const others = sides.flatMap(({ trial }) => (trial.results ?? []).filter(({ id }) => !known.has(id)));
  const rows = [...assertions, ...others.map((each) => ({ ...each, stray: true }))];
  return h(
    "table",
    { class: "verdicts" },
    h("caption", { class: "unseen" }, "Verdicts by assertion"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "Assertion"),
        sides.map(({ title }) => h("th", { scope: "col" }, title)),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map((assertion) => verdictRow(assertion, sides)),
    ),
  );
}

function verdictRow(assertion, sides) {
  const facts = [
    assertion.type.replaceAll("_", " "),
    assertion.required && "required",
    assertion.weight !== 1 && `weight ${assertion.weight}`,
    assertion.stray && "not in the plan",
  ].filter(Boolean);
  return h(
    "tr",
    { class: "verdict-row", tabindex: "-1", "data-assertion": assertion.id },
    h(
      "th",
      { scope: "row" },
      h("div", { class: "hostile" }, assertion.text),
      h("div", { class: "muted small" }, facts.join(" · ")),
      assertion.rule &&
        h("details", { class: "small" }, h("summary", {}, "Rule"), h("pre", { class: "hostile" }, assertion.rule)),
    ),
    sides.map((side) => h("td", { "data-side": side.title }, verdictCell(assertion, side))),
  );
}

function verdictCell(assertion, side) {
  const result = (side.trial.results ?? []).find(({ id }) => id === assertion.id);
  if (!result) return h("span", { class: "muted" }, side.trial.outcome === "not_run" ? "– not run" : "– not graded");
  const by = result.verdict !== "UNGRADED" && { code: "by code", judge: "by a judge" }[result.grader];
  return [
    h(
      "div",
      {},
      verdictWord(result.verdict),
      " ",
      h(
        "span",
        { class: "muted small" },
        [by, result.confidence && `confidence ${result.confidence}`].filter(Boolean).join(", "),
      ),
    ),
    result.evidence.text &&
      h(
        "div",
        { class: "evidence hostile small" },
        result.evidence.text,
        result.evidence.length > result.evidence.text.length && " …",
      ),
    placeButtons(result, side),
    result.votes.length > 1 && voteList(result),
    side.own && h("div", {}, side.own(result.id)),
  ];
}

function placeButtons(result, side) {
  const places = new Map();
  for (const { place, quote } of result.votes) if (place && quote) places.set(`${place}\n${quote}`, { place, quote });
  const [, path] = /^'([^'\n]+)'(?:: | has: )/.exec(result.evidence.text) ?? [];
  if (!places.size && path) places.set(path, { place: `file ${path}`, quote: "" });
  return [...places.values()].map(({ place, quote }) =>
    h(
      "button",
      { class: "quiet small reveal", onclick: () => side.reveal(place, quote) },
      "Show in ",
      h("bdi", {}, place),
    ),
  );
}

function voteList({ votes, verdict }) {
  const agreeing = votes.filter((vote) => vote.verdict === verdict).length / votes.length;
  return h(
    "details",
    { class: "small" },
    h("summary", {}, `${votes.length} votes, ${percent(agreeing)} agree`),
    h(
      "ul",
      {},
      votes.map((vote) =>
        h(
          "li",
          {},
          h("bdi", {}, vote.judge),
          " ",
          vote.answered ? verdictWord(vote.verdict) : "did not answer",
          " ",
          h("span", { class: "hostile" }, vote.reason),
        ),
      ),
    ),
  );
}

/** Claims, notes, critique and the like of one trial; null where there is nothing. */
export function judgedBeside(trial) {
  const { claims = [], notes = {}, critique = {}, metaResults = [], judge } = trial;
  const noted = Object.entries(notes).filter(([, texts]) => texts.length);
  const critical = Object.entries(critique).filter(
    ([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length),
  );
  const parts = [
    metaResults.length > 0 &&
      asideList(
        "Looked at beside",
        metaResults.map((each) => [verdictWord(each.verdict), " ", each.text, " – ", each.evidence.text]),
      ),
    claims.length > 0 &&
      asideList(
        "Claims of the agent",
        claims.map((each) => [claimWord(each.verified), " ", each.claim, each.evidence && ` – ${each.evidence}`]),
      ),
    noted.map(([name, texts]) => asideList(`Agent's notes: ${name.replaceAll("_", " ")}`, texts)),
    critical.map(([name, value]) =>
      asideList(`On the assertions: ${name.replaceAll("_", " ")}`, [value].flat().map(critiqueText)),
    ),
    judge &&
      h(
        "p",
        { class: "muted small" },
        "Judge: ",
        h("bdi", {}, judge.model),
        `, ${judge.calls} ${judge.calls === 1 ? "call" : "calls"}`,
      ),
  ]
    .flat()
    .filter(Boolean);
  return parts.length ? h("div", { class: "judged-beside" }, parts) : null;
}

function claimWord(verified) {
  if (verified === null) return h("strong", { class: "warning" }, "? not checked");
  return verified ? h("strong", { class: "good" }, "✓ holds") : h("strong", { class: "bad" }, "✗ does not hold");
}

function critiqueText(value) {
  if (typeof value === "string") return value;
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${typeof each === "string" ? each : JSON.stringify(each)}`)
    .join("\n");
}

function asideList(title, items) {
  return h(
    "div",
    {},
    h("h4", {}, title),
    h(
      "ul",
      { class: "small" },
      items.map((item) => h("li", { class: "hostile" }, item)),
    ),
  );
}
