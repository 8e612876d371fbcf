"""What came out before stands beside what came out now: of an iteration before, and of another workspace."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from browsing import page_at, served
from playwright.sync_api import Browser, Page

from skilltrial.errors import SpecError
from skilltrial.review.acting import ACTIONS
from skilltrial.review.foreign import opened
from skilltrial.review.reading import QUESTIONS
from skilltrial.review.subject import Query, Subject

_TRIAL = "eval-csv-header/with_skill/run-1"
_OF = {"case": "csv-header", "arm": "with_skill", "repeat": "1"}


def said_in(iteration: Path, message: str) -> None:
    """Change what the agent said at the end of one trial, and a file that it made."""
    record = iteration / _TRIAL / "run.json"
    record.write_text(json.dumps({**json.loads(record.read_bytes()), "final_message": message}))
    (iteration / _TRIAL / "outputs/said.txt").write_text(f"{message}\n")


def with_previous(workspace: Path, previous: Path | None) -> Any:
    """As `skilltrial view --previous-workspace` opens it."""
    return opened(workspace, by="tester", now=lambda: datetime.now(UTC), previous=previous)


def asked(subject: Subject, name: str, **values: str) -> Any:
    """An answer."""
    return QUESTIONS[name](subject, Query({**_OF, **values}))


@pytest.fixture
def previous(kept_demo: Path, tmp_path: Path) -> Path:
    """Another workspace of the same cases, with two iterations."""
    folder = Path(shutil.copytree(kept_demo, tmp_path / "previous"))
    shutil.copytree(folder / "iteration-1", folder / "iteration-2")
    said_in(folder / "iteration-1", "the oldest")
    said_in(folder / "iteration-2", "the words before")
    return folder


def test_another_workspace_is_looked_at_and_never_spoken_of(shown_workspace: Path, previous: Path) -> None:
    """Its newest iteration goes by the number 0: texts, files and differences are there; it is not listed, and takes no words."""
    said_in(shown_workspace / "iteration-1", "the words now")
    with with_previous(shown_workspace, previous) as subject:
        (earlier,) = asked(subject, "case")["earlier"]
        assert (earlier["iteration"], earlier["sameTask"]) == (0, True)
        assert asked(subject, "trial")["answer"]["text"] == "the words now"
        assert asked(subject, "trial", iteration="0")["answer"]["text"] == "the words before"
        assert asked(subject, "workspace")["iterations"] == [1]
        assert "said.txt" in json.dumps(asked(subject, "difference", iteration="0", to_iteration="1"))
        with pytest.raises(SpecError, match="no iteration 0"):
            asked(subject, "feedback", iteration="0")
        body = {"id": "a", "iteration": 0, "case": "csv-header", "arm": "with_skill", "repeat": 1, "text": "good"}
        with pytest.raises(SpecError, match="no iteration 0"):
            ACTIONS["comment"](subject, body)
    with with_previous(shown_workspace, None) as subject, pytest.raises(SpecError, match="no iteration 0"):
        asked(subject, "trial", iteration="0")


def side_shows(page: Page, place: int, choice: str, message: str) -> None:
    """Choose what stands on a side of the case's page, and see what the agent said there."""
    page.locator(".side").nth(place).get_by_role("combobox").select_option(label=choice)
    page.locator(".side").nth(place).get_by_text(message).first.wait_for()


@pytest.mark.browser
def test_before_and_now_side_by_side(browser: Browser, previous: Path, kept_demo: Path) -> None:
    """Of two iterations and another workspace: each is a choice of a side, the difference is of what is chosen."""
    with (
        with_previous(previous, kept_demo) as subject,
        served(subject) as link,
        page_at(browser, f"{link}#/case?case=csv-header&iteration=2") as page,
    ):
        side_shows(page, 0, "with_skill, iteration 1", "the oldest")
        side_shows(page, 1, "with_skill", "the words before")
        page.get_by_text("Difference of the files").click()
        page.get_by_text("said.txt").last.wait_for()
        page.reload()
        page.locator(".side").nth(0).get_by_text("the oldest").first.wait_for()
        assert page.locator(".side .exclusion").count() == 2
        page.locator(".side").nth(0).get_by_role("combobox").select_option(label="with_skill, workspace before")
        page.get_by_role("region", name="with_skill, workspace before").wait_for()
        assert page.locator(".side .exclusion").count() == 1
