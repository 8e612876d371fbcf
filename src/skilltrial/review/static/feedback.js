// What people say of trials, cases and the whole: comments, ratings, own verdicts, what is left out.

import { act, ask, refusal } from "./api.js";
import { fill, h } from "./dom.js";
import { draftPlace, draftsOf, freshName, keepDraft, ownDraft } from "./drafts.js";
import { askForReason } from "./reason.js";
import { TypedBox, clock } from "./typedbox.js";

const RATINGS = [
  ["good", "Good"],
  ["needs-work", "Needs work"],
  ["bad", "Bad"],
];
const ACTIONS = [
  ["iterate", "Iterate"],
  ["publish", "Publish"],
  ["stop", "Stop"],
];
const asked = new WeakMap();
let groups = 0;

/** Rating and comment on one trial: {element, focus(), rate(rating)}. */
export function trialFeedback(trial, context) {
  return thingFeedback(trial, context, "Comment on this run");
}

/** The same on all runs of a case together, and whether they were looked at: {element, focus(), mark()}. */
export function caseFeedback({ iteration, case: id }, context) {
  return thingFeedback({ iteration, case: id, arm: null, repeat: null }, context, "Comment on this case");
}

function thingFeedback(about, context, label) {
  const element = h("section", {
    class: "feedback",
    "aria-label": about.arm === null ? "Your view of the case" : "Your view of the run",
  });
  const parts = { box: null, rating: null, mark: null };
  const ready = said(about, context).then((found) => {
    const thing = found.things.find((each) => each.arm === about.arm && each.repeat === about.repeat);
    if (!thing) return;
    parts.rating = ratingPart(about, thing, context);
    parts.box = commentPart(about, thing, context, label);
    parts.mark = about.arm === null && isKept(context) ? reviewedPart(about, thing, context) : null;
    fill(
      element,
      parts.mark?.element,
      parts.rating.element,
      parts.box.element,
      earlierPart(thing),
      othersPart(thing.others),
    );
  });
  ready.catch((error) => context.signal.aborted || fill(element, refusal(error)));
  return {
    element,
    focus: () => ready.then(() => parts.box?.focus()),
    rate: (rating) => ready.then(() => parts.rating?.choose(rating)),
    mark: () => ready.then(() => parts.mark?.choose(true)),
  };
}

/** What was said of a case, asked once for all that is shown of it. */
function said({ iteration, case: id }, context) {
  const known = asked.get(context.signal) ?? new Map();
  asked.set(context.signal, known);
  const key = JSON.stringify([iteration, id]);
  if (!known.has(key)) known.set(key, ask("feedback", { iteration, case: id }, { signal: context.signal }));
  return known.get(key);
}

function isKept(context) {
  return !context.read_only;
}

/** Do it, and let what is drawn next ask anew. */
async function tell(name, body, context) {
  const answer = await act(name, { id: freshName(), ...body });
  asked.delete(context.signal);
  return answer;
}

function commentPart(about, thing, context, label) {
  const send = async (typed) => {
    const { thing: now, at, warning } = await tell("comment", { ...about, ...typed }, context);
    return { words: now.own.comments, at, warning };
  };
  return new TypedBox({
    label,
    place: draftPlace(context.name, [about.iteration, about.case, about.arm, about.repeat]),
    words: thing.own.comments,
    send: isKept(context) ? send : null,
    about: { run_id: thing.run_id },
    signal: context.signal,
  });
}

/** "I have reviewed this case": {element, choose(value)}; `choose` tells whether it was kept. */
function reviewedPart(about, thing, context) {
  const status = h("span", { class: "small warning", role: "status" });
  const box = h("input", { type: "checkbox", checked: thing.own.reviewed, onchange: () => choose(box.checked) });
  const choose = async (reviewed) => {
    box.checked = reviewed;
    fill(status);
    try {
      await tell("review", { ...about, reviewed }, context);
      return true;
    } catch (error) {
      box.checked = !reviewed;
      fill(status, ` Not saved: ${error.message}`);
      return false;
    }
  };
  return { element: h("p", {}, h("label", {}, box, " I have reviewed this case"), status), choose };
}

function earlierPart(thing) {
  const isEarlier = thing.own.comments.some(({ earlier }) => earlier);
  return (
    isEarlier && h("p", { class: "small warning" }, "You wrote this of an earlier run: the trial ran again since.")
  );
}

