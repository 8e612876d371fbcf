// The first page: does the skill help, by how much, how sure are we, and what stands against it.

import { ask } from "./api.js";
import { shareBar } from "./cases.js";
import { fill, h, s, withCode } from "./dom.js";
import { generalFeedback } from "./feedback.js";
import { count, dollars, percent, points, seconds } from "./figures.js";
import { link } from "./links.js";
import { visibleName } from "./names.js";
import { underwayList } from "./underway.js";

const SEVERITY_WORDS = {
  invalid: ["✗ Invalid", "bad", "The comparison answers no question about the skill."],
  warning: ["! Warning", "warning", "Read the figures with this in mind."],
  info: ["i Note", "muted", ""],
};
const WORD_SIGNS = { good: "▲", bad: "▼", warning: "?", plain: "=" };

export const overview = {
  title: "Overview",
  async show(main, parameters, context) {
    const asked = { iteration: parameters.iteration };
    const places = { top: h("div"), left: h("div"), right: h("div") };
    const words = h("div");
    const running = h("div");
    main.append(
      places.top,
      running,
      h("div", { class: "overview-columns" }, h("div", {}, places.left, words), places.right),
    );
    const draw = async (more) => {
      const found = await ask("overview", { ...asked, ...more }, { signal: context.signal });
      drawOverview(places, found);
      return found;
    };
    const first = await draw({});
    running.append(underwayList(first.iteration, context));
    // Apart from what is drawn anew: somebody may be typing there.
    words.append(h("h2", {}, "Your words on the whole"), generalFeedback(first.iteration, context), reviewLine(first));
    if (!first.fresh || first.byPeople.count) followOverview(draw, main);
    return { keys: [{ key: "c", name: "Cases", run: () => context.go("cases", asked) }] };
  },
};

function reviewLine({ iteration, nextUnreviewed }) {
  if (nextUnreviewed === null) return h("p", { class: "muted" }, "You have looked at every case.");
  return h(
    "p",
    {},
    h(
      "a",
      { href: link("case", { iteration, case: nextUnreviewed.id }) },
      "Next case that you have not reviewed: ",
      h("bdi", {}, nextUnreviewed.title),
    ),
  );
}

async function followOverview(draw, main) {
  try {
    await draw({ wait: 1 });
  } catch (error) {
    if (error.name !== "AbortError") main.append(h("p", { class: "notice", role: "alert" }, error.message));
  }
}

function uncounted({ queries }) {
  if (!queries) return h("p", {}, "Nothing is counted yet.");
  const page = h("a", { href: link("triggers", {}) }, "Triggers");
  return h("p", {}, "These runs ask one thing, whether the skill is loaded: ", page, " has what came of them.");
}

function drawOverview({ top, left, right }, found) {
  const { figures, remarks, iteration } = found;
  fill(
    top,
    h("h1", {}, "Overview"),
    progressPart(found),
    found.notices.map((notice) => h("p", { class: "notice" }, visibleName(notice))),
    figures ? sentencePart(figures) : uncounted(found),
    remarks && h("p", { class: "notice next" }, h("strong", {}, "What to do next: "), withCode(remarks.next)),
  );
  fill(left, figures && [armsPart(figures), wherePart(figures, iteration)], peoplePart(found));
  fill(
    right,
    remarks && [
      findingsPart(remarks, iteration),
      ungradedPart(remarks, iteration),
      lostPart(remarks, iteration),
      notesPart(remarks),
    ],
  );
}

function progressPart({ progress, fresh }) {
  const { planned, finished, graded } = progress;
  const words = `${count(finished)} of ${count(planned)} trials have ended, ${count(graded)} are graded.`;
  if (finished === planned && graded === planned && fresh) return null;
  return h(
    "div",
    { class: "notice" },
    h("label", {}, words, " ", h("progress", { max: planned || 1, value: graded })),
    !fresh && h("p", {}, "Trials changed since these figures were made. New ones are on their way."),
  );
}

