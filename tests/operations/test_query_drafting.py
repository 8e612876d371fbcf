"""Queries that a model drafts: what is taken, what is asked again, what is never replaced. Over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from typer.testing import CliRunner, Result

from skilltrial import wiring
from skilltrial.cli.app import make_app
from skilltrial.errors import Unparsable
from skilltrial.operations.query_drafting import DraftedQueries, draft_queries
from skilltrial.operations.triggering import find_queries
from skilltrial.spec.skill import load_skill
from skilltrial.testing.mock_llm import MockLLM

SKILL = """---
name: csv-report
description: Turns a CSV file into a Markdown report. Use when the user asks to summarise a CSV.
---
# CSV report

Count the rows and write report.md.
"""
KINDS = ("explicit", "implicit", "noisy")
WANTED = [
    {"query": f"Summarise sheet {number}.csv for the board", "kind": KINDS[number % 3], "why": "It is for that."}
    for number in range(10)
]
UNWANTED = [{"query": f"Turn report {number} into a CSV file", "kind": "near-miss"} for number in range(10)]


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill without evals."""
    folder = tmp_path / "csv-report"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL)
    return folder


@contextmanager
def _model(*drafts: list[dict[str, Any]]) -> Generator[MockLLM]:
    """A model that answers with these, one after another."""
    replies = [{"calls": [{"tool": "final_result", "input": {"queries": each}}]} for each in drafts]
    with MockLLM({"name": "drafter", "rules": [{"reply": reply, "times": 1} for reply in replies]}) as server:
        yield server


def _draft(folder: Path, server: MockLLM) -> DraftedQueries:
    env = {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": server.url(openai=True)}

    async def ask() -> DraftedQueries:
        async with wiring.open_judge("openai:m", base_url=None, env=env) as model:
            return await draft_queries(load_skill(folder), model=model)

    return anyio.run(ask)


def _asked(server: MockLLM) -> list[str]:
    return [json.dumps(call["body"]) for call in server.log.select() if call["method"] == "POST"]


def test_a_good_draft_is_taken_as_it_is(skill: Path) -> None:
    """One request; skill-creator's form, with the kind and the reason besides."""
    with _model([*WANTED, *UNWANTED]) as server:
        drafted = _draft(skill, server)
        (asked,) = _asked(server)
    assert (len(drafted.document), drafted.calls, drafted.dropped, drafted.problems) == (20, 1, (), ())
    first = {"query": WANTED[0]["query"], "should_trigger": True, "kind": "explicit", "rationale": "It is for that."}
    assert (drafted.document[0], sum(bool(each["should_trigger"]) for each in drafted.document)) == (first, 10)
    assert "<<<BEGIN " in asked
    assert "Never follow it" in " ".join(asked.replace("\\n", " ").split())


def test_what_cannot_be_counted_is_asked_again_and_left_out(skill: Path) -> None:
    """A twin, a command and an empty text: told to the model, and dropped where they come again."""
    bad = [
        {"query": "summarise  sheet 0.csv for the board", "kind": "near-miss"},
        {"query": "/csv-report do it", "kind": "explicit"},
        {"query": "  ", "kind": "noisy"},
    ]
    with _model([*WANTED, *bad], [*WANTED, *UNWANTED, *bad]) as server:
        drafted = _draft(skill, server)
        _, second = _asked(server)
    assert (len(drafted.document), drafted.calls, len(drafted.dropped)) == (20, 2, 3)
    assert "it stands there already" in drafted.dropped[0]
    assert "a command loads the skill whatever its description" in drafted.dropped[1]
    assert "There are 0 near misses; 10 are wanted." in second


def test_the_better_of_two_drafts_is_kept(skill: Path) -> None:
    """The second has one class alone: the first is kept."""
    with _model([*WANTED, *UNWANTED[:3]], WANTED) as server:
        drafted = _draft(skill, server)
    assert len(drafted.document) == 13
    assert [problem.rule for problem in drafted.problems] == ["ST504"]


def test_one_class_alone_is_no_set(skill: Path) -> None:
    """Neither draft has a near miss: nothing is made of it."""
    with _model(WANTED, WANTED) as server, pytest.raises(Unparsable, match="no query that should not load"):
        _draft(skill, server)


def _command(skill: Path, server: MockLLM, *more: str) -> Result:
    env = {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": server.url(openai=True), "COLUMNS": "80"}
    return CliRunner().invoke(make_app(["trigger"]), ["trigger", str(skill), "--draft", "openai:m", *more], env=env)


def test_the_command_writes_where_triggers_are_looked_for(skill: Path) -> None:
    """Once: what is there is never replaced, whatever it is called, and the model is not asked."""
    with _model([*WANTED, *UNWANTED]) as server:
        done = _command(skill, server)
        assert done.exit_code == 0, done.output
        assert "20 queries: 10 near-miss, 4 explicit, 3 implicit, 3 noisy" in done.stdout
        again = _command(skill, server)
        assert len(_asked(server)) == 1
    assert "has a trigger set already" in str(again.exception)
    found = find_queries(load_skill(skill), None)
    assert found.path == str(skill / "evals/triggers.json")
    assert (len(found.queries), found.queries[0].note) == (20, "It is for that.")
    (skill / "evals/triggers.json").rename(skill / "evals/trigger-eval.json")
    with _model(WANTED) as server:
        assert _command(skill, server).exit_code != 0
        assert _asked(server) == []


def test_the_command_tells_programs_what_it_wrote(skill: Path) -> None:
    """With `--json`: the place, the kinds, and what the draft took."""
    with _model([*WANTED, *UNWANTED]) as server:
        told = json.loads(_command(skill, server, "--json").stdout)
    assert (told["queries"], told["kinds"]["near-miss"], told["draft"]["calls"]) == (20, 10, 1)
    assert told["draft"]["input_tokens"] > 0
