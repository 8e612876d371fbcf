// One case: what was asked, and two trials of it side by side.

import { announce } from "./announce.js";
import { ask, refusal } from "./api.js";
import { differenceView, outputsView } from "./contents.js";
import { fill, h } from "./dom.js";
import { caseFeedback, exclusionControl, trialFeedback, verdictControl } from "./feedback.js";
import { count } from "./figures.js";
import { link } from "./links.js";
import { markIn, showMark } from "./marking.js";
import { visibleName } from "./names.js";
import { timelineView } from "./timeline.js";
import { trialEffort, endingPart, longText, outcomeWord } from "./trialfacts.js";
import { judgedBeside, verdictTable } from "./verdicts.js";

export const casePage = {
  title: "Case",
  async show(main, parameters, context) {
    const found = await ask(
      "case",
      { iteration: parameters.iteration, case: parameters.case },
      { signal: context.signal },
    );
    const view = new CaseView(main, found, parameters, context);
    // Not waited for: whoever leafs through the cases need not wait for trials.
    view.drawSides();
    return { keys: view.keys() };
  },
};

class CaseView {
  constructor(main, found, parameters, context) {
    this.found = found;
    this.context = context;
    this.asked = parameters;
    this.choices = sideChoices(found);
    this.chosen = [pickSide(this.choices, parameters.left, 0), pickSide(this.choices, parameters.right, 1)];
    this.repeats = [Number(parameters.leftRepeat ?? parameters.repeat ?? 1), Number(parameters.repeat ?? 1)];
    this.sides = [];
    this.round = 0;
    this.comparison = h("div");
    this.words = caseFeedback({ iteration: found.iteration, case: found.id }, context);
    main.append(
      headPart(found, parameters),
      taskPart(found),
      this.comparison,
      h("h2", {}, "All runs of this case"),
      this.words.element,
    );
  }

  trialOf(side) {
    const { iteration, arm, repeats } = this.choices[this.chosen[side]];
    const repeat = repeats.includes(this.repeats[side]) ? this.repeats[side] : repeats[0];
    return { iteration, case: this.found.id, arm, repeat };
  }

  /** Ask for the chosen trials and show them; what came late of an earlier choice is dropped. */
  async drawSides() {
    const round = ++this.round;
    const keys = [0, 1].slice(0, this.choices.length > 1 ? 2 : 1).map((side) => this.trialOf(side));
    const trials = await this.trials(keys);
    if (round !== this.round || trials === null) return;
    this.sides = trials.map((trial, side) => this.side(keys[side], trial, side));
    this.difference =
      this.sides.length > 1
        ? foldedPart("Difference of the files", () => differenceView(keys[0], keys[1], this.context).element)
        : null;
    fill(
      this.comparison,
      h("h2", {}, "Verdicts"),
      this.found.assertions.length
        ? verdictTable(this.found.assertions, this.sides)
        : h("p", { class: "muted" }, "The case has no assertions."),
      h("h2", {}, "Trials"),
      h(
        "div",
        { class: "sides" },
        this.sides.map(({ element }) => element),
      ),
      this.difference?.element,
    );
    if (this.asked.assertion) this.markAssertion();
  }

  async trials(keys) {
    try {
      return await Promise.all(keys.map((key) => ask("trial", key, { signal: this.context.signal })));
    } catch (error) {
      if (error.name !== "AbortError") fill(this.comparison, refusal(error));
      return null;
    }
  }

