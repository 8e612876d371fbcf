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