function sentencePart({ headline, lift }) {
  return h(
    "section",
    { "aria-label": "Result" },
    h(
      "p",
      {},
      h("span", { class: `word-badge ${headline.tone}` }, `${WORD_SIGNS[headline.tone] ?? ""} ${headline.word}`),
    ),
    h("p", { class: "overview-sentence hostile" }, headline.sentence),
    lift && lift.estimate !== null && forestLine(lift),
    headline.details.map((detail) => h("p", { class: "muted hostile" }, detail)),
  );
}

/** The lift with its interval on a scale from −100 to +100 points. */
function forestLine({ estimate, low, high, margin, level }) {
  const x = (share) => 20 + ((Math.max(-1, Math.min(1, share)) + 1) / 2) * 560;
  const known = low !== null && high !== null;
  const words =
    `Difference of pass rates ${points(estimate)}` +
    (known ? `, ${percent(level)} interval ${points(low)} to ${points(high)}` : ", no interval") +
    `; differences up to ${points(margin).slice(1)} either way would not matter.`;
  const ticks = [-1, -0.5, 0, 0.5, 1];
  return s(
    "svg",
    { class: "forest", viewBox: "0 0 600 62", role: "img", "aria-label": words },
    s("title", {}, words),
    s("rect", { class: "margin", x: x(-margin), y: 4, width: x(margin) - x(-margin), height: 36 }),
    s("line", { class: "axis", x1: x(-1), x2: x(1), y1: 40, y2: 40 }),
    s("line", { class: "axis", x1: x(0), x2: x(0), y1: 4, y2: 44 }),
    ticks.map((tick) =>
      s("text", { x: x(tick), y: 57, "text-anchor": "middle" }, points(tick).replace(" points", "").replace("±", "")),
    ),
    known && s("line", { class: "whisker", x1: x(low), x2: x(high), y1: 22, y2: 22 }),
    s("circle", { class: "dot", cx: x(estimate), cy: 22, r: 6 }),
  );
}

function armsPart({ arms, lift, ratios }) {
  const rows = arms.map((arm) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h("bdi", {}, arm.name),
        h("div", { class: "muted small hostile" }, visibleName(arm.models.join(", ")) || "model unknown"),
      ),
      h("td", {}, shareBar(arm.rate, arm.name === lift?.treatment ? "treatment" : "baseline")),
      h(
        "td",
        { class: "number" },
        `${count(arm.passed)} of ${count(arm.graded)}`,
        arm.graded < arm.planned && h("div", { class: "muted small" }, `${count(arm.planned)} planned`),
      ),
      h("td", { class: "number" }, dollars(arm.usd)),
      h("td", { class: "number" }, seconds(arm.seconds)),
      h("td", { class: "number" }, count(arm.tokens === null ? null : Math.round(arm.tokens))),
    ),
  );
  const names = [
    "Arm",
    "Assertions passed",
    "Trials without a failure",
    "Cost a trial",
    "Time a trial",
    "Tokens a trial",
  ];
  return [
    h("h2", {}, "Arms"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Arms" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            names.map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
    ratios.map((sentence) => h("p", { class: "muted small hostile" }, sentence)),
  ];
}

function wherePart({ where }, iteration) {
  return [
    h("h2", {}, "Cases"),
    where.length > 0 &&
      h(
        "ul",
        {},
        where.map(({ text, tone }) => h("li", { class: `hostile ${tone}` }, text)),
      ),
    h("p", {}, h("a", { href: link("cases", { iteration }) }, "All cases")),
  ];
}

function peoplePart({ byPeople, figures, adjusted, iteration }) {
  if (!byPeople.count) return null;
  const arms = Object.entries(byPeople.arms)
    .map(([name, n]) => `${n} of ${name}`)
    .join(", ");
  return [
    h("h2", {}, "Taken out by people"),
    h("p", { class: "hostile" }, `${count(byPeople.count)} ${byPeople.count === 1 ? "trial" : "trials"} (${arms}).`),
    byPeople.unbalanced &&
      h(
        "p",
        { class: "notice" },
        "More trials of one arm than of another were taken out: the adjusted figures may lean to one side.",
      ),
    adjusted ? rawAndAdjusted(figures, adjusted) : h("p", { class: "muted" }, "Figures without them are on their way."),
    h(
      "ul",
      { class: "small" },
      byPeople.trials.map((trial) =>
        h("li", {}, trialLink(trial, iteration), ": ", h("span", { class: "hostile" }, trial.reason)),
      ),
    ),
  ];
}

