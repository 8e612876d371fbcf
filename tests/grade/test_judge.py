"""The judge: bound to ids, held to its quotes, blind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from skilltrial.errors import AuthFailed, RateLimited
from skilltrial.grade.material import Material
from skilltrial.grade.panel import Judged, Panel, judge_trial
from skilltrial.records.suite import LlmJudge

Make = Callable[..., Material]
ONE = LlmJudge(id="one", text="The total is named.", rubric="The total is named.")
TWO = LlmJudge(id="two", text="The sum is right.", rubric="The sum is right.")


def _said(id_: str, verdict: str, evidence: str = "", **more: Any) -> dict[str, Any]:
    return {"id": id_, "verdict": verdict, "evidence": evidence, "reason": "So it is.", **more}


def _judge(made: Material, judge: Any, *assertions: LlmJudge) -> Judged:
    async def main() -> Judged:
        return await judge_trial(made, assertions or (ONE, TWO), panel=Panel(judges=(judge,)))

    return anyio.run(main)


def _verdicts(judged: Judged) -> dict[str, str]:
    return {id_: result.verdict for id_, result in judged.results.items()}


def test_each_assertion_gets_its_verdict_by_its_id(material: Make, scripted: Any) -> None:
    """In whatever order the judge answers."""
    judge = scripted([[_said("two", "FAIL", "41"), _said("one", "PASS", "total is 41", confidence="HIGH")]])
    judged = _judge(material(final_message="The total is 41."), judge)
    assert _verdicts(judged) == {"one": "PASS", "two": "FAIL"}
    assert judged.results["one"].evidence == "So it is. — “total is 41” (final message)"
    assert judged.results["one"].confidence == "HIGH"
    assert judged.results["one"].grader == "judge"


def test_an_id_without_a_verdict_is_ungraded(material: Make, scripted: Any) -> None:
    """Silence is no failure."""
    judged = _judge(material(), scripted([[_said("one", "FAIL")], []]))
    assert _verdicts(judged) == {"one": "FAIL", "two": "UNGRADED"}
    assert judged.results["two"].evidence == "the judge gave no verdict."


def test_verdicts_that_contradict_each_other_are_none(material: Make, scripted: Any) -> None:
    """Agreeing repetitions count once."""
    script = [_said("one", "FAIL"), _said("one", "UNGRADED"), _said("two", "FAIL"), _said("two", "FAIL")]
    judged = _judge(material(), scripted([script, script[:2]]))
    assert _verdicts(judged) == {"one": "UNGRADED", "two": "FAIL"}
    assert "contradict" in judged.results["one"].evidence


def test_invented_ids_are_ignored_and_noted(material: Make, scripted: Any) -> None:
    """They do not cost the others their verdicts."""
    judged = _judge(material(), scripted([[_said("one", "FAIL"), _said("two", "FAIL"), _said("three", "PASS")]]))
    assert set(judged.results) == {"one", "two"}
    assert judged.eval_feedback == {"ignored_ids": ["three"]}


def test_a_pass_without_a_true_quote_is_asked_again_once(material: Make, scripted: Any) -> None:
    """Only about those; the second answer stands where its quote is there."""
    judge = scripted(
        [
            [_said("one", "PASS", "invented"), _said("two", "PASS", "")],
            [_said("one", "PASS", "is 41"), _said("two", "FAIL")],
        ]
    )
    judged = _judge(material(final_message="The total is 41."), judge)
    assert _verdicts(judged) == {"one": "PASS", "two": "FAIL"}
    assert len(judge.prompts) == 2
    assert "invented" in judge.prompts[1]


def test_a_second_false_quote_leaves_it_ungraded(material: Make, scripted: Any) -> None:
    """The first quote is shown as the reason."""
    judge = scripted([[_said("one", "PASS", "made up"), _said("two", "FAIL")], [_said("one", "PASS", "again")]])
    judged = _judge(material(), judge)
    assert _verdicts(judged) == {"one": "UNGRADED", "two": "FAIL"}
    assert "its quote is not in what the agent left: 'made up'" in judged.results["one"].evidence


@pytest.mark.parametrize("source", ["the task", "the notes", "the statement"])
def test_a_quote_from_the_question_is_no_evidence(material: Make, scripted: Any, source: str) -> None:
    """Only what the agent left counts."""
    case = {"prompt": "from the task", "expected_output": "from the notes"}
    assertion = LlmJudge(id="one", text="t", rubric="from the statement")
    judge = scripted([[_said("one", "PASS", f"from {source}")], [_said("one", "PASS", f"from {source}")]])
    assert _verdicts(_judge(material(case=case), judge, assertion)) == {"one": "UNGRADED"}


def test_tokens_costs_and_times_of_both_calls_are_counted(material: Make, scripted: Any) -> None:
    """Two calls of the double at 100, 20, 0.5 USD and 1.5 s each."""
    judge = scripted([[_said("one", "PASS", "x y z"), _said("two", "FAIL")], [_said("one", "FAIL")]])
    facts = _judge(material(), judge).facts
    assert (facts.calls, facts.input_tokens, facts.output_tokens) == (2, 200, 40)
    assert (facts.cost_usd, facts.duration_ms, facts.model) == (1.0, 3000, "scripted:judge")


def test_a_judge_that_cannot_answer_leaves_everything_ungraded(material: Make, scripted: Any) -> None:
    """With the reason; asking later is worth it."""
    judged = _judge(material(), scripted([RateLimited("too many requests.")]))
    assert _verdicts(judged) == {"one": "UNGRADED", "two": "UNGRADED"}
    assert "too many requests" in judged.results["one"].evidence
    assert not judged.complete


def test_a_judge_that_fails_at_the_second_asking_keeps_the_other_verdicts(material: Make, scripted: Any) -> None:
    """The doubtful one stays open."""
    judged = _judge(material(), scripted([[_said("one", "PASS", "made up"), _said("two", "FAIL")], RateLimited("no.")]))
    assert _verdicts(judged) == {"one": "UNGRADED", "two": "FAIL"}
    assert [judged.results[id_].grader for id_ in ("one", "two")] == ["none", "judge"]
    assert judged.facts.input_tokens is None
    assert not judged.complete


def test_a_refused_key_is_not_swallowed(material: Make, scripted: Any) -> None:
    """Every further call would be refused too."""
    with pytest.raises(AuthFailed):
        _judge(material(), scripted([AuthFailed("key refused.")]))


def test_claims_and_critique_are_kept(material: Make, scripted: Any) -> None:
    """As the three formats have them."""
    answer = {
        "verdicts": [_said("one", "FAIL"), _said("two", "FAIL")],
        "claims": [{"claim": "It has 12 rows", "verified": True, "evidence": "counted"}],
        "eval_feedback": {
            "suggestions": [{"assertion": "The total is named.", "reason": "too weak"}],
            "overall": "Weak.",
        },
    }
    judged = _judge(material(), scripted([answer]))
    assert judged.claims[0].verified is True
    assert judged.eval_feedback["suggestions"] == [{"assertion": "The total is named.", "reason": "too weak"}]


def test_a_judge_that_an_assertion_asks_for_wins(material: Make, scripted: Any) -> None:
    """One call each; what is there under a shorter name is that; one that is not there leaves its assertions open."""
    other = LlmJudge(id="other", text="t", rubric="r", model="openai:x")
    same = LlmJudge(id="same", text="t", rubric="r", model="judge")
    gone = LlmJudge(id="gone", text="t", rubric="r", model="openai:gone")
    x, run = scripted([[_said("other", "PASS", "Done")]], name="openai:x"), scripted([[_said("same", "FAIL")]])
    panel = Panel(judges=(run,), own={"openai:x": x, "openai:gone": "it needs a key."})
    judged = anyio.run(lambda: judge_trial(material(), [other, same, gone], panel=panel))
    assert _verdicts(judged) == {"other": "PASS", "same": "FAIL", "gone": "UNGRADED"}
    assert [vote.judge for result in judged.results.values() for vote in result.votes] == [
        "openai:x",
        "scripted:judge",
        "openai:gone",
    ]
    assert judged.results["gone"].evidence == "it needs a key."
    assert not judged.complete
