"""Trials of a baseline that an earlier iteration has already."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doubles import ScriptedHarness, a_plan, completes, fails, run_plan

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.errors import StoreError
from skilltrial.execute.resume import read_trials
from skilltrial.execute.reuse import take_over
from skilltrial.plan.iteration import freeze
from skilltrial.plan.reuse import mark_reused
from skilltrial.ports import TrialRequest
from skilltrial.records.plan import Plan
from skilltrial.records.skill import Skill
from skilltrial.records.trial import HarnessResult, TrialKey, TrialOrigin
from skilltrial.spec.skill import load_skill

FOLDER = FolderWorkspace().isolation
RUN = "iteration-1/eval-c0/without_skill/run-1"


@pytest.fixture
def skill(tmp_path: Path) -> Skill:
    """A skill of one file."""
    folder = tmp_path / "tidy"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n")
    return load_skill(folder)


@pytest.fixture
def store(tmp_path: Path, skill: Skill) -> FolderStore:
    """Iteration 1 is finished: a case in both arms."""
    store = FolderStore(tmp_path / "w", write=True)
    run_plan(a_plan(skill), store, ScriptedHarness(), skill)
    return store


def changed(skill: Skill) -> Plan:
    """The plan of another version of the skill."""
    return a_plan(skill.model_copy(update={"fingerprint": "sha256:other"}))


def reused(plan: Plan, store: FolderStore, *, iteration: int = 2, isolation: str = FOLDER) -> dict[str, TrialOrigin]:
    """The marks of a plan, by trial."""
    marked = mark_reused(plan, iteration, store, search=True, isolation=isolation)
    return {str(item.key): item.reused_from for item in marked.trials if item.reused_from}


def test_only_the_baseline_is_taken_from_the_earlier_iteration(skill: Skill, store: FolderStore) -> None:
    """The treatment has changed; the baseline has not."""
    key = TrialKey(case_id="c0", arm="without_skill", repeat=1)
    digest = a_plan(skill).digest
    assert reused(changed(skill), store) == {
        "c0/without_skill/run-1": TrialOrigin(iteration=1, key=key, plan_digest=digest)
    }


def test_nothing_is_looked_for_unasked(skill: Skill, store: FolderStore) -> None:
    """Without the option every trial runs."""
    plan = changed(skill)
    assert mark_reused(plan, 2, store, search=False, isolation=FOLDER) == plan


def _edit(field: str, value: object) -> Callable[[dict[str, Any]], None]:
    def edit(data: dict[str, Any]) -> None:
        *above, last = field.split(".")
        for part in above:
            data = data[part]
        data[last] = value

    return edit


@pytest.mark.parametrize(
    ("file", "edit"),
    [
        (f"{RUN}/run.json", _edit("outcome", "harness_error")),
        (f"{RUN}/run.json", _edit("outcome", "cancelled")),
        (f"{RUN}/run.json", _edit("seed", 1)),
        (f"{RUN}/run.json", _edit("isolation", "none")),
        (f"{RUN}/run.json", _edit("plan_digest", "sha256:of another plan")),
        ("iteration-1/plan.json", _edit("timeout_s", 31.0)),
        ("iteration-1/plan.json", _edit("skilltrial_version", "1")),
        ("iteration-1/plan.json", _edit("harness.version", "8")),
        ("iteration-1/plan.json", _edit("harness.model", "another")),
        ("iteration-1/plan.json", _edit("harness.args", ["--more"])),
        ("iteration-1/plan.json", _edit("harness.base_url", "http://localhost")),
        ("iteration-1/plan.json", _edit("skill.name", "another")),
        ("iteration-1/plan.json", _edit("suite.cases", [{"id": "c0", "prompt": "other words"}])),
        ("iteration-1/plan.json", _edit("nonsense", 1)),
    ],
)
def test_whatever_differs_keeps_a_trial_from_being_reused(
    skill: Skill, store: FolderStore, file: str, edit: Callable[[dict[str, Any]], None]
) -> None:
    """Each of them alone."""
    data = json.loads(store.read(file) or b"")
    edit(data)
    store.write(file, json.dumps(data).encode())
    assert reused(changed(skill), store) == {}


def test_a_program_that_reports_another_version_is_another_program(skill: Skill, store: FolderStore) -> None:
    """It was updated since; what the trial itself reported counts, where the plan has no word on it."""
    plan = changed(skill)
    newer = plan.model_copy(update={"harness": plan.harness.model_copy(update={"version": "10"})})
    data = json.loads(store.read("iteration-1/plan.json") or b"")
    data["harness"]["version"] = "10"
    store.write("iteration-1/plan.json", json.dumps(data).encode())
    assert reused(newer, store) == {}


def test_a_sandbox_now_and_none_then_do_not_fit(skill: Skill, store: FolderStore) -> None:
    """Isolation is a part of the conditions."""
    assert reused(changed(skill), store, isolation="another") == {}


def test_a_later_iteration_is_no_earlier_one(skill: Skill, store: FolderStore) -> None:
    """Only what was there before is looked at."""
    assert reused(changed(skill), store, iteration=1) == {}


def test_a_copy_is_a_whole_trial_of_the_new_plan(skill: Skill, store: FolderStore) -> None:
    """Its files, its outputs, its figures; the new plan's digest; where it is from; and it runs no more."""
    plan = freeze(store, mark_reused(changed(skill), 2, store, search=True, isolation=FOLDER), 2)
    assert take_over(plan, 2, store) == 1
    assert take_over(plan, 2, store) == 0
    (trial,) = read_trials(store, plan, 2)
    (before,) = [earlier for earlier in read_trials(store, a_plan(skill), 1) if earlier.key == trial.key]
    assert trial.reused_from is not None
    assert (trial.reused_from.iteration, trial.plan_digest) == (1, plan.digest)
    assert (trial.usage, trial.files, trial.started_at) == (before.usage, before.files, before.started_at)
    copy = RUN.replace("iteration-1", "iteration-2")
    for name in ("outputs/answer.txt", "transcript.jsonl", "stream.jsonl", "diff.patch"):
        assert store.read(f"{copy}/{name}") == store.read(f"{RUN}/{name}")


def test_a_copy_of_a_copy_names_the_first(skill: Skill, store: FolderStore) -> None:
    """Iteration 3 reuses what iteration 2 has from 1."""
    second = freeze(store, mark_reused(changed(skill), 2, store, search=True, isolation=FOLDER), 2)
    take_over(second, 2, store)
    third = a_plan(skill.model_copy(update={"fingerprint": "sha256:third"}))
    (origin,) = reused(third, store, iteration=3).values()
    assert origin.iteration == 1


def test_what_this_iteration_has_is_left_alone(skill: Skill, store: FolderStore) -> None:
    """An error of a tool is on record here: it is tried again as always, not covered by a copy."""

    def only_fails(request: TrialRequest, number: int) -> HarnessResult:
        return fails("crashed") if request.skill is None else completes(request, number)

    fresh = FolderStore(store.path("").parent / "w2", write=True)
    run_plan(a_plan(skill), fresh, ScriptedHarness(only_fails), skill, waits=[])
    plan = a_plan(skill)
    assert mark_reused(plan, 1, fresh, search=True, isolation=FOLDER) == plan


def test_an_earlier_trial_that_has_gone_is_an_error(skill: Skill, store: FolderStore) -> None:
    """Nothing is made up in its place."""
    plan = mark_reused(changed(skill), 2, store, search=True, isolation=FOLDER)
    store.path(f"{RUN}/run.json").unlink()
    with pytest.raises(StoreError, match="is no more what it was"):
        take_over(plan, 2, store)
