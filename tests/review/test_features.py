"""Every page and feature is used once on each kind of workspace: ours, one of a generator, a published one, a demo's."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from places import go, place, quiet, settled
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

BLOCKED = ("Content Security Policy", "sandboxed", "Blocked script execution", "ERR_BLOCKED")


def _overview(page: Page) -> None:
    """The sentence, the lift, what was left out, and the note on the whole."""
    expect(page.locator(".overview-sentence")).not_to_be_empty()
    page.get_by_label("Note on the whole").fill("Looks right.")
    page.get_by_label("Iterate").check()
    expect(page.get_by_text(re.compile(r"^Saved \d")).first).to_be_visible()


def _cases(page: Page) -> None:
    """Search, show, order; the first case is opened from its row."""
    go(page, place("cases"))
    rows = page.locator("table.case-list tbody a")
    rows.first.wait_for()
    n_rows = rows.count()
    page.get_by_label("Search").fill("no such case anywhere")
    expect(rows).to_have_count(0)
    page.get_by_label("Search").fill("")
    expect(rows).to_have_count(n_rows)
    page.get_by_label("Order").select_option(index=1)
    expect(rows).to_have_count(n_rows)
    page.get_by_label("Order").select_option(index=0)
    title = rows.first.inner_text()
    rows.first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def _case(page: Page) -> None:
    """Both sides with verdicts, a file, the transcript, the difference; rated, commented, and a verdict of one's own."""
    page.wait_for_selector("main:not([aria-busy])")
    quiet(page)
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".verdict-row").first).to_be_visible()
    page.locator(".verdict-row").first.get_by_role("button", name="PASS").first.click()
    files = page.locator(".side .tree button.file")
    if files.count():
        files.last.click()
        expect(page.locator(".file-title").first).not_to_be_empty()
    settled(page)
    expect(page.get_by_text("Transcript").first).to_be_visible()
    expect(page.get_by_text("Difference of the files").first).to_be_visible()
    page.get_by_label("Good").first.check()
    page.get_by_label("Comment on this run").first.fill("Größe <b>")
    expect(page.get_by_text(re.compile(r"^Saved \d")).first).to_be_visible()
    page.get_by_role("button", name="Leave out of the figures…").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")


def _figures(page: Page) -> None:
    """Benchmark with its charts as tables and downloads, history, comparisons, triggers, keys."""
    go(page, place("benchmark"))
    page.get_by_text("As a table").first.click()
    expect(page.locator("main table").first).to_be_visible()
    page.get_by_text("Download ▾").click()
    with page.expect_download() as taken:
        page.get_by_role("link", name="Trials as CSV").click()
    assert taken.value.path().read_text(encoding="utf-8").count("\n") > 1
    for name in ("history", "comparisons", "triggers"):
        go(page, place(name))
        expect(page.locator("main h1")).to_have_count(1)
        expect(page.get_by_role("alert")).to_have_count(0)
    page.keyboard.press("?")
    page.get_by_role("button", name="Close").click()


@pytest.mark.parametrize("kind", ["everything", "imported_made", "imported_real", "kept_demo"])
def test_features(browser: Browser, request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    """Seen, searched, read, said; and what was said is there after a reload."""
    kept: Path = request.getfixturevalue(kind)
    own = Path(shutil.copytree(kept, tmp_path / "own", symlinks=True)) if kind != "everything" else kept
    with served(subject_of(own)) as link, page_at(browser, link, harmless=BLOCKED, accept_downloads=True) as page:
        page.wait_for_selector("main:not([aria-busy]) h1")
        quiet(page)
        _overview(page)
        _cases(page)
        _case(page)
        _figures(page)
        page.reload()
        go(page, place("overview"))
        quiet(page)
        expect(page.get_by_label("Note on the whole")).to_have_value("Looks right.")
    assert (own / "journal.jsonl").is_file()
