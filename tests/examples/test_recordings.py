"""The recordings in the package are those of the demo's plan, whole and clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.adapters.harness.recorded import Recording, sha256_of
from skilltrial.plan.arms import make_arms
from skilltrial.plan.plan import make_plan
from skilltrial.recordings import DEMO_RUNS, DEMO_SEED, demo_recordings, demo_skill
from skilltrial.records.plan import HarnessChoice, Plan
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite


@pytest.fixture(scope="module")
def recordings() -> list[Recording]:
    """All recordings of the demo."""
    return [Recording.model_validate_json(file.read_bytes()) for file in sorted(demo_recordings().glob("*.json"))]


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The plan that `skilltrial demo` makes."""
    skill = load_skill(demo_skill())
    return make_plan(
        skill,
        load_suite(skill),
        arms=make_arms(("with_skill", "without_skill"), skill, {}),
        harness=HarnessChoice(name="recorded"),
        runs=DEMO_RUNS,
        seed=DEMO_SEED,
        timeout_s=60.0,
        now="2026-01-01T00:00:00Z",
        version="0",
    )


def test_every_trial_of_the_demo_is_recorded(recordings: list[Recording], plan: Plan) -> None:
    """By prompt, skill text and seed; a changed example, seed rule or SKILL.md means that the demo is recorded anew."""
    skill = sha256_of((demo_skill() / "SKILL.md").read_bytes())
    wanted = {
        (
            sha256_of(plan.case(trial.key.case_id).prompt.encode()),
            skill if plan.arm(trial.key.arm).skill else None,
            trial.seed,
        )
        for trial in plan.trials
    }
    assert len(wanted) == 24
    assert {recording.key for recording in recordings} == wanted


def test_the_recordings_name_the_model_that_made_them(recordings: list[Recording]) -> None:
    """Its checksum and engine too: a reader can do it again."""
    for recording in recordings:
        assert recording.result.model
        assert {"model_sha256", "engine", "threads", "recorded_at"} <= recording.result.facts.keys()


def test_the_skill_was_found_in_one_arm_only(recordings: list[Recording]) -> None:
    """Loaded by the agent itself with the skill, unreachable without."""
    for recording in recordings:
        assert recording.result.evidence.reached is (recording.skill_sha256 is not None)


def test_the_recordings_are_small_and_name_no_machine() -> None:
    """They are package data."""
    files = sorted(demo_recordings().glob("*.json"))
    assert sum(file.stat().st_size for file in files) < 300_000
    here = {str(Path.home()), str(Path(__file__).parents[2]), "/tmp/"}
    assert [file.name for file in files if any(place in file.read_text(encoding="utf-8") for place in here)] == []
