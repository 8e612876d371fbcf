"""Whole trials in one table: what each trial of each case and arm came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from skilltrial.aggregate.benchmark import aggregate
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.conduct import Conduct
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Case, LlmJudge, SkillInvoked, Suite
from skilltrial.records.trial import Attempt, HarnessFacts, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage

NOW = "2026-03-01T12:00:00Z"
SKILL = SkillRef(name="tidy", folder="/skills/tidy", fingerprint="sha256:1")
WITH = Arm(name="with_skill", role="treatment", skill=SKILL)
WITHOUT = Arm(name="without_skill", role="baseline")
VERDICTS = {"P": "PASS", "F": "FAIL", "U": "UNGRADED"}
FOUND = SkillEvidence(offered=True, attempted=True, loaded=True, read=False)
ABSENT = SkillEvidence(offered=False, attempted=False, loaded=False, read=False)

Table = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class Scene:
    """A plan with what came of it."""

    plan: Plan
    trials: tuple[Trial, ...]
    gradings: tuple[Grading, ...]

    def benchmark(self, **options: Any) -> Benchmark:
        """Aggregated."""
        return aggregate(self.plan, 1, self.trials, self.gradings, now=NOW, **options)

    def with_trials(self, change: Callable[[Trial], dict[str, Any]]) -> Scene:
        """The same with fields of trials changed."""
        return replace(self, trials=tuple(trial.model_copy(update=change(trial)) for trial in self.trials))

    def with_plan(self, **fields: Any) -> Scene:
        """The same with fields of the plan changed."""
        return replace(self, plan=self.plan.model_copy(update=fields))

    def with_cases(self, change: Callable[[Case], dict[str, Any]]) -> Scene:
        """The same with fields of cases changed."""
        cases = tuple(case.model_copy(update=change(case)) for case in self.plan.suite.cases)
        return self.with_plan(suite=self.plan.suite.model_copy(update={"cases": cases}))


@pytest.fixture(scope="session")
def scene() -> Callable[..., Scene]:
    """`make_scene`, for tests that cannot import it."""
    return make_scene


def make_scene(table: Table, *, arms: Sequence[Arm] = (WITH, WITHOUT), invoked: bool = False) -> Scene:
    """A scene of `{case: {arm: [cell, …]}}`, one cell a repeat.

    A cell has a letter an assertion: `P`, `F` or `U` (no verdict). `timed_out:PF` gives another outcome, `harness_error` and
    `cancelled` have no verdicts, `-` was not run, `?` was not graded. `invoked` makes each case's first assertion `skill_invoked`.
    """
    cases: list[Case] = []
    trials: list[Trial] = []
    gradings: list[Grading] = []
    planned: list[PlannedTrial] = []
    for case_id, row in table.items():
        cells = [cell.rpartition(":")[2] for cells in row.values() for cell in cells]
        width = max((len(cell) for cell in cells if set(cell) <= set(VERDICTS)), default=1)
        cases.append(_case(case_id, width, invoked))
        for arm in arms:
            for number, cell in enumerate(row.get(arm.name, ()), start=1):
                key = TrialKey(case_id=case_id, arm=arm.name, repeat=number)
                planned.append(PlannedTrial(key=key, seed=number))
                if cell == "-":
                    continue
                head, _, letters = cell.rpartition(":")
                dead = cell in ("harness_error", "cancelled")
                trials.append(_trial(key, cell if dead else head or "completed", arm))
                if not dead and cell != "?":
                    gradings.append(_grading(key, cases[-1], letters))
    return Scene(_plan(tuple(cases), tuple(arms), tuple(planned)), tuple(trials), tuple(gradings))


def _case(case_id: str, width: int, invoked: bool) -> Case:
    assertions: list[Any] = [
        LlmJudge(id=f"a{n}", text=f"{case_id} holds {n}", rubric=f"{case_id} holds {n}") for n in range(1, width + 1)
    ]
    if invoked:
        assertions[0] = SkillInvoked(id="a1", text="the skill was invoked")
    return Case(id=case_id, prompt=f"Do {case_id}.", assertions=tuple(assertions))


def _trial(key: TrialKey, outcome: Any, arm: Arm) -> Trial:
    duration = 30_000 if arm.skill else 20_000
    return Trial(
        key=key,
        outcome=outcome,
        started_at=NOW,
        duration_ms=duration,
        usage=Usage(input_tokens=900 if arm.skill else 400, output_tokens=100),
        cost_usd=0.02,
        harness=HarnessFacts(name="stub", version="1.0", model_served="model-a"),
        evidence=FOUND if arm.skill else ABSENT,
        attempts=(Attempt(outcome=outcome, started_at=NOW, duration_ms=duration),),
        tool_calls={"write": 2, "read": 1},
        conduct=Conduct(n_inspected=3, n_denials=0, outside=(), live=(), shadows=()),
        isolation="folder",
        seed=key.repeat,
        plan_digest="sha256:plan",
    )


def _grading(key: TrialKey, case: Case, letters: str) -> Grading:
    results = tuple(
        AssertionResult(
            id=assertion.id,
            text=assertion.text,
            type=assertion.type,
            verdict=VERDICTS[letter],  # pyright: ignore[reportArgumentType] (the three verdicts)
            evidence="no judge" if letter == "U" else "seen",
            grader="none" if letter == "U" else "judge",
        )
        for assertion, letter in zip(case.assertions, letters, strict=True)
    )
    return Grading(key=key, results=results, digest="sha256:g")


def _plan(cases: tuple[Case, ...], arms: tuple[Arm, ...], planned: tuple[PlannedTrial, ...]) -> Plan:
    return Plan(
        skilltrial_version="0.1.0",
        created_at=NOW,
        skill=SKILL,
        suite=Suite(dialect="agentskills", path="/skills/tidy/evals/evals.json", digest="sha256:s", cases=cases),
        arms=arms,
        trials=planned,
        harness=HarnessChoice(name="stub", model="model-asked"),
        seed=5,
        runs=1,
        timeout_s=60,
        digest="sha256:plan",
    )
