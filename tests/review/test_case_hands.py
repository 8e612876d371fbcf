"""Filters, keys and what a judge says beside its verdicts: each of them used, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

FILTERS = {
    ("Show", "Helps"): ("Case 2",),
    ("Show", "Harms"): (),
    ("Show", "Flaky"): ("Case 10",),
    ("Show", "Cannot tell"): ("Case a/b",),
    ("Show", "With ungraded assertions"): ("Case 2", "Case a/b"),
    ("Show", "With trials in no rate"): ("Case 10", "Case a/b"),
    ("Show", "Commented"): (),
    ("Arm", "with_skill: not every trial passes"): ("Case 2", "Case 10"),
    ("Arm", "without_skill: not every trial passes"): ("Case 2", "Case 10"),
}
"""Case 2 fails without the skill; two runs of case 10 were lost; the treatment's run of case a/b was never graded."""
FIRST = {"Most gained first": "Case 2", "Most lost first": "Case 10", "Most ungraded first": "Case 2"}
KEYS = {"n", "p", "j", "k", "o", "t", "d", "c", "C", "v", "r g", "r w", "r b", "1", "2", "3", "?", "g o", "g c", "g b"}


def test_every_filter_and_order(browser: Browser, kept_everything: Path) -> None:
    """Each shows the cases that are so, and no others; without any there are all seven."""
    with served(subject_of(kept_everything)) as link, page_at(browser, f"{link}#/cases") as page:
        names = page.locator(".case-list tbody th a")
        expect(names).to_have_count(7)
        for (box, option), wanted in FILTERS.items():
            chosen = page.get_by_role("combobox", name=box, exact=True)
            chosen.select_option(label=option)
            expect(names).to_have_text(list(wanted))
            chosen.select_option(index=0)
        for option, first in FIRST.items():
            page.get_by_label("Order").select_option(label=option)
            expect(names.first).to_have_text(first)
        for option in ("Both pass", "Not reviewed by you"):
            page.get_by_label("Show").select_option(label=option)
            expect(names).to_have_count(4 if option == "Both pass" else 7)


def _focus_after(page: Page, *keys: str) -> str:
    """What has the focus after these keys, pressed while nothing has it: where it is, and what it is called."""
    page.evaluate("document.activeElement.blur()")
    for key in keys:
        page.keyboard.press(key)
    return page.evaluate(
        """() => {
          const at = document.activeElement, sides = [...document.querySelectorAll(".side")];
          const place = sides.findIndex((side) => side.contains(at));
          return `${place} ${at.closest(".outputs, .verdict-row, .folded, .typed, label")?.className ?? ""} ${at.tagName}`;
        }"""
    )


def test_every_key_of_a_case(browser: Browser, everything: Path) -> None:
    """Comments of both sides, files, assertions both ways, ratings; and the dialog names all keys."""
    with served(subject_of(everything)) as link, page_at(browser, f"{link}#/case?case=2") as page:
        page.locator(".side .outputs details").first.wait_for()
        page.locator(".verdict-row").first.wait_for()
        assert _focus_after(page, "c").startswith("1 ")
        assert _focus_after(page, "c").endswith("TEXTAREA")
        assert _focus_after(page, "C").startswith("0 ")
        assert "outputs" in _focus_after(page, "o")
        rows = page.locator(".verdict-row")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("j")
        page.keyboard.press("j")
        expect(rows.nth(1)).to_be_focused()
        page.keyboard.press("k")
        expect(rows.nth(0)).to_be_focused()
        for key, name in (("g", "Good"), ("w", "Needs work"), ("b", "Bad")):
            page.keyboard.press("r")
            page.keyboard.press(key)
            expect(page.locator(".side").last.get_by_label(name)).to_be_checked()
        page.keyboard.press("?")
        shown = (
            page.get_by_role("dialog")
            .locator("tr")
            .evaluate_all(
                "rows => rows.map((row) => [...row.querySelectorAll('kbd')].map((key) => key.textContent).join(' '))"
            )
        )
        assert set(shown) >= KEYS


def test_what_a_judge_says_beside(browser: Browser, kept_everything: Path) -> None:
    """Claims with what became of them, the agent's notes, and the critique of the assertions; all of it is text."""
    with served(subject_of(kept_everything)) as link, page_at(browser, f"{link}#/case?case=2") as page:
        beside = page.locator(".judged-beside").last
        expect(beside.locator("h4")).to_have_text(
            [
                "Claims of the agent",
                "Agent's notes: uncertainties",
                "Agent's notes: needs review",
                "Agent's notes: workarounds",
                "On the assertions: suggestions",
                "On the assertions: overall",
            ]
        )
        expect(beside.locator("li").nth(0)).to_contain_text("✓ holds The sum is 3.")
        expect(beside.locator("li").nth(1)).to_contain_text("✗ does not hold All rows were read. – Two were not.")
        expect(beside.locator("li").nth(5)).to_contain_text("reason: Too weak.")
        assert beside.locator("img, script, svg").count() == 0


def test_benchmark_by_keys_and_cost_against_quality(browser: Browser, kept_everything: Path) -> None:
    """Keys go through the sections; each arm has its price and its rate."""
    with served(subject_of(kept_everything)) as link, page_at(browser, f"{link}#/benchmark") as page:
        heads = page.locator("main h2")
        heads.first.wait_for()
        page.keyboard.press("]")
        page.keyboard.press("]")
        expect(heads.nth(1)).to_be_focused()
        page.keyboard.press("[")
        expect(heads.nth(0)).to_be_focused()
        plot = page.get_by_role("group", name="Pass rate over cost of a trial")
        plot.focus()
        said: dict[str, str] = {}
        for _ in range(3):
            page.keyboard.press("ArrowRight")
            arm, _, words = plot.get_by_role("status").inner_text().partition(" (")
            said[arm] = words.partition(", ")[2]
        # Graded trials of an arm, a cent for each run's number: (1 + 2 + 3 + 5 × 1) / 8 and (2 × (1 + 2 + 3) + 5 × 1) / 11.
        assert (said["with_skill"], said["without_skill"]) == ("$0.0138 a trial", "$0.0155 a trial")
