"""One trial -> one grading."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from skilltrial.errors import AuthFailed, TimedOut
from skilltrial.grade.material import Material
from skilltrial.grade.native import from_native, to_native
from skilltrial.grade.panel import Panel
from skilltrial.grade.trial import grade_trial
from skilltrial.records.events import AssistantMessage
from skilltrial.records.grading import Grading
from skilltrial.records.suite import (
    AnswerMatches,
    CommandCheck,
    FileExists,
    FileMatches,
    Foreign,
    JsonMatches,
    LlmJudge,
    SkillInvoked,
    TranscriptCheck,
)
from skilltrial.records.trial import SkillEvidence

Make = Callable[..., Material]
PROSE = LlmJudge(id="prose", text="It is good.", rubric="It is good.")
ANSWER = AnswerMatches(id="answer", text="names 42", pattern="42")


def _grade(made: Material, judge: Any = None, reason: str = "no judge was given.") -> Grading:
    async def main() -> Grading:
        return await grade_trial(
            made,
            judge=judge and Panel(judges=(judge,)),
            no_judge_reason=reason,
            env={"PATH": os.environ.get("PATH", os.defpath)},
        )

    return anyio.run(main)


def test_every_kind_of_assertion_once_in_the_cases_order(material: Make, scripted: Any) -> None:
    """Code and judge together."""
    assertions = [
        PROSE,
        FileExists(id="exists", text="t", path="sum.json"),
        FileMatches(id="holds", text="t", path="sum.json", pattern="43"),
        JsonMatches(id="json", text="t", path="sum.json", pointer="/sum", equals=42),
        CommandCheck(id="command", text="t", command="grep -q 42 sum.json"),
        TranscriptCheck(id="said", text="t", check="assistant_message_matches", pattern="Done"),
        SkillInvoked(id="skill", text="t"),
        Foreign(id="foreign", text="t", reason="diff_scope is not supported yet."),
        ANSWER,
    ]
    made = material(
        {"sum.json": b'{"sum": 42}'},
        assertions=assertions,
        final_message="It is 42.",
        events=[AssistantMessage(ordinal=0, text="Done.")],
        evidence=SkillEvidence(offered=True, loaded=True),
    )
    judge = scripted([[{"id": "prose", "verdict": "PASS", "evidence": "It is 42."}]])
    grading = _grade(made, judge)
    assert [(each.id, each.verdict, each.grader) for each in grading.results] == [
        ("prose", "PASS", "judge"),
        ("exists", "PASS", "code"),
        ("holds", "FAIL", "code"),
        ("json", "PASS", "code"),
        ("command", "PASS", "code"),
        ("said", "PASS", "code"),
        ("skill", "PASS", "code"),
        ("foreign", "UNGRADED", "none"),
        ("answer", "PASS", "code"),
    ]
    assert grading.pass_rate == 7 / 8


def test_without_a_judge_prose_is_ungraded_with_the_reason(material: Make) -> None:
    """And code still decides what it can."""
    grading = _grade(material(assertions=[PROSE, ANSWER], final_message="42"))
    assert (grading.results[0].verdict, grading.results[0].evidence) == ("UNGRADED", "no judge was given.")
    assert grading.pass_rate == 1.0
    assert grading.judge is None


def test_without_prose_the_judge_is_not_asked(material: Make, scripted: Any) -> None:
    """Deterministic checks are free."""
    judge = scripted([])
    assert _grade(material(assertions=[ANSWER]), judge).judge is None
    assert judge.prompts == []


def test_a_timed_out_trial_is_graded_on_what_it_left(material: Make) -> None:
    """Its files count; the answer it never gave is a failure of its own."""
    made = material(
        {"a.txt": b""},
        assertions=[FileExists(id="a", text="t", path="a.txt"), ANSWER],
        outcome="timed_out",
        final_message=None,
    )
    assert [each.verdict for each in _grade(made).results] == ["PASS", "FAIL"]


def test_a_refused_key_is_raised(material: Make, scripted: Any) -> None:
    """The caller stops asking."""
    with pytest.raises(AuthFailed):
        _grade(material(assertions=[PROSE]), scripted([AuthFailed("refused.")]))


def test_the_digest_changes_with_what_the_grading_is_made_from(material: Make, scripted: Any) -> None:
    """Assertion, trial, judge and its success; and with nothing else."""
    base = material(assertions=[PROSE], final_message="x")
    digests = [
        _grade(base).digest,
        _grade(material(assertions=[PROSE, ANSWER], final_message="x")).digest,
        _grade(material(assertions=[PROSE], final_message="y")).digest,
        _grade(base, scripted([[{"id": "prose", "verdict": "FAIL"}]])).digest,
        _grade(base, scripted([[{"id": "prose", "verdict": "FAIL"}]], name="other")).digest,
        _grade(base, scripted([TimedOut("slow.")])).digest,
        _grade(base, reason="another reason.").digest,
    ]
    assert len(set(digests)) == len(digests)
    assert _grade(base).digest == digests[0]


def test_the_judge_does_not_count_where_nothing_is_in_prose(material: Make, scripted: Any) -> None:
    """A new judge does not make such gradings stale."""
    made = material(assertions=[ANSWER])
    assert _grade(made).digest == _grade(made, scripted([])).digest


def test_weights_and_required_ones_stand_beside_the_pass_rate(material: Make) -> None:
    """3 of 4 parts of the weight hold, half of the assertions do; what has no verdict weighs nothing."""
    made = material(
        {"a.txt": b""},
        assertions=[
            FileExists(id="a", text="t", path="a.txt", weight=3),
            FileExists(id="b", text="t", path="b.txt", required=True),
            LlmJudge(id="c", text="t", rubric="t", weight=9, required=True),
        ],
    )
    grading = _grade(made)
    assert (grading.pass_rate, grading.weighted_score, grading.required_failed) == (0.5, 0.75, ("b",))
    native = to_native(grading, made.trial)
    assert from_native(native) == grading
    assert [(one.get("weight"), one.get("required")) for one in native["expectations"]] == [(3, None), (None, True)]


def test_a_task_for_the_skill_to_stay_out_of_has_a_result_beside_the_pass_rate(material: Make) -> None:
    """Only where the skill was offered; it is in no count, and comes back from the file."""
    case = {"skill_should_trigger": False}
    loaded = SkillEvidence(offered=True, attempted=True, loaded=True)
    made = material({"a.txt": b""}, case=case, evidence=loaded, assertions=[FileExists(id="a", text="t", path="a.txt")])
    grading = _grade(made)
    assert [(one.id, one.verdict) for one in grading.meta_results] == [("__skill_not_invoked", "FAIL")]
    assert (grading.pass_rate, grading.n_failed) == (1, 0)
    assert from_native(to_native(grading, made.trial)) == grading
    assert _grade(material(case=case, arm_has_skill=False)).meta_results == ()
    assert _grade(material(evidence=loaded)).meta_results == ()