  side(key, trial, place) {
    const { role, title } = this.choices[this.chosen[place]];
    const ran = trial.outcome !== "not_run";
    const answer = h(
      "div",
      {},
      trial.answer
        ? longText(trial.answer, "answer", "answer", key)
        : h("p", { class: "muted" }, "The agent left no final message."),
    );
    const outputs = ran ? outputsView(key, this.context) : null;
    const timeline = ran ? timelineView(key, this.context) : null;
    const transcript = timeline && foldedPart("Transcript", () => (timeline.open(), timeline.element));
    timeline?.element.addEventListener("showfile", (event) => outputs.reveal(event.detail.path, ""));
    // Of another workspace's trial nothing can be said here.
    const words = ran && key.iteration ? trialFeedback(key, this.context) : null;
    const inside = ran
      ? [
          effortAndAnswer(trial, answer),
          outputs.element,
          transcript.element,
          judgedBeside(trial),
          words && [h("h3", {}, "Your words"), words.element, exclusionControl(key, this.context)],
        ]
      : h(
          "p",
          { class: "muted" },
          trial.planned ? "This trial has not been run, or not to its end." : "This trial is not in the plan.",
        );
    const element = h(
      "section",
      { class: `side ${role}`, "aria-label": title },
      h("h2", {}, h("bdi", {}, title)),
      this.choice(place, title),
      endingPart(trial),
      inside,
    );
    const own = words && ((id) => verdictControl(key, id, this.context));
    return {
      title,
      trial,
      element,
      transcript,
      words,
      own,
      hit: timeline?.hit,
      reveal: (where, quote) => revealPlace({ answer, outputs, transcript, timeline }, where, quote),
    };
  }

  choice(place, title) {
    const chosen = this.choices[this.chosen[place]];
    const now = this.trialOf(place).repeat;
    const select = h(
      "select",
      { onchange: () => this.choose(place, { chosen: Number(select.value) }) },
      this.choices.map((each, index) =>
        h("option", { value: index, selected: index === this.chosen[place] }, each.title),
      ),
    );
    return h(
      "div",
      { class: "side-choice" },
      this.choices.length > 1 &&
        h("label", { class: "small" }, h("span", { class: "unseen" }, `${place ? "Right" : "Left"} side: `), select),
      h(
        "div",
        { class: "repeats", role: "group", "aria-label": `Runs of ${title}` },
        chosen.trials.map((trial) =>
          h(
            "button",
            {
              "aria-pressed": String(trial.repeat === now),
              onclick: () => this.choose(place, { repeat: trial.repeat }),
            },
            repeatWords(trial),
          ),
        ),
      ),
    );
  }

  async choose(place, { chosen = this.chosen[place], repeat = this.repeats[place] }) {
    this.chosen[place] = chosen;
    this.repeats[place] = repeat;
    await this.redraw();
    this.sides[place]?.element.querySelector('.repeats [aria-pressed="true"]')?.focus({ preventScroll: true });
  }

  async redraw() {
    const [left, right] = this.chosen.map((each) => this.choices[each]?.name);
    const { iteration } = this.asked;
    const address = {
      iteration,
      case: this.found.id,
      left,
      right,
      leftRepeat: this.repeats[0],
      repeat: this.repeats[1],
    };
    history.replaceState(null, "", link("case", address));
    const top = scrollY;
    await this.drawSides();
    scrollTo(0, top);
  }

  async repeat(number) {
    const there = this.chosen.some((each) => this.choices[each]?.repeats.includes(number));
    if (!there) return announce(`There is no run ${number}.`);
    this.repeats = [number, number];
    await this.redraw();
    announce(`Run ${number} is shown.`);
  }

  stepAssertion(by) {
    const rows = [...this.comparison.querySelectorAll(".verdict-row")];
    const at = rows.indexOf(document.activeElement?.closest(".verdict-row"));
    rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
  }

  goTo(id, where) {
    if (id === null) announce(`This is the ${where} case.`);
    else
      this.context.go("case", {
        iteration: this.asked.iteration,
        case: id,
        left: this.asked.left,
        right: this.asked.right,
      });
  }

  hitBefore() {
    this.sides.findLast(({ transcript }) => transcript?.element.open)?.hit(-1);
  }

  /** The assertion that the address names, where one came from a table of them. */
  markAssertion() {
    const rows = [...this.comparison.querySelectorAll(".verdict-row")];
    const row = rows.find(({ dataset }) => dataset.assertion === this.asked.assertion);
    if (!row) return;
    row.setAttribute("aria-current", "true");
    if (this.round > 1) return;
    row.scrollIntoView({ block: "center" });
    row.focus({ preventScroll: true });
  }

  async goOn() {
    if (!(await this.words.mark())) return announce("The case was not marked.");
    announce("The case is marked as reviewed.");
    this.goTo(this.found.after, "last");
  }

