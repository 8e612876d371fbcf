"""The page as a whole, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_opens(browser: Browser, shown_workspace: Path) -> None:
    """The page opens, without an error and without asking another machine."""
    with served(subject_of(shown_workspace)) as link, page_at(browser, link) as page:
        page.get_by_role("link", name="Overview").wait_for()


def test_torn_iteration_leaves_the_others(browser: Browser, shown_workspace: Path) -> None:
    """A plan that cannot be read is said on the pages of its iteration; those of the one before are one choice away."""
    torn = shown_workspace / "iteration-2"
    torn.mkdir()
    (torn / "plan.json").write_bytes((shown_workspace / "iteration-1/plan.json").read_bytes()[:300])
    with served(subject_of(shown_workspace)) as link, page_at(browser, link, harmless=("400", "500")) as page:
        page.get_by_role("alert").filter(has_text="this plan cannot be read").wait_for()
        page.get_by_role("combobox", name="Iteration").select_option("1")
        page.get_by_text("commit-style helps").wait_for()


def test_link_of_an_earlier_start_is_told_as_one(browser: Browser, shown_workspace: Path) -> None:
    """A window that stayed open over a restart at the same port says what to open."""
    with served(subject_of(shown_workspace)) as link, page_at(browser, link, harmless=("403",)) as page:
        page.get_by_role("link", name="Cases", exact=True).wait_for()
        page.route("**/api/cases*", lambda route: route.fulfill(status=403, body="Open the whole link."))
        page.get_by_role("link", name="Cases", exact=True).click()
        page.get_by_role("alert").filter(has_text="Open the link that skilltrial view printed last.").wait_for()
