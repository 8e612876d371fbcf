// How one trial ended, what it took, and what ran.

import { fill, h } from "./dom.js";
import { ask, refusal } from "./api.js";
import { count, dollars, seconds } from "./figures.js";
import { visibleName } from "./names.js";

const OUTCOME_WORDS = {
  completed: ["Completed", ""],
  timed_out: ["Out of time", "warning"],
  agent_failed: ["The agent failed", "bad"],
  harness_error: ["The tool failed: no result", "warning"],
  cancelled: ["Cancelled: no result", "warning"],
  not_run: ["Not run", "muted"],
};
const SKILL_STEPS = ["offered", "attempted", "loaded", "read", "described"];

/** What became of a trial, in a word. */
export function outcomeWord(outcome) {
  return OUTCOME_WORDS[outcome]?.[0] ?? outcome;
}

/** A long text with the button for the rest; `of` names it for the question "text". */
export function longText({ text, length }, className, of, key) {
  const pre = h("pre", { class: `hostile ${className}`, tabindex: "0" }, text);
  if (length <= text.length || !of)
    return [pre, length > text.length && h("p", { class: "muted small" }, `The last of ${count(length)} bytes.`)];
  const button = h("button", { class: "small" }, `Show all ${count(length)} characters`);
  button.addEventListener("click", async () => {
    try {
      fill(pre, (await ask("text", { ...key, of })).text);
      button.remove();
    } catch (error) {
      button.after(refusal(error));
    }
  });
  return [pre, button];
}

/** The reason, stderr's end and the attempts of a trial that is no plain success. */
export function endingPart(trial) {
  const [word, tone] = OUTCOME_WORDS[trial.outcome] ?? [trial.outcome, ""];
  const several = (trial.attempts ?? []).length > 1;
  if (trial.outcome === "completed" && !several) return null;
  return h(
    "div",
    { class: "ending" },
    trial.outcome !== "completed" &&
      h(
        "p",
        {},
        h("strong", { class: tone }, word),
        trial.reason && [" – ", h("span", { class: "hostile" }, `${trial.reason.code}: ${trial.reason.message}`)],
      ),
    trial.stderr &&
      h(
        "details",
        {},
        h("summary", {}, "What the agent program said of errors"),
        longText(trial.stderr, "answer small"),
      ),
    several &&
      h(
        "details",
        {},
        h("summary", {}, `${trial.attempts.length} attempts`),
        h(
          "ol",
          { class: "small" },
          trial.attempts.map((each) =>
            h(
              "li",
              { class: "hostile" },
              `${outcomeWord(each.outcome)}, ` +
                `${seconds(each.seconds)}${each.reason ? ` – ${each.reason.code}: ${each.reason.message}` : ""}`,
            ),
          ),
        ),
      ),
  );
}

/** Skill, model, cost, tokens and time, and what ran. */
export function trialEffort(trial) {
  const calls = trial.toolCalls && Object.values(trial.toolCalls).reduce((sum, n) => sum + n, 0);
  const named = Object.entries(trial.toolCalls ?? {}).map(([name, n], place) => [
    place > 0 && ", ",
    h("bdi", {}, name),
    ` ${n}`,
  ]);
  const facts = [
    ["Skill", skillWords(trial.skill)],
    ["Time", seconds(trial.seconds)],
    ["Tokens", count(trial.tokens)],
    ["Cost", dollars(trial.usd)],
    [
      "Tool calls",
      [count(calls), named.length > 0 && [" (", named, ")"], trial.toolErrors > 0 && `, ${trial.toolErrors} failed`],
    ],
    ["Requests", count(trial.turns)],
    ["Model", visibleName(trial.modelServed ?? trial.modelAsked ?? "unknown")],
  ];
  return [factList(facts), h("details", { class: "small" }, h("summary", {}, "What ran"), factList(provenance(trial)))];
}

function provenance(trial) {
  return [
    ["Agent program", trial.agent],
    ["Arguments", trial.args.join(" ")],
    ["Model asked for", trial.modelAsked],
    ["Model that served", visibleName(trial.modelServed ?? "unknown")],
    ["Skill found by", trial.discovery],
    ["Kept apart by", trial.isolation],
    ["Seed", trial.seed],
    ["Started", trial.startedAt ?? "unknown"],
    ["Taken over from", trial.reusedFrom && `iteration ${trial.reusedFrom}`],
    ["Exit code", trial.exitCode],
    ...Object.entries(trial.doubleCalls ?? {}).map(([name, n]) => [`Double ${name}`, `${n} uses`]),
    ...Object.entries(trial.facts),
  ];
}

function factList(facts) {
  return h(
    "dl",
    {},
    facts
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => [h("dt", {}, name), h("dd", { class: "hostile" }, value)]),
  );
}

function skillWords(skill) {
  if (skill.injected) return "in the prompt from the start";
  const told = SKILL_STEPS.filter((step) => skill[step]);
  if (told.length) return told.join(", ");
  return SKILL_STEPS.slice(0, 4).every((step) => skill[step] === null) ? "unknown" : "did not reach the agent";
}
