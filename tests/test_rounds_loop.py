"""The loop of `--until-decided`: what ends it, and in which order things happen."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import anyio

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.deciding import run_rounds
from skilltrial.execute.watcher import Silent
from skilltrial.records.budget import Stop
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Case, Suite
from skilltrial.records.trial import TrialKey

ARMS = (Arm(name="with_skill", role="treatment"), Arm(name="without_skill", role="baseline"))
OPEN = AssertionResult(id="a", text="t", type="llm_judge", verdict="UNGRADED", evidence="unreachable", grader="none")


def _plan(runs: int, judge: str | None) -> Plan:
    keys = [TrialKey(case_id="c", arm=arm.name, repeat=n) for n in range(1, runs + 1) for arm in ARMS]
    return Plan(
        skilltrial_version="0",
        created_at="2026-01-01T00:00:00Z",
        skill=SkillRef(name="s", folder="/s", fingerprint="sha256:0"),
        suite=Suite(dialect="mixed", path="/evals.json", digest="sha256:0", cases=(Case(id="c", prompt="p"),)),
        arms=ARMS,
        trials=tuple(PlannedTrial(key=key, seed=1) for key in keys),
        harness=HarnessChoice(name="claude-code"),
        judge=judge,
        seed=1,
        runs=runs,
        timeout_s=60,
        digest="sha256:0",
    )


def _loop(
    folder: Path, *, judge: str | None = None, stop_in: int | None = None, gradings: Collection[Grading] = ()
) -> tuple[list[str], Stop | None]:
    """What happened in a plan of four rounds, and what the loop came to."""
    happened: list[str] = []

    async def execute(keys: Collection[TrialKey]) -> Stop | None:
        (number,) = {key.repeat for key in keys}
        happened.append(f"run {number}: {len(keys)}")
        return Stop(ceiling="--max-trials", message="reached.") if number == stop_in else None

    async def grade() -> Collection[Grading]:
        happened.append("grade")
        return gradings

    async def work() -> Stop | None:
        store = FolderStore(folder, write=True)
        try:
            return await run_rounds(_plan(4, judge), 1, store, execute=execute, grade=grade, watcher=Silent())
        finally:
            store.close()

    return happened, anyio.run(work)


def test_rounds_that_decide_nothing_are_all_run(tmp_path: Path) -> None:
    """Both arms in each; looks after the second and third, none after the first, and the last one is everybody's."""
    happened, stop = _loop(tmp_path)
    assert happened == ["run 1: 2", "run 2: 2", "grade", "run 3: 2", "grade", "run 4: 2"]
    assert stop is None


def test_a_ceiling_in_a_round_ends_them(tmp_path: Path) -> None:
    """Nothing is decided on half a round."""
    happened, stop = _loop(tmp_path, stop_in=2)
    assert happened == ["run 1: 2", "run 2: 2"]
    assert stop is not None
    assert stop.ceiling == "--max-trials"


def test_without_the_judges_verdicts_no_further_round_is_begun(tmp_path: Path) -> None:
    """Trials cost money, and their verdicts might have decided; without a judge in the plan the same gradings hold nothing up."""
    key = TrialKey(case_id="c", arm="with_skill", repeat=1)
    open_prose = [Grading(key=key, results=(OPEN,), digest="")]
    assert _loop(tmp_path / "one", judge="openai:m", gradings=open_prose)[0] == ["run 1: 2", "run 2: 2", "grade"]
    assert len(_loop(tmp_path / "two", gradings=open_prose)[0]) == 6
