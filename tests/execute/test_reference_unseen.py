"""A reference solution is for `oracle` alone: neither an agent nor a judge nor a trial's folder has anything of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from doubles import ScriptedHarness, completes, run_plan

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.grade.judge_prompt import judge_prompt, own_prompt
from skilltrial.grade.judge_view import judge_view
from skilltrial.grade.material import Material
from skilltrial.plan.arms import make_arms
from skilltrial.plan.plan import make_plan
from skilltrial.ports import TrialRequest
from skilltrial.preparing.codebases import find_codebases
from skilltrial.records.plan import HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import LlmJudge
from skilltrial.records.trial import HarnessResult, Trial
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

CANARY = "CANARYBIRD"


@pytest.fixture
def skill(tmp_path: Path) -> Skill:
    """With a case whose reference has the word in a file's text, a file's name and the answer."""
    folder = tmp_path / "tidy"
    case = {"id": "a", "prompt": "Tidy up", "files": {"in.txt": "in"}, "assertions": ["It is tidy"]}
    files = {
        "SKILL.md": "---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n",
        "evals/evals.json": json.dumps({"evals": [case]}),
        f"evals/reference/a/{CANARY}.txt": CANARY,
        "evals/reference/a/answer.md": CANARY,
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return load_skill(folder)


@pytest.fixture
def plan(skill: Skill) -> Plan:
    """With the skill and without."""
    return make_plan(
        skill,
        load_suite(skill),
        arms=make_arms(("with_skill", "without_skill"), skill, {}),
        harness=HarnessChoice(name="scripted"),
        runs=1,
        seed=1,
        timeout_s=30,
        now="2026-01-01T00:00:00Z",
        version="0",
    )


def holds(folder: Path) -> list[str]:
    """The files below a folder that have the word in their name or text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in files if CANARY in path.name or CANARY.encode() in path.read_bytes()]


def test_no_agent_sees_it_and_no_trial_keeps_it(skill: Skill, plan: Plan, tmp_path: Path) -> None:
    """Everything below the trial's root is searched while the agent works, and what the trial leaves afterwards."""
    assert plan.suite.cases[0].reference is not None, "there has to be one to be hidden"
    seen: list[str] = []

    def looks_around(request: TrialRequest, number: int) -> HarnessResult:
        seen.extend([*holds(request.work.parent), *(["request"] if CANARY in repr(request) else [])])
        return completes(request, number)

    harness = ScriptedHarness(looks_around)
    store = FolderStore(tmp_path / "w", write=True)
    run_plan(plan, store, harness, skill)
    store.close()
    assert len(harness.requests) == 2
    assert seen == []
    assert holds(tmp_path / "w/iteration-1/eval-a") == []
    assert holds(tmp_path / "tidy") != [], "the search can find it"


def test_no_judge_reads_it(skill: Skill, plan: Plan, tmp_path: Path) -> None:
    """The prompt has the task and what the trial left."""
    store = FolderStore(tmp_path / "w", write=True)
    run_plan(plan, store, ScriptedHarness(), skill)
    store.close()
    folder = tmp_path / "w/iteration-1/eval-a/with_skill/run-1"
    trial = Trial.model_validate_json((folder / "run.json").read_bytes())
    case = plan.suite.cases[0]
    view = judge_view(Material(case=case, trial=trial, events=(), outputs=folder / "outputs"))
    prose = [each for each in case.assertions if isinstance(each, LlmJudge)]
    text = judge_prompt(view, prose, prompt=own_prompt(), earlier={})
    assert "Tidy up" in text
    assert CANARY not in text


def test_no_codebase_has_it(skill: Skill, tmp_path: Path) -> None:
    """Where the eval file, and the reference beside it, lie in the repository that the agent works in."""
    repository = tmp_path / "repository"
    case = {"id": "a", "prompt": "Tidy up", "codebase": {"path": ".."}, "assertions": ["It is tidy"]}
    texts = {"tests/evals.json": json.dumps({"evals": [case]}), "tests/reference/a/answer.md": CANARY, "a.py": "x"}
    for path, text in texts.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text)
    suite = load_suite(skill, repository / "tests/evals.json")
    made = find_codebases(suite, skill, (), workspace=tmp_path / "w", scratch=tmp_path, env=dict(os.environ))
    (folder,) = made.folders.values()
    assert [path.name for path in folder.rglob("*.py")] == ["a.py"]
    assert holds(folder) == []
