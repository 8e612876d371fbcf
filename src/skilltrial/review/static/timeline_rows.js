// One row of a transcript's timeline for each event. All texts are the agent's: text nodes, isolated.

import { ask, refusal } from "./api.js";
import { fill, h } from "./dom.js";
import { count } from "./figures.js";

const SKILL_MARKS = {
  offered: "The skill is offered",
  not_offered: "The skill is not offered",
  asked: "Asks for the skill",
  loaded: "The skill is loaded",
  read: "The skill’s file is read",
};
const TODO_STATES = { completed: "✓", done: "✓", in_progress: "▸", pending: "○", cancelled: "✗" };

/** How a mark of the skill is said. */
export function skillMark(mark) {
  return `${mark === "not_offered" ? "☆" : "★"} ${SKILL_MARKS[mark] ?? mark}`;
}

/** The class of a mark: what is not there is nothing good. */
export function markLook(mark) {
  return mark === "not_offered" ? "event-mark absent" : "event-mark";
}

/** The row of an event. `jump(ordinal)` goes to another one, `showFile(path)` to a file of the trial. */
export function timelineRow(row, trial, { jump, showFile }) {
  const name = row.step === null ? null : `step ${row.step}`;
  const element = h("li", {
    class: `event event-${EVENT_ROWS[row.kind].look}`,
    tabindex: "-1",
    "data-ordinal": row.ordinal,
  });
  element.style.setProperty("--depth", row.depth);
  fill(
    element,
    h(
      "div",
      { class: "event-place" },
      name && h("span", { class: "event-step" }, name),
      row.seconds !== null && h("span", { class: "event-time", title: "since the start" }, eventClock(row.seconds)),
    ),
    h(
      "div",
      { class: "event-body" },
      row.depth > 0 &&
        h(
          "p",
          { class: "event-agent" },
          "Sub-agent ",
          row.agent !== null && eventLink("of this call", row.agent, jump),
        ),
      EVENT_ROWS[row.kind].draw(row, trial, { jump, showFile }),
      row.mark && h("p", { class: markLook(row.mark) }, skillMark(row.mark)),
      row.cut && h("p", { class: "muted small" }, `At least ${count(row.cut)} characters of it were not kept.`),
    ),
  );
  return element;
}

const EVENT_ROWS = {
  session_started: { look: "quiet", draw: drawSession },
  user_message: { look: "user", draw: drawUser },
  assistant_message: { look: "says", draw: (row, trial) => [eventLabel("Agent"), eventText(row, trial)] },
  thinking: {
    look: "quiet",
    draw: (row, trial) => foldedBox(["Thought", eventPreview(row.text)], () => eventText(row, trial)),
  },
  tool_call: { look: "call", draw: drawCall },
  tool_result: { look: "result", draw: drawResult },
  notice: {
    look: "notice",
    draw: (row, trial) => [eventLabel("Notice: ", h("code", {}, row.code)), eventText(row, trial)],
  },
};

function eventLabel(...parts) {
  return h("p", { class: "event-label" }, parts);
}

function eventLink(text, ordinal, jump) {
  return h("button", { class: "as-link", onclick: () => jump(ordinal) }, text);
}

function eventClock(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")} min`;
}

function eventPreview(text) {
  const line = (text ?? "").trim().split("\n", 1)[0].slice(0, 160);
  return h("span", { class: "event-preview hostile" }, line);
}

/** A box that is filled when it is opened first. */
function foldedBox(summary, draw, open = false) {
  const details = h("details", { open, ontoggle: () => details.open && filled() }, h("summary", {}, summary));
  let drawn = false;
  function filled() {
    if (drawn) return;
    drawn = true;
    details.append(h("div", { class: "event-inside" }, draw()));
  }
  if (open) filled();
  return details;
}

function drawSession(row, trial) {
  const skills =
    row.skills === null
      ? "does not say which skills it offers"
      : `offers ${row.skills.length} ${row.skills.length === 1 ? "skill" : "skills"}`;
  const facts = [
    ["Model", row.model],
    ["Version", row.version],
    ["Tools", row.tools.join(", ")],
    ["Skills", row.skills?.join(", ")],
  ].filter(([, value]) => value);
  return foldedBox([h("span", {}, "The agent program starts; it ", skills)], () => [
    h(
      "dl",
      {},
      facts.map(([name, value]) => [h("dt", {}, name), h("dd", { class: "hostile" }, value)]),
    ),
    row.text && [h("p", { class: "muted small" }, "How it lists its skills for the model:"), eventText(row, trial)],
  ]);
}

function drawUser(row, trial) {
  if (row.synthetic) {
    return foldedBox(["Put in the user’s place by the agent program", eventPreview(row.text)], () =>
      eventText(row, trial),
    );
  }
  return [eventLabel(row.turn > 1 ? `User, turn ${row.turn}` : "User"), eventText(row, trial)];
}