  focusFirst(selector) {
    const found = this.comparison.querySelector(selector);
    found?.scrollIntoView({ block: "nearest" });
    (found?.querySelector("summary, button, a, [tabindex]") ?? found)?.focus({ preventScroll: true });
  }

  keys() {
    const numbers = Array.from({ length: 9 }, (_, index) => ({
      key: String(index + 1),
      name: `Run ${index + 1}`,
      run: () => this.repeat(index + 1),
    }));
    return [
      { key: "n", name: "Next case", run: () => this.goTo(this.found.after, "last") },
      { key: "p", name: "Previous case", run: () => this.goTo(this.found.before, "first") },
      { key: "j", name: "Next assertion", run: () => this.stepAssertion(1) },
      { key: "k", name: "Previous assertion", run: () => this.stepAssertion(-1) },
      { key: "o", name: "Files", run: () => this.focusFirst(".outputs") },
      {
        key: "t",
        name: "Transcripts",
        run: () => this.sides.map(({ transcript }) => transcript).findLast((each) => each?.toggle()),
      },
      { key: "N", name: "Transcripts: previous hit of a search; n within one: next hit", run: () => this.hitBefore() },
      { key: "d", name: "Difference", run: () => this.difference?.toggle() },
      { key: "c", name: "Comment on the right trial", run: () => this.sides.at(-1)?.words?.focus() },
      { key: "C", name: "Comment on the left trial", run: () => this.sides[0]?.words?.focus() },
      { key: "v", name: "Reviewed: mark it, and go to the next case", run: () => this.goOn() },
      ...[
        ["good", "g"],
        ["needs-work", "w"],
        ["bad", "b"],
      ].map(([rating, key]) => ({
        key: `r ${key}`,
        name: `Rate the right trial ${rating.replace("-", " ")}`,
        run: () => this.sides.at(-1)?.words?.rate(rating),
      })),
      ...numbers.slice(0, Math.max(...this.choices.map(({ repeats }) => repeats.length), 0)),
    ];
  }
}

/** What either side can show: the arms of this iteration, baselines first, then those of the one before. */
function sideChoices({ arms, iteration, earlier }) {
  const now = arms.map(({ name, role, trials }) => ({
    name,
    arm: name,
    role,
    iteration,
    title: name,
    trials,
    repeats: trials.map(({ repeat }) => repeat),
  }));
  const before = earlier.flatMap((each) =>
    each.arms.map(({ name, role, repeats }) => ({
      name: `${name}@${each.iteration}`,
      arm: name,
      role,
      iteration: each.iteration,
      title: `${name}, ${earlierWords(each)}`,
      trials: repeats.map((repeat) => ({ repeat })),
      repeats,
    })),
  );
  return [...now, ...before].filter(({ repeats }) => repeats.length);
}

/** Iteration 0 is that of another workspace. */
function earlierWords({ iteration, sameTask }) {
  return `${iteration ? `iteration ${iteration}` : "workspace before"}${sameTask ? "" : " (another prompt)"}`;
}

function pickSide(choices, name, otherwise) {
  const found = choices.findIndex((each) => each.name === name);
  return found < 0 ? Math.min(otherwise, choices.length - 1) : found;
}

function repeatWords({ repeat, outcome, passed, failed, ungraded }) {
  if (outcome === undefined) return `Run ${repeat}`;
  if (passed === null || passed === undefined)
    return [
      `Run ${repeat} `,
      h("span", { class: "muted" }, outcome === "completed" ? "– not graded" : `– ${outcomeWord(outcome)}`),
    ];
  const sign = failed ? "✗" : passed ? "✓" : "?";
  const words = [`${passed} pass`, `${failed} fail`, ungraded > 0 && `${ungraded} ungraded`].filter(Boolean).join(", ");
  return [
    `Run ${repeat} `,
    h(
      "span",
      { class: failed ? "bad" : passed ? "good" : "warning", title: words },
      `${sign} ${passed}/${passed + failed}`,
    ),
    h("span", { class: "unseen" }, ` (${words})`),
  ];
}

