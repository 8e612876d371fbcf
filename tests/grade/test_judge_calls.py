"""A hundred trials before a judge behind an API: how often it is asked, what that costs, and what of the trial it hears."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from judged import bodies, grade_all, plan_of, statements, write_trials

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.grade.run import Regrade
from skilltrial.pipeline import judge_cost
from skilltrial.records.grading import Grading
from skilltrial.records.trial import Trial
from skilltrial.testing.mock_llm import MockLLM

N = 8
PROSE = statements(N)
JUDGE = "openai:gpt-4o-mini"
"""A model with a list price: 0.15 USD for a million tokens in, 0.60 USD for a million out."""
CALL_USD = 0.00021
"""For 1,000 tokens in and 100 out: 1,000 x 0.15e-6 + 100 x 0.60e-6."""
WITH_SKILL = b"""\
{"ordinal":0,"kind":"tool_call","call_id":"s","name":"Skill","input":{"skill":"csv-sum"}}
{"ordinal":1,"kind":"tool_result","call_id":"s","text":"Launching skill: csv-sum"}
{"ordinal":2,"kind":"tool_call","call_id":"r","name":"Bash","input":{"command":"cat /w/.claude/skills/csv-sum/SKILL.md"}}
{"ordinal":3,"kind":"tool_result","call_id":"r","text":"---\\nname: csv-sum\\n"}
"""
ANSWER = b'{"ordinal":4,"kind":"assistant_message","text":"It is 42, please."}\n'
TELLING = (
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


@pytest.fixture
def store(tmp_path: Path, trial_record: Callable[..., Trial]) -> Iterator[FolderStore]:
    """A workspace with a hundred finished trials."""
    opened = FolderStore(tmp_path / "some-workspace", write=True)
    plan = plan_of(PROSE, n_trials=100, judge=JUDGE)
    write_trials(opened, plan, trial_record, lambda arm: (WITH_SKILL if arm == "with_skill" else b"") + ANSWER)
    yield opened
    opened.close()


def _costs(gradings: Sequence[Grading]) -> list[tuple[int, float | None]]:
    """How often the judge was asked about each trial, and for how much."""
    facts = [grading.judge for grading in gradings if grading.judge]
    return [(each.calls, None if each.cost_usd is None else round(each.cost_usd, 9)) for each in facts]


def test_a_hundred_trials_are_a_hundred_calls_and_then_none(store: FolderStore) -> None:
    """One assertion changed: that one alone is asked again, and paid; no call tells of arms, skills, versions or places."""
    verdicts = [{"id": f"s{n}", "verdict": "PASS", "evidence": "42, please", "reason": "Yes."} for n in range(N)]
    reply = {
        "calls": [{"tool": "final_result", "input": {"verdicts": verdicts}}],
        "usage": {"input": 1000, "output": 100},
    }
    plan = plan_of(PROSE, n_trials=100, judge=JUDGE)
    with MockLLM({"name": "judge", "rules": [{"reply": reply}]}) as mock:
        first = grade_all(store, mock, plan)
        assert {result.verdict for grading in first for result in grading.results} == {"PASS"}
        assert len(bodies(mock)) == 100
        assert _costs(first) == [(1, CALL_USD)] * 100
        assert judge_cost(first) == pytest.approx(100 * CALL_USD)
        assert grade_all(store, mock, plan) == first
        assert len(bodies(mock)) == 100
        other = PROSE[3].model_copy(update={"rubric": "It is polite."})
        changed = plan_of((*PROSE[:3], other, *PROSE[4:]), n_trials=6, judge=JUDGE)
        again = grade_all(store, mock, changed)
        new = bodies(mock)[100:]
        assert len(new) == 6
        assert all("It is polite." in text and "Point" not in text for text in new)
        assert _costs(again) == [(2, 2 * CALL_USD)] * 6
        grade_all(store, mock, changed, wanted=Regrade(only=frozenset({"s5"}), force=True))
        assert all("Point 5" in text and "polite" not in text for text in bodies(mock)[106:])
        assert len(bodies(mock)) == 112
        told = {word for word in TELLING for text in bodies(mock) if word in text}
        assert not told
