// JSON as a tree that keeps every number as it was written and every key, also one that stands there twice.

import { fill, h } from "./dom.js";
import { count } from "./figures.js";

const JSON_TOKEN = /\s*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\.)*")|(-?\d[\d.eE+-]*|true|false|null))\s*/y;
const JSON_STEP = 200;
const JSON_OPEN = 60;

/** The tree of a text; throws SyntaxError with words where it is no JSON. */
export function parseJson(text) {
  JSON_TOKEN.lastIndex = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const root = { items: [] };
  const stack = [root];
  let before = "start";
  while (JSON_TOKEN.lastIndex < text.length) {
    const at = JSON_TOKEN.lastIndex;
    const found = JSON_TOKEN.exec(text);
    if (!found) throw new SyntaxError(`There is no JSON at character ${count(at + 1)}.`);
    before = takeToken(found, stack, before, at);
  }
  if (stack.length > 1 || root.items.length !== 1) throw new SyntaxError("The JSON ends too early.");
  return root.items[0][1];
}

// Takes one token; returns what the next one comes after. The stack is ours, so that depth is no limit.
function takeToken([, mark, string, word], stack, before, at) {
  const within = stack.at(-1);
  // Made where it is wanted: a file has a million tokens.
  const wrong = () => new SyntaxError(`The JSON is wrong at character ${count(at + 1)}.`);
  const wantsKey = within.kind === "object" && within.key === undefined;
  const mayBegin = ["start", "[", ":"].includes(before) || (before === "," && !wantsKey);
  if (mark === "]" || mark === "}") {
    if (within.kind !== (mark === "]" ? "array" : "object") || before === "," || before === ":" || before === "key")
      throw wrong();
    stack.pop();
    return stack.length === 1 ? "end" : "value";
  }
  if (mark === ",") {
    if (before !== "value") throw wrong();
    within.key = undefined;
    return ",";
  }
  if (mark === ":") {
    if (before !== "key") throw wrong();
    return ":";
  }
  if (string && wantsKey && (before === "{" || before === ",")) {
    within.key = JSON.parse(string);
    return "key";
  }
  if (!mayBegin) throw wrong();
  const node = mark
    ? { kind: mark === "{" ? "object" : "array", items: [] }
    : { kind: string ? "string" : "word", text: string ? JSON.parse(string) : word };
  within.items.push([within.kind === "object" ? within.key : within.items.length, node]);
  if (!mark) return stack.length === 1 ? "end" : "value";
  stack.push(node);
  return mark;
}

/** A tree with folding. */
export function jsonTree(node, label = "") {
  return h("div", { class: "json" }, jsonNode(label, node, { left: JSON_OPEN }));
}

/** A list of JSON values, one a line; a line that is none is shown as it is. */
export function jsonLines(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  const list = h("ol", { class: "json plain" });
  const foot = h("div", { class: "foot" });
  const budget = { left: JSON_OPEN };
  let built = 0;
  const build = () => {
    for (const line of lines.slice(built, built + JSON_STEP)) {
      built += 1;
      list.append(h("li", {}, lineTree(line, built, budget)));
    }
    fill(
      foot,
      built < lines.length && h("button", { onclick: build }, `Show more (${count(lines.length - built)} left)`),
    );
  };
  build();
  return h("div", {}, list, foot);
}

function lineTree(line, number, budget) {
  try {
    return jsonNode(String(number), parseJson(line), budget);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return h(
      "div",
      {},
      h("span", { class: "warning small" }, `${number}: no JSON. `),
      h("code", { class: "hostile" }, line.slice(0, 2000)),
    );
  }
}

function jsonNode(label, node, budget) {
  const key = label === "" ? null : [h("span", { class: "hostile token-attribute" }, String(label)), ": "];
  if (!node.items) return h("div", { class: "leaf" }, key, jsonLeaf(node));
  const what = node.kind === "object" ? `{ ${count(node.items.length)} }` : `[ ${count(node.items.length)} ]`;
  const open = node.items.length <= budget.left;
  if (open) budget.left -= node.items.length;
  const inside = h("div", { class: "inside" });
  const build = () => {
    if (details.open && inside.childElementCount === 0) jsonItems(inside, node, budget);
  };
  const details = h(
    "details",
    { open, ontoggle: build },
    h("summary", {}, key, h("span", { class: "muted" }, what)),
    inside,
  );
  build();
  return details;
}

function jsonItems(inside, node, budget, from = 0) {
  const next = Math.min(node.items.length, from + JSON_STEP);
  for (const [key, item] of node.items.slice(from, next)) inside.append(jsonNode(key, item, budget));
  if (next === node.items.length) return;
  const more = h(
    "button",
    {
      onclick: () => {
        more.remove();
        jsonItems(inside, node, { left: 0 }, next);
      },
    },
    `Show more (${count(node.items.length - next)} left)`,
  );
  inside.append(more);
}

function jsonLeaf({ kind, text }) {
  if (kind === "string") return h("span", { class: "hostile token-string" }, `"${text}"`);
  return h("span", { class: /^[-\d]/.test(text) ? "token-number" : "token-keyword" }, text);
}
