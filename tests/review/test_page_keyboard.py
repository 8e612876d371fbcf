"""Hands on the keyboard: everything can be reached with Tab, is seen when it is, and nothing holds the focus."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from places import FIXED, go, place, quiet, settled
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

TITLES = {
    "c": "Cases",
    "b": "Benchmark",
    "h": "History",
    "p": "Blind comparisons",
    "t": "Triggers",
    "o": "Overview",
}
COUNT = """() => {
  const inert = (each) => each.closest("details:not([open])") && !each.matches("details > summary");
  const groups = new Set();
  return [...document.querySelectorAll("a[href], button, input, select, textarea, summary, iframe, [tabindex='0']")]
    .filter((each) => !each.disabled && each.tabIndex >= 0 && !inert(each) && each.checkVisibility({ visibilityProperty: true }))
    .filter((each) => each.type !== "radio" || !(groups.has(each.name) || !groups.add(each.name))).length;
}"""
STOP = """() => {
  const each = document.activeElement;
  if (each === document.body || each === null) return null;
  each.dataset.visits = Number(each.dataset.visits ?? 0) + 1;
  const style = getComputedStyle(each);
  const box = each.getBoundingClientRect();
  const shown = style.outlineStyle !== "none" || style.boxShadow !== "none" || each.tagName === "IFRAME";
  const name = `${each.tagName} ${each.getAttribute("aria-label") ?? each.textContent.trim().slice(0, 30)}`;
  return { name, shown, visits: each.dataset.visits, inside: box.bottom > 0 && box.top < innerHeight };
}"""


def _tabbed(page: Page, most: int) -> list[dict[str, str | bool]]:
    """What has the focus after each Tab, until it comes round."""
    page.evaluate("document.querySelectorAll('[data-visits]').forEach((each) => { delete each.dataset.visits; })")
    stops: list[dict[str, str | bool]] = [page.evaluate(STOP)]
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None or stop["visits"] != "1":
            break
        stops.append(stop)
    return stops


def test_tab_reaches_all(browser: Browser, kept_demo: Path) -> None:
    """On every page Tab goes through all controls and out again, and shows where it is."""
    with served(subject_of(kept_demo)) as link, page_at(browser, link) as page:
        for each in (*map(place, FIXED), place("case", case="mail-retry")):
            go(page, each)
            quiet(page)
            page.locator("a.skip").focus()
            n_controls = page.evaluate(COUNT)
            stops = _tabbed(page, n_controls + 30)
            assert [stop["name"] for stop in stops if not (stop["shown"] and stop["inside"])] == [], each
            assert n_controls * 0.9 <= len(stops) < n_controls + 30, each


def test_keys_and_dialog(browser: Browser, kept_demo: Path) -> None:
    """`g` and a letter leads to each page; `?` shows the keys, Escape closes them, and the focus is back where it was."""
    with served(subject_of(kept_demo)) as link, page_at(browser, link) as page:
        page.locator("main:not([aria-busy]) h1").wait_for()
        for key, title in TITLES.items():
            page.keyboard.press("g")
            page.keyboard.press(key)
            expect(page.get_by_role("heading", level=1)).to_contain_text(title)
            expect(page.locator("main")).to_be_focused()
        page.get_by_role("link", name="Cases", exact=True).focus()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("g")
        page.keyboard.press("b")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("link", name="Cases", exact=True)).to_be_focused()
        expect(page.get_by_role("heading", level=1)).to_have_text("Overview")


def test_v21_arrows_scroll(browser: Browser, everything: Path) -> None:
    """Fault V21: arrows changed the case, saved, and acted on hidden tabs. Here they scroll, and letters are typed."""
    with served(subject_of(everything)) as link, page_at(browser, link, viewport={"width": 900, "height": 500}) as page:
        go(page, place("case", case="2"))
        settled(page)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        page.evaluate(
            "new Promise((seen) => { const look = () => (scrollY > 0 ? seen() : setTimeout(look, 10)); look(); })"
        )
        expect(page.get_by_role("heading", level=1)).to_have_text("Case 2")
        box = page.get_by_label("Comment on this run").first
        box.focus()
        page.keyboard.type("n p g c ?")
        expect(box).to_have_value("n p g c ?")
        expect(page.get_by_role("heading", level=1)).to_have_text("Case 2")
