// Markdown as elements, of a tree that the server made. Only the tags here are ever built.

import { foreignLink, h } from "./dom.js";
import { beside, hasServer, rawAddress } from "./rawfile.js";

// Headings stand below those of the page.
const MARKDOWN_TAGS = {
  p: "p",
  ul: "ul",
  ol: "ol",
  li: "li",
  strong: "strong",
  em: "em",
  s: "s",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  table: "table",
  thead: "thead",
  tbody: "tbody",
  tr: "tr",
  th: "th",
  td: "td",
  hr: "hr",
  br: "br",
  h1: "h4",
  h2: "h5",
  h3: "h6",
  h4: "h6",
  h5: "h6",
  h6: "h6",
};

/** The elements of a tree; `open(path)` shows another file of the same trial. */
export function markdownView(trial, path, tree, open) {
  const context = { trial, path, open };
  return h(
    "div",
    { class: "markdown" },
    tree.map((node) => markdownNode(node, context)),
  );
}

function markdownNode(node, context) {
  if (typeof node === "string") return node;
  const [tag, attributes, children] = node;
  if (tag === "img") return markdownImage(attributes, context);
  const inner = children.map((child) => markdownNode(child, context));
  if (tag === "a") return markdownLink(attributes.href ?? "", inner, context);
  if (tag === "table") {
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, h("table", {}, inner));
  }
  if (!Object.hasOwn(MARKDOWN_TAGS, tag)) return inner;
  const ours = MARKDOWN_TAGS[tag];
  return h(
    ours,
    {
      class: ours === tag ? attributes.number && "number" : `markdown-${tag}`,
      start: tag === "ol" && attributes.start,
    },
    inner,
  );
}

function markdownImage({ src = "", alt = "" }, { trial, path }) {
  const file = beside(path, src);
  if (file === null || !hasServer())
    return h("span", { class: "muted hostile" }, `[picture: ${alt || "no words"} (${src.slice(0, 200)})]`);
  return h("img", { src: rawAddress(trial, file), alt, loading: "lazy" });
}

function markdownLink(href, inner, { path, open }) {
  const file = beside(path, href);
  if (file === null) return foreignLink(href, inner);
  return h("button", { class: "link", onclick: () => open(file), title: file }, inner);
}
