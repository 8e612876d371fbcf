"""A workspace on disk with trials that a judge graded."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.grade.native import to_native
from skilltrial.labelling.desk import Desk, LabelRequest, lay_out
from skilltrial.records import layout
from skilltrial.records.grading import AssertionResult, Grading, JudgeFacts
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Case, LlmJudge, Suite
from skilltrial.records.trial import Attempt, HarnessFacts, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage

AT = "2026-01-01T00:00:00Z"
SKILL = SkillRef(name="tidy", folder="/skills/tidy", fingerprint="sha256:0")
ARMS = (Arm(name="with_skill", role="treatment", skill=SKILL), Arm(name="without_skill", role="baseline"))
MESSAGE = "=1+1 I used the skill tidy.\x1b[31m Done."


def _assertions(number: int) -> tuple[LlmJudge, ...]:
    return tuple(LlmJudge(id=f"a{n}", text=f"Holds {number}.{n}", rubric=f"Holds {number}.{n}") for n in (1, 2))


def _grading(key: TrialKey, case: Case, judge: str) -> Grading:
    """The first assertion passes in treatment only, the second in the first half of the cases."""
    verdicts = (key.arm == "with_skill", int(key.case_id[1:]) < 3)
    return Grading(
        key=key,
        results=tuple(
            AssertionResult(
                id=each.id,
                text=each.text,
                type=each.type,
                verdict="PASS" if passed else "FAIL",
                evidence="seen",
                grader="judge",
            )
            for each, passed in zip(case.assertions, verdicts, strict=True)
        ),
        judge=JudgeFacts(model="openai:a"),
        digest="sha256:g",
        parts={
            "trial": f"t:{key}",
            "judge": judge,
            **{f"assertion:{a.id}": f"{case.id}:{a.id}" for a in case.assertions},
        },
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[..., Path]:
    """Six cases in two arms, 24 judged assertions; called again with another `judge` it is graded by that one."""

    def write(judge: str = "sha256:j") -> Path:
        cases = tuple(Case(id=f"c{n}", prompt=f"Do {n}.", assertions=_assertions(n)) for n in range(6))
        keys = [TrialKey(case_id=case.id, arm=arm.name, repeat=1) for case in cases for arm in ARMS]
        plan = Plan(
            skilltrial_version="0",
            created_at=AT,
            skill=SKILL,
            suite=Suite(dialect="mixed", path="/evals.json", digest="sha256:0", cases=cases),
            arms=ARMS,
            trials=tuple(PlannedTrial(key=key, seed=1) for key in keys),
            harness=HarnessChoice(name="builtin"),
            seed=1,
            runs=1,
            timeout_s=60,
            digest="sha256:0",
        )
        store = FolderStore(tmp_path / "w", write=True)
        store.write("iteration-1/plan.json", plan.model_dump_json().encode())
        for key in keys:
            folder = layout.trial_dir(1, key)
            trial = Trial(
                key=key,
                outcome="completed",
                final_message=MESSAGE,
                started_at=AT,
                duration_ms=1,
                usage=Usage(),
                harness=HarnessFacts(name="builtin"),
                evidence=SkillEvidence(),
                attempts=(Attempt(outcome="completed", started_at=AT, duration_ms=1),),
                isolation="folder",
                seed=1,
                plan_digest=plan.digest,
            )
            native: Any = to_native(_grading(key, plan.case(key.case_id), judge), trial)
            store.write(f"{folder}/{layout.TRIAL}", trial.model_dump_json().encode())
            store.write(f"{folder}/{layout.TRANSCRIPT}", b"")
            store.write(f"{folder}/{layout.GRADING}", json.dumps(native).encode())
        store.close()
        return tmp_path / "w"

    return write


@pytest.fixture
def desk(workspace) -> Callable[..., Desk]:
    """What Ada is asked, of the workspace as it is; the first call makes it, `judge` has it graded by another one."""
    made: list[Path] = []

    def at(*, judge: str | None = None, **fields: Any) -> Desk:
        if judge or not made:
            made.append(workspace(judge or "sha256:j"))
        return lay_out(LabelRequest(**{"workspace": made[-1], "by": "Ada", **fields}))

    return at


@pytest.fixture
def now() -> Callable[[], datetime]:
    """Always the same moment."""
    return lambda: datetime(2026, 1, 2, tzinfo=UTC)
