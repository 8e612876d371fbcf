"""`skilltrial optimise` with the real Claude Code, and a scripted model for agent and rewriting alike."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import Person

from skilltrial.testing.mock_llm import MockLLM

pytestmark = pytest.mark.agent

SKILL = """---
name: csv-report
# kept as it is
description: >-
  Does things: with
  tables.
license: MIT
---
# CSV report

The instructions.
"""
DIFFERENT = "Loads for other tables, this WRONG-ONE."
GOOD = "Turns tables into reports: the RIGHT-ONE, used for summaries of a table."
LOAD: dict[str, Any] = {"calls": [{"tool": "$skill", "input": {"name": "csv-report"}}]}


def _written(text: str) -> dict[str, Any]:
    return {"calls": [{"tool": "final_result", "input": {"diagnosis": "", "description": text}}]}


SCENARIO: dict[str, Any] = {
    "name": "optimise",
    "rules": [
        {"name": "side request", "when": {"tools_offered": False}, "reply": {"text": "Title"}},
        {"when": {"context": "You write the description"}, "times": 1, "reply": _written("I'm sorry, but I can't do that.")},
        {"when": {"context": "You write the description"}, "times": 1, "reply": _written(DIFFERENT)},
        {"when": {"context": "You write the description"}, "reply": _written(GOOD)},
        {"when": {"prompt": "Use the skill", "step": 0}, "reply": LOAD},
        {"when": {"prompt": "wanted", "context": "RIGHT-ONE", "step": 0}, "reply": LOAD},
        {"when": {"prompt": "other", "not_context": "RIGHT-ONE", "step": 0}, "reply": LOAD},
        {"name": "finish", "reply": {"text": "Done."}},
    ],
}  # fmt: skip
"""The good description turns all queries; with the skill's own and the first new one each is decided wrongly."""
QUERIES = [{"id": f"w{n}", "query": f"wanted report {n}", "should_trigger": True} for n in range(6)]
QUERIES += [{"id": f"u{n}", "query": f"other matter {n}", "should_trigger": False} for n in range(6)]


def a_skill(folder: Path) -> Path:
    """`csv-report`, in a folder of its name."""
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "evals/triggers.json").write_text(json.dumps(QUERIES))
    return folder


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A search that a ceiling stopped and that the same command then went on with, and what each left."""

    skill: Path
    workspace: Path
    user: Person
    stopped: subprocess.CompletedProcess[str]
    done: subprocess.CompletedProcess[str]
    told: list[dict[str, Any]]

    @property
    def state(self) -> dict[str, Any]:
        """`optimise.json`."""
        return json.loads((self.workspace / "optimise/search-1/optimise.json").read_text())

    def again(self, *more: str) -> subprocess.CompletedProcess[str]:
        """The same command."""
        return self.user.run(*command(self.skill, self.workspace), *more)


def command(skill: Path, workspace: Path) -> list[str | Path]:
    """What a person types."""
    return [
        "optimise", skill, "--rewriter", "anthropic:writer", "--harness", "claude-code", "--runs", "1",
        "--workspace", workspace, "--concurrency", "4",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, claude: Path) -> Iterator[Whole]:
    """Nobody can be asked here, so the forecast goes by; 14 runs, then the rest."""
    root = tmp_path_factory.mktemp("optimise")
    skill = a_skill(root / "csv-report")
    with MockLLM(SCENARIO) as mock:
        key = {"ANTHROPIC_API_KEY": "dummy-key-1234", "ANTHROPIC_BASE_URL": mock.url()}
        user = Person(home=root / "home", variables={"SKILLTRIAL_CLAUDE": str(claude), **key})
        user.home.mkdir()
        arguments = command(skill, root / "w")
        stopped = user.run(*arguments, "--max-trials", "14")
        done = user.run(*arguments)
        told = [call for call in mock.log.select() if call["method"] == "POST"]
        yield Whole(skill=skill, workspace=root / "w", user=user, stopped=stopped, done=done, told=told)


def test_a_better_description_is_found(whole: Whole) -> None:
    """The sentence first; test scores with their difference; a patch that git takes."""
    assert whole.done.returncode == 0, whole.done.stderr
    rows = whole.done.stdout.splitlines()
    assert rows[0].startswith("csv-report: better. On the test queries, the interval")
    assert "description 2            4 of 4   100 %" in whole.done.stdout
    assert "the skill's own          0 of 4     0 %" in whole.done.stdout
    assert max(len(row) for row in rows if str(whole.workspace) not in row and str(whole.skill) not in row) <= 80
    assert (whole.state["word"], whole.state["best"]) == ("better", 2)
    assert [each["description"] for each in whole.state["candidates"]][1:] == [DIFFERENT, GOOD]