function othersPart(others) {
  return others.map(({ by, comments, rating }) =>
    h(
      "div",
      { class: "said small" },
      h("strong", { class: "hostile" }, by),
      rating && [": ", RATINGS.find(([value]) => value === rating)?.[1] ?? rating],
      comments.map(({ text, at, earlier }) =>
        h("blockquote", { class: "hostile", title: clock(at) }, text, earlier && " (of an earlier run)"),
      ),
    ),
  );
}

function ratingPart(about, thing, context) {
  const place = draftPlace(context.name, [about.iteration, about.case, about.arm, about.repeat, "rating"]);
  const first = isKept(context) ? thing.own.rating : (ownDraft(place)?.rating ?? thing.own.rating);
  const send = async (rating) => {
    if (isKept(context)) return (await tell("rate", { ...about, rating }, context)).warning;
    return keepDraft(place, { run_id: thing.run_id, rating }) ? "Kept in this browser." : "This browser keeps nothing.";
  };
  return choiceGroup("Rating", RATINGS, first, send);
}

/** One of several words, or none: {element, choose(value)}. */
function choiceGroup(legend, options, first, send) {
  const status = h("span", { class: "small muted", role: "status" });
  const name = `choice-${++groups}`;
  const inputs = options.map(([value]) => h("input", { type: "radio", name, value, onchange: () => choose(value) }));
  const back = h("button", { class: "small quiet", onclick: () => choose(null) }, "Take back");
  let now = first;
  const draw = () => {
    for (const input of inputs) input.checked = input.value === now;
    back.hidden = now === null;
  };
  const choose = async (value) => {
    const before = now;
    now = value;
    draw();
    if (value === null) inputs[0].focus();
    status.className = "small muted";
    fill(status, "Saving…");
    try {
      const warning = await send(value);
      fill(status, warning ?? `Saved ${clock(new Date())}`);
    } catch (error) {
      now = before;
      draw();
      status.className = "small warning";
      fill(status, `Not saved: ${error.message}`);
    }
  };
  draw();
  const labels = inputs.map((input, index) => h("label", {}, input, " ", options[index][1]));
  return {
    element: h("fieldset", { class: "choice" }, h("legend", { class: "small" }, legend), labels, back, status),
    choose,
  };
}

/** Own PASS, FAIL or UNSURE on one assertion of a trial. */
export function verdictControl(trial, assertion, context) {
  const element = h("span", { class: "own-verdict", role: "group", "aria-label": "Your own verdict" });
  if (!isKept(context)) return element;
  const status = h("span", { class: "small warning", role: "status" });
  const draw = (mine, others) => {
    const buttons = ["PASS", "FAIL", "UNSURE"].map((word) =>
      h("button", { class: "small", "aria-pressed": String(word === mine), onclick: () => choose(word, others) }, word),
    );
    const told = others.map(({ by, verdict }) => h("span", { class: "small muted" }, h("bdi", {}, by), `: ${verdict}`));
    fill(element, h("span", { class: "small muted", "aria-hidden": "true" }, "You: "), buttons, told, status);
  };
  const choose = async (word, others) => {
    const index = ["PASS", "FAIL", "UNSURE"].indexOf(word);
    try {
      await tell("verdict", { ...trial, assertion, verdict: word }, context);
      fill(status);
      draw(word, others);
      element.querySelectorAll("button")[index].focus();
    } catch (error) {
      fill(status, ` Not saved: ${error.message}`);
    }
  };
  said(trial, context)
    .then(({ verdicts }) => {
      const here = verdicts.filter(
        (each) =>
          each.arm === trial.arm && each.repeat === trial.repeat && each.assertion === assertion && !each.earlier,
      );
      draw(
        here.find(({ own }) => own)?.verdict ?? null,
        here.filter(({ own }) => !own),
      );
    })
    .catch(() => draw(null, []));
  return element;
}

/** Leave a trial out of the adjusted figures, or take that back; both with a reason. */
export function exclusionControl(trial, context) {
  const element = h("p", { class: "exclusion small" });
  const draw = (excluded) => {
    const words = excluded && [
      h("strong", {}, "Left out of the adjusted figures"),
      " by ",
      h("bdi", {}, excluded.by),
      ": ",
      h("span", { class: "hostile" }, excluded.reason),
      " ",
    ];
    const button = h(
      "button",
      { class: "small", onclick: () => change(!excluded) },
      excluded ? "Take it back in…" : "Leave out of the figures…",
    );
    fill(element, words, isKept(context) && button);
  };
  const change = (excluded) =>
    askForReason({ trial, excluded, context }, async (reason) => {
      const { thing } = await tell("exclude", { ...trial, excluded, reason }, context);
      draw(thing.excluded);
      element.querySelector("button")?.focus();
    });
  said(trial, context)
    .then(({ things }) =>
      draw(things.find((each) => each.arm === trial.arm && each.repeat === trial.repeat)?.excluded ?? null),
    )
    .catch((error) => context.signal.aborted || fill(element, refusal(error)));
  return element;
}