function drawResult(row, trial, { jump }) {
  const head = [
    row.is_error ? h("strong", { class: "bad" }, "✗ Failed result") : "Result",
    row.tool && [" of ", h("code", { class: "hostile" }, row.tool)],
    h("span", { class: "muted small" }, ` ${count(row.n_chars)} characters`),
    eventPreview(row.text),
  ];
  return foldedBox(head, () => [
    row.call !== null && eventLink("Go to its call", row.call, jump),
    eventText(row, trial, { code: true }),
  ]);
}

function drawCall(row, trial, { showFile }) {
  const about = row.about;
  const line = about.why ?? about.path ?? about.line ?? (about.shape === "todos" ? "" : about.text);
  const open = ["edit", "command", "todos"].includes(about.shape);
  return [
    foldedBox(
      ["Calls ", h("code", { class: "hostile" }, row.tool), eventPreview(line)],
      () => CALL_SHAPES[about.shape](row, trial),
      open,
    ),
    row.file !== null &&
      h(
        "button",
        { class: "as-link", onclick: () => showFile(row.file) },
        "Show the file ",
        h("span", { class: "hostile" }, row.file),
      ),
  ];
}

const CALL_SHAPES = {
  command: (row, trial) => [
    eventText({ ...row, ...row.about }, trial, { code: true, whole: false }),
    callArguments(row, trial),
  ],
  write: (row, trial) => [
    eventText({ ...row, ...row.about }, trial, { code: true, whole: false }),
    callArguments(row, trial),
  ],
  patch: (row, trial) => [callDiff(row.about.text.split("\n").map(signedLine)), callArguments(row, trial)],
  edit: (row, trial) => [callDiff(row.about.rows), callArguments(row, trial)],
  todos: (row) => h("ul", { class: "event-todos" }, row.about.items.map(todoItem)),
  arguments: (row, trial) => eventText({ ...row, ...row.about }, trial, { code: true }),
};

function signedLine(line) {
  return "+- ".includes(line[0]) && line ? [line[0], line.slice(1)] : ["", line];
}

function todoItem(item) {
  return h(
    "li",
    {},
    h("span", { "aria-hidden": "true" }, `${TODO_STATES[item.state] ?? "·"} `),
    h("span", { class: "hostile" }, item.text),
    h("span", { class: "muted small" }, ` ${item.state}`),
  );
}

function callDiff(rows) {
  const looks = { "+": "added", "-": "removed" };
  return h(
    "pre",
    { class: "scroll event-text", tabindex: "0", role: "region", "aria-label": "Change" },
    rows.map(([sign, line]) =>
      h(
        "span",
        { class: `diff-line ${looks[sign] ?? ""}` },
        h("span", { class: "hostile" }, `${sign || " "} ${line}`),
        "\n",
      ),
    ),
  );
}

function callArguments(row, trial) {
  const box = foldedBox(["All arguments"], () => {
    const place = h("div", {}, "…");
    loadEventText(place, row.ordinal, trial, 0);
    return place;
  });
  box.classList.add("event-arguments");
  return box;
}

/** A text, with a way to have all of it where it was cut. */
function eventText(row, trial, { code = false, whole = true } = {}) {
  const text = h(code ? "pre" : "div", { class: `event-text hostile ${code ? "event-code" : ""}` }, row.text);
  if (row.n_chars <= row.text.length) return text;
  if (!whole)
    return [
      text,
      h("p", { class: "muted small" }, `The first ${count(row.text.length)} of ${count(row.n_chars)} characters.`),
    ];
  const place = h("div", {}, text);
  const more = h(
    "button",
    { class: "event-more", onclick: () => loadEventText(place, row.ordinal, trial, 0) },
    `Show all ${count(row.n_chars)} characters`,
  );
  place.append(more);
  return place;
}

/** Put the text of an event into a place, part by part; a part more with each press of its button. */
export async function loadEventText(place, ordinal, trial, from) {
  place.setAttribute("aria-busy", "true");
  try {
    const part = await ask("transcript_text", { ...trial, ordinal, from });
    if (from === 0) fill(place);
    place.querySelector(":scope > button")?.remove();
    place.append(h("pre", { class: "event-text hostile event-code" }, part.text));
    if (part.next !== null) {
      place.append(
        h(
          "button",
          { onclick: () => loadEventText(place, ordinal, trial, part.next) },
          `Show more (${count(part.next)} of ${count(part.n)} ${part.unit} shown)`,
        ),
      );
    }
  } catch (error) {
    place.append(refusal(error));
  }
  place.removeAttribute("aria-busy");
}
