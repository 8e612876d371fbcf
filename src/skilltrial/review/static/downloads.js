// Reports of an iteration to take away.

import { h } from "./dom.js";

const FILES = [
  ["report.html", "Report as a page"],
  ["report.md", "Report as Markdown"],
  ["benchmark.json", "All figures as JSON"],
  ["trials.csv", "Trials as CSV"],
  ["assertions.csv", "Assertions as CSV"],
  ["trials.jsonl", "Trials as JSON lines"],
  ["junit.xml", "JUnit XML"],
];

/** A menu of links; nothing where there is no server to make the files. */
export function downloadMenu(iteration, context) {
  if (context.static) return null;
  const items = FILES.map(([name, title]) =>
    h(
      "li",
      {},
      h("a", { href: `download/${name}?${new URLSearchParams({ iteration })}`, download: name }, title),
      " ",
      h("span", { class: "muted small" }, name),
    ),
  );
  return h("details", { class: "downloads" }, h("summary", {}, "Download ▾"), h("ul", {}, items));
}