function headPart(found, { iteration }) {
  const step = (id, words) => id !== null && h("a", { href: link("case", { iteration, case: id }) }, words);
  return h(
    "div",
    { class: "case-head" },
    h("h1", { class: "hostile" }, visibleName(found.title)),
    h(
      "nav",
      { "aria-label": "Cases" },
      step(found.before, "← Previous"),
      h("span", { class: "muted" }, `Case ${count(found.place)} of ${count(found.total)}`),
      step(found.after, "Next →"),
    ),
  );
}

function taskPart(found) {
  const key = { iteration: found.iteration, case: found.id };
  return h(
    "div",
    { class: "case-facts" },
    h("details", { open: true }, h("summary", {}, "Prompt"), longText(found.prompt, "", "prompt", key)),
    found.turns.length > 0 &&
      h(
        "details",
        {},
        h(
          "summary",
          {},
          `${found.turns.length} later ${found.turns.length === 1 ? "message" : "messages"} of the user`,
        ),
        h(
          "ol",
          {},
          found.turns.map((turn) => h("li", { class: "hostile" }, turn)),
        ),
      ),
    found.responder &&
      h("details", {}, h("summary", {}, "A model plays the user"), h("p", { class: "hostile" }, found.responder)),
    found.expected?.text &&
      h(
        "details",
        { open: found.expected.length < 400 },
        h("summary", {}, "Expected output"),
        longText(found.expected, "", "expected", key),
      ),
    found.files.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, `${found.files.length} input ${found.files.length === 1 ? "file" : "files"}`),
        h(
          "ul",
          {},
          found.files.map((path) => h("li", { class: "hostile" }, visibleName(path))),
        ),
      ),
    (found.codebase || found.family || !found.shouldTrigger || found.title !== found.id) &&
      h(
        "p",
        { class: "muted small hostile" },
        [
          found.title !== found.id && `Id: ${found.id}`,
          found.codebase && `Works in: ${found.codebase}`,
          found.family && `Family: ${found.family}`,
          !found.shouldTrigger && "The skill should stay out of this task.",
        ]
          .filter(Boolean)
          .join(" · "),
      ),
  );
}

function conversationPart({ rounds = [], whyNoMore }) {
  if (!rounds.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, `Conversation, ${rounds.length} ${rounds.length === 1 ? "round" : "rounds"}`),
    h(
      "ol",
      {},
      rounds.map(({ prompt, answer }) =>
        h(
          "li",
          {},
          h("p", { class: "hostile" }, h("strong", {}, "User: "), prompt),
          h("p", { class: "hostile" }, h("strong", {}, "Agent: "), answer ?? "(no answer)"),
        ),
      ),
    ),
    whyNoMore && h("p", { class: "muted hostile" }, whyNoMore),
  );
}

function effortAndAnswer(trial, answer) {
  return [
    trialEffort(trial),
    h("h3", {}, "Final message"),
    answer,
    trial.answerCut &&
      h("p", { class: "muted small" }, `At least ${count(trial.answerCut)} characters were left out of its middle.`),
    conversationPart(trial),
    h("h3", {}, "Files"),
  ];
}

/** A fold whose inside is made when it is first opened: {element, toggle(), open()}. */
function foldedPart(title, make) {
  const inside = h("div");
  const element = h("details", { class: "folded" }, h("summary", {}, h("strong", {}, title)), inside);
  let made = false;
  const build = () => {
    if (made) return;
    made = true;
    inside.append(make());
  };
  element.addEventListener("toggle", () => element.open && build());
  const open = () => {
    build();
    element.open = true;
  };
  const toggle = () => {
    if (element.open) element.open = false;
    else open();
    element.querySelector("summary").focus();
    return false;
  };
  return { element, open, toggle };
}

function revealPlace({ answer, outputs, transcript, timeline }, place, quote) {
  const step = /^step (\d+)$/.exec(place);
  if (step) {
    transcript.open();
    return timeline.reveal(Number(step[1]), quote);
  }
  if (place.startsWith("file ")) return outputs.reveal(place.slice(5), quote);
  const mark = markIn(answer, quote);
  if (mark) return showMark(mark);
  answer.querySelector("pre")?.focus();
  return announce("The quote was not found in the final message.");
}