/** The note on the whole iteration, what to do next, and the end of the review. */
export function generalFeedback(iteration, context) {
  const element = h("section", { class: "feedback general", "aria-label": "Your review" });
  const draw = (whole) => {
    fill(
      element,
      h(
        "p",
        { class: "muted small" },
        `You have looked at ${whole.reviewed} of ${whole.trials} runs. ${whole.commented} have comments.`,
      ),
      notePart(whole, context).element,
      othersPart(whole.others),
      decisionPart(whole, context).element,
      isKept(context) ? finishPart(whole, context, draw) : downloadPart(iteration, context),
      elsewherePart(whole),
    );
  };
  ask("feedback", { iteration }, { signal: context.signal })
    .then(draw)
    .catch((error) => context.signal.aborted || fill(element, refusal(error)));
  return element;
}

function notePart(whole, context) {
  const send = async (typed) => {
    const { whole: now, at, warning } = await tell("note", { iteration: whole.iteration, ...typed }, context);
    return { words: now.own, at, warning };
  };
  return new TypedBox({
    label: "Note on the whole",
    place: draftPlace(context.name, [whole.iteration, "note"]),
    words: whole.own,
    send: isKept(context) ? send : null,
    about: { general: true },
    signal: context.signal,
  });
}

function decisionPart(whole, context) {
  const place = draftPlace(context.name, [whole.iteration, "decision"]);
  const first = isKept(context)
    ? (whole.decision?.action ?? null)
    : (ownDraft(place)?.action ?? whole.decision?.action ?? null);
  return choiceGroup("What next with the skill", ACTIONS, first, async (action) => {
    if (isKept(context)) return (await tell("decide", { iteration: whole.iteration, action }, context)).warning;
    return keepDraft(place, { action }) ? "Kept in this browser." : "This browser keeps nothing.";
  });
}

function finishPart(whole, context, draw) {
  const { complete } = whole;
  if (complete) {
    return h(
      "p",
      { class: "small" },
      h("strong", {}, "The review is finished"),
      " (",
      h("bdi", {}, complete.by),
      `, ${clock(complete.at)}). What you say now is added to it.`,
    );
  }
  const status = h("span", { class: "small warning", role: "status" });
  const finish = async () => {
    try {
      const { whole: now } = await tell("finish", { iteration: whole.iteration }, context);
      draw(now);
    } catch (error) {
      fill(status, ` Not saved: ${error.message}`);
    }
  };
  return h("p", {}, h("button", { onclick: finish }, "Finish the review"), status);
}

function elsewherePart({ elsewhere, unread }) {
  return [
    elsewhere.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, `Comments on ${elsewhere.length} runs that are not here`),
        elsewhere.map(({ run_id: id, by, text }) => h("blockquote", { class: "hostile" }, `${id} (${by}): ${text}`)),
      ),
    unread.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, `${unread.length} lines of the journal do not count`),
        h(
          "ul",
          {},
          unread.map((line) => h("li", { class: "hostile" }, line)),
        ),
      ),
  ];
}

function downloadPart(iteration, context) {
  const save = () => {
    const url = URL.createObjectURL(
      new Blob([JSON.stringify(draftedFile(iteration, context), null, 2)], { type: "application/json" }),
    );
    h("a", { href: url, download: "feedback.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
  return h(
    "p",
    { class: "small" },
    h("button", { onclick: save }, "Download feedback.json"),
    ` Put it into the folder iteration-${iteration} of the workspace: the next skilltrial view takes it in.`,
  );
}

/** All that was typed into a page of one file, in skill-creator's form with what skill-builder's has beside. */
function draftedFile(iteration, context) {
  const file = { iteration: Number(iteration), reviews: [], status: "in_progress" };
  const runs = new Map();
  for (const draft of draftsOf(context.name)) {
    if (draft.action) file.action = draft.action;
    if (draft.general && draft.text) file.general_feedback = draft.text;
    if (!draft.run_id) continue;
    const run = runs.get(draft.run_id) ?? { run_id: draft.run_id, feedback: "" };
    runs.set(draft.run_id, {
      ...run,
      timestamp: draft.at,
      ...(draft.text && { feedback: draft.text }),
      ...(draft.rating && { rating: draft.rating }),
    });
  }
  file.reviews = [...runs.values()];
  return file;
}
