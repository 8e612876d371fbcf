"""The pages of a workspace by their addresses, and what is looked for on each of them."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page

AXE = (Path(str(files("axe_playwright_python"))) / "axe.min.js").read_text(encoding="utf-8")
FIXED = ("overview", "cases", "benchmark", "history", "comparisons", "triggers")
_RUN_AXE = """async (rules) => {
  const found = await axe.run(document, { resultTypes: ["violations"], ...(rules.length && { runOnly: rules }) });
  return found.violations
    .filter((each) => ["serious", "critical"].includes(each.impact))
    .map((each) => `${each.id}: ${each.nodes.length} times, like ${each.nodes[0].html.slice(0, 200)} `
      + `(${each.nodes[0].failureSummary.replace(/\\s+/g, " ").slice(0, 200)})`);
}"""
_UNTIL_QUIET = """() => new Promise((resolve) => {
  let timer = null;
  const later = () => { clearTimeout(timer); timer = setTimeout(done, 200); };
  const watcher = new MutationObserver(later);
  const done = () => { watcher.disconnect(); resolve(); };
  watcher.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  setTimeout(done, 5000);
  later();
})"""
_TOO_WIDE = """() => {
  const page = document.scrollingElement;
  if (page.scrollWidth <= innerWidth) return [];
  const inBox = (element) => {
    for (let above = element.parentElement; above; above = above.parentElement) {
      if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(above).overflowX)) return true;
    }
    return false;
  };
  return [...document.body.querySelectorAll("*")]
    .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !inBox(each))
    .slice(0, 4)
    .map((each) => `${each.tagName}.${each.className} reaches ${Math.round(each.getBoundingClientRect().right)} px`);
}"""


def place(name: str, **parameters: Any) -> str:
    """`#/case?case=2`."""
    text = urlencode({key: str(value) for key, value in parameters.items()})
    return f"#/{name}?{text}" if text else f"#/{name}"


def go(page: Page, hash_: str) -> None:
    """Open a page of the page, and wait until it says that it is complete."""
    page.evaluate(
        """(hash) => { document.querySelector("main")?.setAttribute("aria-busy", "true");
        if (location.hash === hash) dispatchEvent(new HashChangeEvent("hashchange")); else location.hash = hash; }""",
        hash_,
    )
    page.wait_for_selector("main:not([aria-busy])", timeout=30_000)


def settled(page: Page) -> None:
    """What was folded is open, and what is asked for only then has come."""
    page.evaluate("document.querySelectorAll('main details:not([open])').forEach((each) => { each.open = true; })")
    quiet(page)


def quiet(page: Page) -> None:
    """Nothing changes any more."""
    page.evaluate(_UNTIL_QUIET)


def axe_findings(page: Page, *rules: str) -> list[str]:
    """Serious and critical ones, in short; of all rules, or of these alone."""
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE)
    return page.evaluate(_RUN_AXE, list(rules))


def too_wide(page: Page) -> list[str]:
    """What makes the whole page scroll sideways."""
    return page.evaluate(_TOO_WIDE)


def plain(text: str) -> str:
    """Without runs of white space."""
    return re.sub(r"\s+", " ", text).strip()
