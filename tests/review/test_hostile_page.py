"""Everything that an agent wrote is looked at, and none of it runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from everything import ARMS, CASES, OWNED
from places import FIXED, go, place, settled
from playwright.sync_api import Browser, Dialog, Frame, Page

pytestmark = pytest.mark.browser

BLOCKED = ("Content Security Policy", "sandboxed", "Blocked script execution", "Unsafe attempt", "ERR_BLOCKED")
"""What Chromium says when it stops a frame."""
BAD = {
    "evil.html",
    "evil.svg",
    "evil.md",
    "evil.csv",
    "evil.json",
    "quo\"te's <b>.txt",
    r"line\u000abreak.txt",
    r"bidi \u202egnp.txt",
    "big.txt",
    "binary.bin",
    "paper.pdf",
}


def _watched(page: Page, link: str) -> list[str]:
    """Whatever leaves the page, or comes up before it."""
    seen: list[str] = []

    def refused(dialog: Dialog) -> None:
        seen.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def navigated(frame: Frame) -> None:
        if frame.parent_frame is None and not frame.url.startswith(link):
            seen.append(f"navigated to {frame.url}")

    page.on("dialog", refused)
    page.on("popup", lambda popup: seen.append(f"popup {popup.url}"))
    page.on("download", lambda download: seen.append(f"download {download.url}"))
    page.on("framenavigated", navigated)
    return seen


def test_nothing_runs(browser: Browser, kept_everything: Path) -> None:
    """Every page and every file of a trial is looked at: no script of theirs runs, nobody is asked, nothing leads away."""
    with served(subject_of(kept_everything)) as link, page_at(browser, link, harmless=BLOCKED) as page:
        seen = _watched(page, link)
        for each in (*map(place, FIXED), *(place("case", case=case) for case in CASES)):
            go(page, each)
            settled(page)
            assert page.locator("main h1").count() == 1, each
        go(page, place("overview"))
        assert r"\u202egnp.exe\u202c" in page.locator("main table").first.inner_text()  # of the model's name
        go(page, place("case", case="bidi \u202eabc"))
        page.get_by_role("heading", name=r"bidi \u202eabc").wait_for()
        go(page, place("case", case="2"))
        files = page.locator(f'.side[aria-label^="{ARMS[0]}"] .tree button.file')
        files.first.wait_for()
        names = files.locator(".name").all_text_contents()
        assert set(names) >= BAD
        for number in range(len(names)):
            files.nth(number).click()
            settled(page)
        assert page.evaluate(f"globalThis.{OWNED} === undefined")
        assert page.title() != "owned"
        assert seen == []
