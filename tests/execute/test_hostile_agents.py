"""Agents that leave what nobody expects: one trial's tricks cost no other trial its result."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles import ScriptedHarness, a_plan, completes, run_plan

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.execute.resume import read_trials
from skilltrial.ports import TrialRequest
from skilltrial.records.events import ToolCall
from skilltrial.records.skill import Skill
from skilltrial.records.trial import HarnessResult, Trial
from skilltrial.spec.skill import load_skill


@pytest.fixture
def skill(tmp_path: Path) -> Skill:
    """A skill of one file."""
    folder = tmp_path / "greet"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: greet\ndescription: Greets.\n---\nGreet.\n")
    return load_skill(folder)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FolderStore]:
    """An empty workspace."""
    opened = FolderStore(tmp_path / "w", write=True)
    yield opened
    opened.close()


def _run(store: FolderStore, skill: Skill, script: Any) -> Trial:
    plan = a_plan(skill, arms=("with_skill",))
    run_plan(plan, store, ScriptedHarness(script), skill)
    (trial,) = read_trials(store, plan, 1)
    return trial


def _outputs(store: FolderStore) -> Path:
    (folder,) = store.path("iteration-1").glob("eval-*/with_skill/run-1/outputs")
    return folder


@pytest.mark.parametrize("name", ["metrics.json/inner.txt", "Metrics.json"])
def test_a_name_of_ours_belongs_to_the_agent(store: FolderStore, skill: Skill, name: str) -> None:
    """Our own metrics step back, for a folder and for other capitals too."""

    def script(request: TrialRequest, number: int) -> HarnessResult:
        (request.work / name).parent.mkdir(exist_ok=True)
        (request.work / name).write_text("the agent's")
        return completes(request, number)

    trial = _run(store, skill, script)
    assert trial.outcome == "completed"
    assert len(trial.attempts) == 1
    assert (_outputs(store) / name).read_text() == "the agent's"
    assert not (_outputs(store) / "metrics.json").is_file()


def test_arguments_nested_without_end_are_cut_off(store: FolderStore, skill: Skill) -> None:
    """A writer of JSON would break on them."""
    nested: Any = "core"
    for _ in range(400):
        nested = [nested]

    def script(request: TrialRequest, number: int) -> HarnessResult:
        events = (ToolCall(ordinal=0, call_id="1", name="Write", input={"a": nested}),)
        return completes(request, number).model_copy(update={"events": events})

    assert _run(store, skill, script).outcome == "completed"
    line = (_outputs(store).parent / "transcript.jsonl").read_text()
    assert "…" in line
    assert json.loads(line)["name"] == "Write"


def test_paths_of_any_length_end_no_run(store: FolderStore, skill: Skill) -> None:
    """Every length around what the system takes; the file with the short path is kept, the rest is recorded."""

    def script(request: TrialRequest, number: int) -> HarnessResult:
        folder = os.open(request.work, os.O_RDONLY)
        for _ in range(38):
            os.mkdir("d" * 100, dir_fd=folder)
            inner = os.open("d" * 100, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        for length in range(1, 250, 5):
            os.close(os.open("f" * length, os.O_CREAT | os.O_WRONLY, dir_fd=folder))
        os.close(folder)
        return completes(request, number)

    trial = _run(store, skill, script)
    assert trial.outcome == "completed"
    assert len(trial.attempts) == 1
    kept = [file.path for file in trial.files if file.kept]
    assert kept == ["answer.txt"]
    assert sum("more than 500" in file.note for file in trial.files) == 50