function rawAndAdjusted(raw, adjusted) {
  const interval = (lift) => (lift && lift.low !== null ? `${points(lift.low)} to ${points(lift.high)}` : "unknown");
  const rows = [
    ["Word", raw.headline.word, adjusted.headline.word],
    ["Difference", points(raw.lift?.estimate), points(adjusted.lift?.estimate)],
    ["Interval", interval(raw.lift), interval(adjusted.lift)],
    ...raw.arms.map((arm) => [
      arm.name,
      percent(arm.rate),
      percent(adjusted.arms.find(({ name }) => name === arm.name)?.rate),
    ]),
  ];
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Raw and adjusted figures" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["", "All trials", "Without them"].map((name) => h(name ? "th" : "td", name ? { scope: "col" } : {}, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map(([name, one, other]) =>
          h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), h("td", {}, one), h("td", {}, other)),
        ),
      ),
    ),
  );
}

function trialLink({ case: id, arm, repeat }, iteration) {
  const words = [h("bdi", {}, id), ", ", h("bdi", {}, arm), `, run ${repeat}`];
  return h("a", { href: link("case", { iteration, case: id, right: arm, repeat }) }, words);
}

function findingsPart({ findings, stop, calibration }, iteration) {
  return [
    h("h2", {}, "What stands against it"),
    stop && h("p", { class: "finding warning" }, stop),
    calibration && h("p", { class: "finding warning" }, calibration),
    !findings.length && h("p", { class: "muted" }, "Nothing was found against the comparison."),
    findings.map(({ severity, message, count: n, trials }) => {
      const [word, tone, meaning] = SEVERITY_WORDS[severity];
      return h(
        "div",
        { class: `finding ${severity}` },
        h("p", {}, h("strong", { class: tone }, word), " ", h("span", { class: "hostile" }, message)),
        meaning && h("p", { class: "muted small" }, meaning),
        trialDetails(trials, n, iteration),
      );
    }),
  ];
}

function trialDetails(trials, n, iteration) {
  if (!n) return null;
  return h(
    "details",
    { class: "small" },
    h("summary", {}, `${count(n)} ${n === 1 ? "trial" : "trials"}`),
    h(
      "ul",
      {},
      trials.map((trial) => h("li", {}, trialLink(trial, iteration))),
      n > trials.length && h("li", { class: "muted" }, `and ${count(n - trials.length)} more`),
    ),
  );
}

function ungradedPart({ ungraded }, iteration) {
  if (!ungraded.length) return null;
  return [
    h("h2", {}, "Not graded"),
    ungraded.map(({ count: n, reason, examples }) =>
      h(
        "div",
        { class: "finding" },
        h(
          "p",
          {},
          h("strong", {}, `? ${count(n)} ${n === 1 ? "assertion" : "assertions"}`),
          ": ",
          h("span", { class: "hostile" }, reason),
        ),
        h(
          "details",
          { class: "small" },
          h("summary", {}, "For example"),
          h(
            "ul",
            {},
            examples.map((example) => h("li", { class: "hostile" }, example)),
          ),
        ),
      ),
    ),
    h("p", {}, h("a", { href: link("cases", { iteration, show: "ungraded" }) }, "Cases with ungraded assertions")),
  ];
}

function lostPart({ excluded }, iteration) {
  if (!excluded.length) return null;
  return [
    h("h2", {}, "Trials in no rate"),
    excluded.map(({ outcome, reason, count: n, arms, trials }) =>
      h(
        "div",
        { class: "finding" },
        h(
          "p",
          {},
          h("strong", {}, `${count(n)} ${outcome.replaceAll("_", " ")}`),
          " (",
          Object.entries(arms)
            .map(([name, some]) => `${some} ${name}`)
            .join(", "),
          "): ",
          h("span", { class: "hostile" }, reason),
        ),
        trialDetails(trials, n, iteration),
      ),
    ),
  ];
}

function notesPart({ notes }) {
  return (
    notes.length > 0 && [
      h("h2", {}, "Notes"),
      h(
        "ul",
        {},
        notes.map((note) => h("li", {}, visibleName(note))),
      ),
    ]
  );
}
