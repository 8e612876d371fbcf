"""A workspace with finished trials of one case, for a judge behind an API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio

from skilltrial.adapters.llm.models import open_judge
from skilltrial.grade.panel import Panel
from skilltrial.grade.run import grade
from skilltrial.plan.iteration import freeze
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Case, LlmJudge, Suite
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.testing.mock_llm import MockLLM

SKILL = SkillRef(name="csv-sum", folder="/home/somebody/skills/csv-sum", fingerprint="sha256:0")
ARMS = (Arm(name="with_skill", role="treatment", skill=SKILL), Arm(name="without_skill", role="baseline"))


def statements(n: int) -> tuple[LlmJudge, ...]:
    """Assertions `s0`, `s1`, …: "Point 0 is met."."""
    return tuple(LlmJudge(id=f"s{k}", text=f"Point {k} is met.", rubric=f"Point {k} is met.") for k in range(n))


def plan_of(prose: tuple[LlmJudge, ...], *, n_trials: int, judge: str = "openai:m") -> Plan:
    """One case, two arms, so many trials in all."""
    case = Case(id="sum it", prompt="Add.", assertions=prose)
    keys = [TrialKey(case_id=case.id, arm=arm.name, repeat=n) for n in range(1, n_trials + 1) for arm in ARMS]
    return Plan(
        skilltrial_version="0.0.777",
        created_at="2026-01-01T00:00:00Z",
        skill=SKILL,
        suite=Suite(dialect="mixed", path="/evals.json", digest="sha256:0", cases=(case,)),
        arms=ARMS,
        trials=tuple(PlannedTrial(key=key, seed=1) for key in keys[:n_trials]),
        harness=HarnessChoice(name="claude-code", version="9.8.7"),
        seed=1,
        runs=(n_trials + 1) // 2,
        timeout_s=60,
        judge=judge,
        digest="sha256:0",
    )


def write_trials(
    store: Store, plan: Plan, trial_record: Callable[..., Trial], transcript: Callable[[str], bytes]
) -> None:
    """Plan, records and transcripts (by the arm's name) of an iteration 1; all said "It is 42, please."."""
    freeze(store, plan, 1)
    for planned in plan.trials:
        folder = layout.trial_dir(1, planned.key)
        store.write(f"{folder}/{layout.TRANSCRIPT}", transcript(planned.key.arm))
        trial = trial_record(key=planned.key, final_message="It is 42, please.")
        store.write(f"{folder}/{layout.TRIAL}", trial.model_dump_json().encode())


def variables(mock: MockLLM) -> dict[str, str]:
    """Of somebody whose OpenAI is the scripted server."""
    return {"OPENAI_API_KEY": "dummy-key", "OPENAI_BASE_URL": mock.url(openai=True)}


def grade_all(store: Store, mock: MockLLM, plan: Plan, **more: Any) -> tuple[Grading, ...]:
    """Grade with the plan's judge."""

    async def main() -> tuple[Grading, ...]:
        async with open_judge(plan.judge or "", base_url=None, env=variables(mock)) as judge:
            return await grade(
                plan,
                1,
                store,
                judge=Panel(judges=(judge,)),
                no_judge_reason="none",
                concurrency=8,
                on_graded=lambda _key, _grading: None,
                **more,
            )

    return anyio.run(main)


def bodies(mock: MockLLM) -> list[str]:
    """What the server was asked so far."""
    return [str(call["body"]) for call in mock.log.select() if call["method"] == "POST"]
