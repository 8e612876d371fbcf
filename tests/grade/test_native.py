"""`grading.json`: what other readers find in it, and the way back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.errors import StoreError
from skilltrial.grade.native import from_native, to_native
from skilltrial.records.grading import AssertionResult, Claim, Grading, JudgeFacts
from skilltrial.records.trial import Attempt, HarnessFacts, OutputFile, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage

KEY = TrialKey(case_id="sum", arm="with_skill", repeat=1)
TRIAL = Trial(
    key=KEY,
    outcome="completed",
    started_at="2026-01-01T00:00:00.000Z",
    duration_ms=12_500,
    usage=Usage(),
    harness=HarnessFacts(name="builtin"),
    evidence=SkillEvidence(),
    attempts=(Attempt(outcome="completed", started_at="2026-01-01T00:00:00.000Z", duration_ms=12_500),),
    files=(
        OutputFile(path="a", change="created", size=30),
        OutputFile(path="b", change="deleted"),
        OutputFile(path="c", change="created", size=9, kept=False),
    ),
    tool_calls={"Bash": 2, "Write": 1},
    n_tool_errors=1,
    isolation="folder",
    seed=1,
    plan_digest="sha256:0",
)


def _result(id_: str, verdict: str, grader: str = "code") -> AssertionResult:
    return AssertionResult.model_validate(
        {
            "id": id_,
            "text": f"{id_} holds",
            "type": "file_exists",
            "verdict": verdict,
            "evidence": "why",
            "grader": grader,
        }
    )


GRADING = Grading(
    key=KEY,
    results=(_result("p", "PASS"), _result("u", "UNGRADED"), _result("f", "FAIL"), _result("q", "PASS", "judge")),
    claims=(Claim(claim="12 rows", verified=True),),
    judge=JudgeFacts(model="j", calls=1, duration_ms=500),
    digest="sha256:1",
)


def test_expectations_hold_only_what_has_a_verdict() -> None:
    """Other readers count everything in them."""
    native = to_native(GRADING, TRIAL, eval_id=7)
    assert [(each["id"], each["passed"], each["verdict"]) for each in native["expectations"]] == [
        ("p", True, "PASS"),
        ("f", False, "FAIL"),
        ("q", True, "PASS"),
    ]
    assert native["ungraded"][0]["reason"] == "why"
    assert native["order"] == ["p", "u", "f", "q"]


def test_counts_and_rate_leave_the_ungraded_out() -> None:
    """Two of three, one ungraded: 0.667, not 0.5."""
    native = to_native(GRADING, TRIAL)
    assert native["summary"] == {
        "passed": 2,
        "failed": 1,
        "total": 3,
        "pass_rate": 2 / 3,
        "ungraded": 1,
        "weighted_score": 2 / 3,
        "required_failed": [],
    }
    assert (native["pass_count"], native["fail_count"], native["pass_rate"]) == (2, 1, 2 / 3)


def test_nothing_graded_has_no_rate() -> None:
    """Unknown is not zero."""
    native = to_native(GRADING.model_copy(update={"results": (_result("u", "UNGRADED"),)}), TRIAL)
    assert native["summary"]["pass_rate"] is None


def test_skill_creators_figures() -> None:
    """Times in seconds, calls by tool, sizes of what is there; what is unknown is left out."""
    native = to_native(GRADING, TRIAL, n_steps=4)
    assert native["timing"] == {
        "executor_duration_seconds": 12.5,
        "grader_duration_seconds": 0.5,
        "total_duration_seconds": 13.0,
    }
    assert native["execution_metrics"] == {
        "tool_calls": {"Bash": 2, "Write": 1},
        "total_tool_calls": 3,
        "errors_encountered": 1,
        "total_steps": 4,
        "output_chars": 30,
    }


def test_skill_builders_keys() -> None:
    """eval_id as written, the arm, the assertion's text."""
    native = to_native(GRADING, TRIAL, eval_id=7)
    assert (native["eval_id"], native["config"]) == (7, "with_skill")
    assert native["expectations"][0]["assertion"] == "p holds"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
RESULTS = st.lists(
    st.builds(
        AssertionResult,
        id=TEXTS,
        text=TEXTS,
        type=st.sampled_from(["llm_judge", "file_exists"]),
        verdict=st.sampled_from(["PASS", "FAIL", "UNGRADED"]),
        evidence=TEXTS,
        confidence=st.sampled_from([None, "HIGH", "MEDIUM", "LOW"]),
        grader=st.sampled_from(["code", "judge", "none"]),
    ),
    max_size=8,
    unique_by=lambda result: result.id,
)


@settings(deadline=None, max_examples=60)
@given(
    results=RESULTS,
    claims=st.lists(
        st.builds(Claim, claim=TEXTS, verified=st.sampled_from([None, True, False]), evidence=TEXTS), max_size=3
    ),
    judge=st.none() | st.builds(JudgeFacts, model=TEXTS, calls=st.integers(0, 3), cost_usd=st.none() | st.floats(0, 9)),
    feedback=st.dictionaries(TEXTS, TEXTS, max_size=2),
)
def test_there_and_back_again(results: Any, claims: Any, judge: Any, feedback: Any) -> None:
    """Whatever a grading holds, it comes back equal through JSON."""
    grading = Grading(
        key=KEY, results=tuple(results), claims=tuple(claims), judge=judge, eval_feedback=feedback, digest="sha256:1"
    )
    assert from_native(json.loads(json.dumps(to_native(grading, TRIAL)))) == grading


def _broken(change: Callable[[Any], Any]) -> Any:
    native = json.loads(json.dumps(to_native(GRADING, TRIAL)))
    change(native)
    return native


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([], "an object is needed, not list"),
        (_broken(lambda native: native.pop("digest")), "the key 'digest' is missing"),
        (_broken(lambda native: native["expectations"][0].update(passed=False)), "'passed' and 'verdict' of 'p'"),
        (_broken(lambda native: native["expectations"][0].update(passed="true")), "'passed' and 'verdict' of 'p'"),
        (_broken(lambda native: native["order"].append("x")), "'order' does not name"),
        (_broken(lambda native: native["key"].update(repeat=0)), "key.repeat"),
        (_broken(lambda native: native["ungraded"].__setitem__(0, None)), "an object is needed, not NoneType"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(data: Any, reason: str) -> None:
    """With its name and the reason."""
    with pytest.raises(StoreError, match=f"x/grading.json: is no grading: {reason}"):
        from_native(data, where="x/grading.json")
