// A quote found in what is shown, marked where it stands.

import { h } from "./dom.js";

const MARK_BLOCKS = ".line, p, li, td, th, pre, h4, h5, h6, dt, dd, summary, div";

/** Mark the first place of a quote below an element; its first mark, or null where it does not stand there. */
export function markIn(root, quote) {
  unmarkIn(root);
  const wanted = quote.trim().replace(/\s+/g, " ");
  if (!wanted) return null;
  const { text, places } = textBelow(root);
  let start = text.indexOf(wanted);
  if (start < 0) start = text.toLowerCase().indexOf(wanted.toLowerCase());
  if (start < 0) return null;
  const marks = slicesOf(places.slice(start, start + wanted.length)).map(([node, from, to]) =>
    wrapMark(node, from, to),
  );
  return marks[0] ?? null;
}

/** Take the marks of a quote away. */
export function unmarkIn(root) {
  for (const mark of root.querySelectorAll("mark.quote")) {
    const parent = mark.parentNode;
    mark.replaceWith(...mark.childNodes);
    parent.normalize();
  }
}

/** Bring a mark before the reader's eyes, and the focus to it. */
export function showMark(mark) {
  mark.setAttribute("tabindex", "-1");
  mark.scrollIntoView({ block: "center", inline: "nearest" });
  mark.focus({ preventScroll: true });
}

/** The text with every run of white space as one blank, and for each character of it where it stands. */
function textBelow(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const characters = [];
  const places = [];
  let piece = null;
  let blank = true;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const within = node.parentElement.closest(MARK_BLOCKS);
    if (within !== piece && !blank) {
      characters.push(" ");
      places.push(null);
      blank = true;
    }
    piece = within;
    for (let at = 0; at < node.data.length; at += 1) {
      const isBlank = /\s/.test(node.data[at]);
      if (isBlank && blank) continue;
      characters.push(isBlank ? " " : node.data[at]);
      places.push([node, at]);
      blank = isBlank;
    }
  }
  return { text: characters.join(""), places };
}

function slicesOf(places) {
  const slices = [];
  for (const place of places) {
    if (place === null) continue;
    const last = slices.at(-1);
    if (last && last[0] === place[0]) last[2] = place[1] + 1;
    else slices.push([place[0], place[1], place[1] + 1]);
  }
  return slices;
}

function wrapMark(node, from, to) {
  const range = document.createRange();
  range.setStart(node, from);
  range.setEnd(node, to);
  const mark = h("mark", { class: "quote" });
  range.surroundContents(mark);
  return mark;
}
