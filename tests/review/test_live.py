"""What an open page is told while the workspace changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx
import pytest
from browsing import page_at, served, subject_of
from loop_files import lay_comparisons
from playwright.sync_api import Browser

from skilltrial.review.watch import Watch


def taken_away(workspace: Path, kept: Path) -> Path:
    """A trial's folder, moved out of the workspace as if it were still to come."""
    found = next(path.parent for path in sorted(workspace.glob("iteration-1/eval-*/*/run-*/run.json")))
    shutil.move(found, kept)
    return found


def test_watch(shown_workspace: Path, tmp_path: Path) -> None:
    """The first look tells how far the run is; later ones what is new, and nothing where nothing is."""
    place = taken_away(shown_workspace, tmp_path / "trial")
    watch = Watch(subject_of(shown_workspace))
    (first,) = watch.look()
    assert first["kind"] == "progress"
    assert (first["planned"], first["running"]) == (first["finished"] + 1, 0)  # type: ignore[operator]
    assert watch.look() == []
    shutil.move(tmp_path / "trial", place)
    events = watch.look()
    assert [event["kind"] for event in events] == ["trial", "grading", "progress"]
    assert events[2]["finished"] == first["planned"]
    benchmark = shown_workspace / "iteration-1/benchmark.json"
    benchmark.write_text(benchmark.read_text() + "\n")
    assert [event["kind"] for event in watch.look()] == ["benchmark"]
    (shown_workspace / ".running").mkdir()
    (shown_workspace / ".running/a").touch()
    assert watch.look()[0]["running"] == 1


def test_nothing_is_told_blind(shown_workspace: Path) -> None:
    """A person who must not know the arms does not follow results by arm."""
    with served(subject_of(shown_workspace, blind=True)) as link:
        assert httpx.get(f"{link}live").status_code == 404


@pytest.mark.browser
def test_page_follows(browser: Browser, shown_workspace: Path, tmp_path: Path) -> None:
    """A trial that finishes while the page is open is told at its top."""
    place = taken_away(shown_workspace, tmp_path / "trial")
    n = len(list(shown_workspace.glob("iteration-1/eval-*/*/run-*/run.json")))
    with served(subject_of(shown_workspace)) as link, page_at(browser, link) as page:
        page.get_by_text(f"{n} of {n + 1} trials").first.wait_for()
        shutil.move(tmp_path / "trial", place)
        page.locator("p.live", has_text=f"{n + 1} of {n + 1} trials").wait_for()


@pytest.mark.browser
def test_pages_follow_what_they_show(browser: Browser, shown_workspace: Path) -> None:
    """A comparison and a new iteration come to the pages that show them; a search of cases and its box stay as they are."""
    with (
        served(subject_of(shown_workspace)) as link,
        page_at(browser, f"{link}#/comparisons") as compared,
        page_at(browser, f"{link}#/cases?q=csv") as cases,
    ):
        for page in (compared, cases):
            page.locator("main:not([aria-busy]) h1").wait_for()
            page.locator("p.live").wait_for(state="attached")
        box = cases.get_by_role("searchbox").element_handle()
        with httpx.stream("GET", f"{link}live") as stream:  # what is there at the first look is no news
            assert any(line.startswith("data:") for line in stream.iter_lines())
        lay_comparisons(shown_workspace)
        compared.locator("main", has_text="csv-header").wait_for()
        assert cases.get_by_role("button", name="New results").is_hidden()
        shutil.copytree(shown_workspace / "iteration-1", shown_workspace / "iteration-2")
        for page in (compared, cases):
            page.get_by_role("combobox", name="Iteration").wait_for()
            assert page.get_by_role("combobox", name="Iteration").input_value() == "2"
        assert box.evaluate("box => [box.isConnected, box.value]") == [True, "csv"]
