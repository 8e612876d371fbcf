"""A search for a better description on the page of triggers."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from browsing import page_at, served, subject_of
from loop_files import HOSTILE
from places import axe_findings, too_wide
from playwright.sync_api import Browser, expect

from skilltrial.records.optimisation import (
    Candidate,
    DescriptionTest,
    Optimisation,
    PartedQuery,
    RewriteCall,
    Score,
    Spent,
)
from skilltrial.review.foreign import opened
from skilltrial.review.optimisations import newest_search

OWN = Candidate(
    number=0,
    description="Makes reports.",
    train=Score(n_passed=2, n_decided=4, n_queries=4),
    validation=Score(n_passed=1, n_decided=3, n_queries=4),
    spent=Spent(n_runs=16, cost_usd=None, tokens=None),
)
NEW = Candidate(number=1, round=1, description=f"Makes reports out of tables. {HOSTILE}")
FULL = Score(n_passed=4, n_decided=4, n_queries=4)
REFUSED = RewriteCall(round=1, answer=f"I'm sorry. {HOSTILE}", refused="This is no description.")


def a_search(number: int, **changes: Any) -> Optimisation:
    """While the second description is being measured."""
    queries = tuple(
        PartedQuery(id=f"{part}{n}", query=f"{part} {n}", should_trigger=n % 2 == 0, part=part)
        for part in ("train", "validation", "test")
        for n in range(4)
    )
    values: dict[str, Any] = {
        "skill_name": "s",
        "number": number,
        "created_at": "2026-12-01T00:00:00Z",
        "digest": "d",
        "test_digest": "t",
        "skill_file_digest": "f",
        "queries_path": "triggers.json",
        "queries": queries,
        "runs": 3,
        "threshold": 0.5,
        "rounds": 5,
        "patience": 2,
        "harness": None,
        "model": None,
        "rewriter": "anthropic:m",
        "doing": "description 1 on train and validation",
        "candidates": (OWN, NEW),
        "calls": (REFUSED,),
        **changes,
    }
    return Optimisation(**values)


def lay(workspace: Path, state: Optimisation) -> None:
    """Written as the command does: a file that appears whole."""
    folder = workspace / f"optimise/search-{state.number}"
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / "part"
    part.write_text(state.model_dump_json())
    part.replace(folder / "optimise.json")


FINISHED: dict[str, Any] = {
    "step": "finished",
    "doing": "",
    "best": 1,
    "word": "better",
    "why": "right on 4 of 4 test queries, the skill's own on 0 of 4",
    "candidates": (OWN, NEW.model_copy(update={"train": FULL, "validation": FULL})),
    "test": DescriptionTest(
        best=(),
        incumbent=(),
        best_score=FULL,
        incumbent_score=Score(n_passed=0, n_decided=4, n_queries=4),
        difference=1.0,
        low=0.05,
        high=1.0,
        n_paired=4,
    ),
}


def test_the_newest_search_is_told(shown_workspace: Path) -> None:
    """Ten is newer than nine; what has no result is null; a file of another version is left out."""
    assert newest_search(subject_of(shown_workspace)) is None
    lay(shown_workspace, a_search(9, **FINISHED))
    told = newest_search(subject_of(shown_workspace))
    assert [each["test"] for each in told["candidates"]] == [[0, 4], [4, 4]]
    lay(shown_workspace, a_search(10))
    (shown_workspace / "optimise/search-11").mkdir()
    (shown_workspace / "optimise/search-11/optimise.json").write_text("{}")
    told = newest_search(subject_of(shown_workspace))
    assert (told["number"], told["step"], told["word"], told["difference"]) == (10, "probing", None, None)
    assert [each["validation"] for each in told["candidates"]] == [[1, 3], None]
    assert told["spent"] == {"n_runs": 16, "cost_usd": None, "tokens": None}
    assert told["parts"] == {"train": 4, "validation": 4, "test": 4}


def test_where_nothing_else_was_run_the_newest_search_is_opened(kept_demo: Path, tmp_path: Path) -> None:
    """The folder of a search is a workspace of its own; ten is newer than nine, and one without a trial is passed over."""
    for number in (9, 10):
        shutil.copytree(kept_demo, tmp_path / f"w/optimise/search-{number}")
        lay(tmp_path / "w", a_search(number))
    lay(tmp_path / "w", a_search(11))
    with opened(tmp_path / "w", by="tester", now=lambda: datetime.now(UTC)) as subject:
        assert newest_search(subject)["number"] == 10


@pytest.mark.browser
def test_the_page_follows_a_search(browser: Browser, shown_workspace: Path) -> None:
    """A table of descriptions with their scores, drawn again by itself; hostile words are words."""
    lay(shown_workspace, a_search(1))
    with served(subject_of(shown_workspace)) as link, page_at(browser, link) as page:
        page.get_by_role("link", name="Triggers").click()
        expect(page.get_by_text("Running: description 1 on train and validation.")).to_be_visible()
        rows = page.locator("table.search tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.nth(0)).to_contain_text("2 of 4")
        expect(rows.nth(0)).to_contain_text("1 of 3")
        expect(rows.nth(1)).to_contain_text("onerror")
        assert page.locator("main img").count() == 0
        lay(shown_workspace, a_search(1, **FINISHED))
        expect(page.get_by_text("better", exact=True)).to_be_visible()
        expect(page.locator(".search-step")).to_contain_text("+100 points (+5 points to +100 points)")
        expect(rows.nth(1)).to_contain_text("★ best")
        expect(page.get_by_text("Nothing is known yet")).to_have_count(0)
        page.get_by_text("Answers that were refused: 1").click()
        expect(page.get_by_text("This is no description.")).to_be_visible()
        for width in (1400, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert axe_findings(page) + too_wide(page) == []


@pytest.mark.browser
def test_the_overview_of_runs_of_queries_judges_nothing(browser: Browser, shown_workspace: Path) -> None:
    """They have no baseline and nothing to grade: that makes nothing invalid, and their figures are on the other page."""
    plan = shown_workspace / "iteration-1/plan.json"
    plan.write_text(json.dumps({**json.loads(plan.read_text()), "until_loaded": True}))
    with served(subject_of(shown_workspace)) as link, page_at(browser, link) as page:
        expect(page.get_by_text("These runs ask one thing")).to_be_visible()
        assert page.get_by_text("Invalid").count() + page.get_by_text("cannot be judged").count() == 0
        page.locator("main").get_by_role("link", name="Triggers").click()
        expect(page.get_by_role("heading", name="Triggers")).to_be_visible()
