"""A hundred trials before a judge behind an API: how often it is asked, and what of the trial it hears."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from skilltrial.adapters.llm.models import open_judge
from skilltrial.adapters.store.folder import FolderStore
from skilltrial.grade.panel import Panel
from skilltrial.grade.run import Regrade, grade
from skilltrial.records import layout
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Case, LlmJudge, Suite
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.testing.mock_llm import MockLLM

N = 8
SKILL = SkillRef(name="csv-sum", folder="/home/somebody/skills/csv-sum", fingerprint="sha256:0")
ARMS = (Arm(name="with_skill", role="treatment", skill=SKILL), Arm(name="without_skill", role="baseline"))
PROSE = tuple(LlmJudge(id=f"s{n}", text=f"Point {n} is met.", rubric=f"Point {n} is met.") for n in range(N))
WITH_SKILL = b"""\
{"ordinal":0,"kind":"tool_call","call_id":"s","name":"Skill","input":{"skill":"csv-sum"}}
{"ordinal":1,"kind":"tool_result","call_id":"s","text":"Launching skill: csv-sum"}
{"ordinal":2,"kind":"tool_call","call_id":"r","name":"Bash","input":{"command":"cat /w/.claude/skills/csv-sum/SKILL.md"}}
{"ordinal":3,"kind":"tool_result","call_id":"r","text":"---\\nname: csv-sum\\n"}
"""
ANSWER = b'{"ordinal":4,"kind":"assistant_message","text":"It is 42, please."}\n'


def _plan(prose: tuple[LlmJudge, ...] = PROSE, *, n_trials: int = 100) -> Plan:
    case = Case(id="sum it", prompt="Add.", assertions=prose)
    keys = [TrialKey(case_id=case.id, arm=arm.name, repeat=n) for n in range(1, 51) for arm in ARMS]
    return Plan(
        skilltrial_version="0.0.777",
        created_at="2026-01-01T00:00:00Z",
        skill=SKILL,
        suite=Suite(dialect="mixed", path="/evals.json", digest="sha256:0", cases=(case,)),
        arms=ARMS,
        trials=tuple(PlannedTrial(key=key, seed=1) for key in keys[:n_trials]),
        harness=HarnessChoice(name="claude-code", version="9.8.7"),
        seed=1,
        runs=50,
        timeout_s=60,
        digest="sha256:0",
    )


@pytest.fixture
def store(tmp_path: Path, trial_record: Callable[..., Trial]) -> Iterator[FolderStore]:
    """A workspace with a hundred finished trials."""
    opened = FolderStore(tmp_path / "some-workspace", write=True)
    for planned in _plan().trials:
        folder = layout.trial_dir(1, planned.key)
        skill = WITH_SKILL if planned.key.arm == "with_skill" else b""
        opened.write(f"{folder}/{layout.TRANSCRIPT}", skill + ANSWER)
        trial = trial_record(key=planned.key, final_message="It is 42, please.")
        opened.write(f"{folder}/{layout.TRIAL}", trial.model_dump_json().encode())
    yield opened
    opened.close()


def _grade(store: FolderStore, mock: MockLLM, plan: Plan, **more: Any) -> tuple[Grading, ...]:
    env = {"OPENAI_API_KEY": "dummy-key", "OPENAI_BASE_URL": mock.url(openai=True)}

    async def main() -> tuple[Grading, ...]:
        async with open_judge("openai:m", base_url=None, env=env) as judge:
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


def _asked(mock: MockLLM) -> list[str]:
    return [str(call["body"]) for call in mock.log.select() if call["method"] == "POST"]


def test_a_hundred_trials_are_a_hundred_calls_and_then_none(store: FolderStore) -> None:
    """One assertion changed: that one alone is asked again; no call tells of arms, skills, versions or places."""
    verdicts = [{"id": f"s{n}", "verdict": "PASS", "evidence": "42, please", "reason": "Yes."} for n in range(N)]
    reply = {"calls": [{"tool": "final_result", "input": {"verdicts": verdicts}}]}
    with MockLLM({"name": "judge", "rules": [{"reply": reply}]}) as mock:
        first = _grade(store, mock, _plan())
        assert {result.verdict for grading in first for result in grading.results} == {"PASS"}
        asked = _asked(mock)
        assert len(asked) == 100
        assert _grade(store, mock, _plan()) == first
        assert len(_asked(mock)) == 100
        changed = _plan((*PROSE[:3], PROSE[3].model_copy(update={"rubric": "It is polite."}), *PROSE[4:]), n_trials=6)
        again = _grade(store, mock, changed)
        new = _asked(mock)[100:]
        assert len(new) == 6
        assert all("It is polite." in text and "Point" not in text for text in new)
        assert [grading.judge.calls for grading in again if grading.judge] == [2] * 6
        _grade(store, mock, changed, wanted=Regrade(only=frozenset({"s5"}), force=True))
        assert all("Point 5" in text and "polite" not in text for text in _asked(mock)[106:])
        assert len(_asked(mock)) == 112
        told = {word for word in _TELLING for text in _asked(mock) if word in text}
        assert not told


_TELLING = (
    "with_skill",
    "without_skill",
    "csv-sum",
    "treatment",
    "baseline",
    "/home/somebody",
    "some-workspace",
    "SKILL.md",
    "skilltrial",
    "claude",
    "0.0.777",
    "9.8.7",
    "run-1",
)
