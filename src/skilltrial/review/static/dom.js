// Elements from data. Whatever an agent wrote becomes a text node or an attribute's value here, never markup: nothing in
// this folder assigns innerHTML, and a test looks for it.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "line", "rect", "circle", "text", "title", "polyline", "tspan", "desc"]);

/** An element: h("button", {class: "quiet", onclick: save, disabled: true}, "Save"). False, null and undefined children
 * and attributes are left out, true is an empty attribute, on… with a function is a listener. */
export function h(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** The same for pictures drawn here. */
export function s(tag, attributes = {}, ...children) {
  if (!SVG_TAGS.has(tag)) throw new Error(`no tag of ours: ${tag}`);
  return build(document.createElementNS(SVG, tag), attributes, children);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) {
      if (typeof value !== "function") throw new Error(`${name} takes a function`);
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(element, children);
  return element;
}

/** Add children: nodes, texts, numbers, and lists of them. */
export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === false || child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Put these in place of all that an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** A link of somebody else's, or its text alone where it leads anywhere but to the web or a mailbox. */
export function foreignLink(address, ...children) {
  let url = null;
  try {
    url = new URL(address);
  } catch {
    // no whole address: its text is all there is
  }
  if (url === null || !["http:", "https:", "mailto:"].includes(url.protocol)) return h("span", {}, ...children);
  return h("a", { href: url.href, rel: "noopener noreferrer", target: "_blank" }, ...children);
}

/** Our own sentences: what stands between backticks is code. */
export function withCode(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));
}
