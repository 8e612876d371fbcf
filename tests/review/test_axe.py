"""Everybody can use every page: axe-core finds nothing serious, and nothing makes a page scroll sideways."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
from browsing import page_at, served, subject_of
from everything import CASES
from places import FIXED, axe_findings, go, place, quiet, settled, too_wide
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PLACES = [*map(place, FIXED), place("case", case="2"), place("case", case=CASES[6])]
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, Scheme] = ("light", "dark")


@pytest.mark.parametrize(("scheme", "other", "width"), [("light", "dark", 1400), ("dark", None, 360)])
def test_axe(browser: Browser, kept_everything: Path, scheme: Scheme, other: Scheme | None, width: int) -> None:
    """No page has a serious or critical issue, wide and on a phone, with all that folds opened; contrast in both schemes.

    Colours are the same at all widths, and a phone shows nothing that a wide page has not: there one scheme is enough.
    """
    options: dict[str, Any] = {
        "color_scheme": scheme,
        "viewport": {"width": width, "height": 900},
        "reduced_motion": "reduce",
    }
    found: dict[tuple[str, str], list[str]] = {}
    with served(subject_of(kept_everything)) as link, page_at(browser, link, **options) as page:
        for each in PLACES:
            go(page, each)
            settled(page)
            found[scheme, each] = axe_findings(page) + too_wide(page)
            if other and each != PLACES[-1]:  # looks like the case before it
                page.emulate_media(color_scheme=other)
                found[other, each] = axe_findings(page, "color-contrast")
                page.emulate_media(color_scheme=scheme)
        page.keyboard.press("?")
        page.get_by_role("dialog").wait_for()
        found[scheme, "keys"] = axe_findings(page)
    assert {where: what for where, what in found.items() if what} == {}


def test_very_wide_and_forced_colours(browser: Browser, kept_everything: Path) -> None:
    """At 3840 px no page scrolls sideways; with forced colours everything is there too."""
    found: dict[str, list[str]] = {}
    options: dict[str, Any] = {"viewport": {"width": 3840, "height": 2160}, "color_scheme": "dark"}
    with (
        served(subject_of(kept_everything)) as link,
        page_at(browser, link, forced_colors="active", **options) as page,
    ):
        for each in PLACES:
            go(page, each)
            settled(page)
            assert page.locator("main h1").first.is_visible(), each
            found[each] = too_wide(page)
    assert {where: what for where, what in found.items() if what} == {}


def test_axe_of_dialog_and_blind_page(browser: Browser, kept_everything: Path) -> None:
    """Neither the dialog that leaves a run out of the figures nor the blind page has an issue, in both schemes."""
    found: list[str] = []
    with served(subject_of(kept_everything)) as link, page_at(browser, link) as page:
        go(page, place("case", case="2"))
        page.get_by_role("button", name="Leave out of the figures…").first.click()
        page.get_by_role("dialog").wait_for()
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found += axe_findings(page)
    with served(subject_of(kept_everything, blind=True)) as link, page_at(browser, link) as page:
        page.locator("main:not([aria-busy]) h1").wait_for()
        quiet(page)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found += axe_findings(page) + too_wide(page)
    assert found == []
