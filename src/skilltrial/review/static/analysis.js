// What reading both skills and transcripts after a comparison came to.

import { h } from "./dom.js";

const PRIORITIES = { high: 0, medium: 1, low: 2 };

/** An analysis. A claim whose quote code has found, or not, says so. */
export function analysisView(analysis) {
  const quotes = byClaim(analysis.skilltrial?.quotes ?? []);
  const summary = analysis.comparison_summary;
  const following = Object.entries(analysis.instruction_following);
  const { winner_execution_pattern: winner, loser_execution_pattern: loser } = analysis.transcript_insights;
  return h(
    "div",
    { class: "analysis" },
    summary.comparator_reasoning && h("p", { class: "hostile" }, summary.comparator_reasoning),
    h(
      "div",
      { class: "two-sides" },
      claims("What the winner did well", "winner_strengths", analysis.winner_strengths, quotes, summary.winner_skill),
      claims("What the loser did badly", "loser_weaknesses", analysis.loser_weaknesses, quotes, summary.loser_skill),
    ),
    following.length > 0 && [
      h("h4", {}, "Did they follow their instructions?"),
      h(
        "div",
        { class: "two-sides" },
        following.map((each) => followedSide(each, quotes)),
      ),
    ],
    suggestionTable(analysis.improvement_suggestions, quotes),
    (winner || loser) && [
      h("h4", {}, "How they went about it"),
      h(
        "dl",
        {},
        winner && [h("dt", {}, "Winner"), h("dd", { class: "hostile" }, winner)],
        loser && [h("dt", {}, "Loser"), h("dd", { class: "hostile" }, loser)],
      ),
    ],
  );
}

function claims(title, name, texts, quotes, skill) {
  return h(
    "section",
    { class: "card" },
    h("h4", {}, title),
    skill && h("p", { class: "muted small" }, "Skill: ", h("span", { class: "hostile" }, skill)),
    texts.length === 0
      ? h("p", { class: "muted" }, "Nothing is said.")
      : h(
          "ul",
          {},
          texts.map((text, index) =>
            h("li", {}, h("span", { class: "hostile" }, text), citations(quotes, `${name}.${index}`)),
          ),
        ),
  );
}

function followedSide([side, { score, issues }], quotes) {
  return h(
    "section",
    { class: "card" },
    h("h5", {}, side === "winner" ? "Winner" : "Loser", score === null ? ": not told" : `: ${score} of 10`),
    issues.length > 0 &&
      h(
        "ul",
        {},
        issues.map((issue, index) =>
          h(
            "li",
            {},
            h("span", { class: "hostile" }, issue),
            citations(quotes, `instruction_following.${side}.issues.${index}`),
          ),
        ),
      ),
  );
}

function citations(quotes, claim) {
  return (quotes.get(claim) ?? []).map((quote) =>
    h(
      "blockquote",
      { class: "citation" },
      h("q", { class: "hostile" }, quote.text),
      h("span", { class: "small muted" }, " ", h("span", { class: "hostile" }, quote.source), " "),
      h("span", { class: `small ${quote.found ? "good" : "warning"}` }, foundWords(quote.found)),
    ),
  );
}

function foundWords(found) {
  if (found === null) return "not checked";
  return found ? "✓ found there by code" : "✗ not found there";
}

function suggestionTable(suggestions, quotes) {
  if (suggestions.length === 0) return null;
  const sorted = suggestions.map((each, index) => ({ ...each, index })).sort((one, other) => rank(one) - rank(other));
  const row = (each) =>
    h(
      "tr",
      {},
      h("td", { class: "hostile" }, each.priority || "not told"),
      h("td", { class: "hostile" }, each.category),
      h(
        "td",
        {},
        h("span", { class: "hostile" }, each.suggestion),
        citations(quotes, `improvement_suggestions.${each.index}`),
      ),
      h("td", { class: "hostile" }, each.expected_impact),
    );
  return [
    h("h4", {}, "What to change"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Suggestions" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Priority", "About", "Suggestion", "What it should bring"].map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h("tbody", {}, sorted.map(row)),
      ),
    ),
  ];
}

function rank(suggestion) {
  return PRIORITIES[suggestion.priority.toLowerCase()] ?? 3;
}

function byClaim(quotes) {
  const found = new Map();
  for (const quote of quotes) found.set(quote.claim, [...(found.get(quote.claim) ?? []), quote]);
  return found;
}
