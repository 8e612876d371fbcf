"""The judge through a real client, against the scripted model server: what each answer comes to, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio
import pytest

from skilltrial.adapters.llm.models import open_judge
from skilltrial.errors import AuthFailed
from skilltrial.grade.material import Material
from skilltrial.grade.panel import Panel
from skilltrial.grade.trial import grade_trial
from skilltrial.records.grading import Grading
from skilltrial.records.suite import LlmJudge
from skilltrial.testing.mock_llm import MockLLM

Make = Callable[..., Material]
PROSE = (
    LlmJudge(id="total", text="The total is named.", rubric="The total is named."),
    LlmJudge(id="polite", text="It is polite.", rubric="It is polite."),
)
JUDGES = ("openai:m", "anthropic:m")


def verdict(id_: str, said: str = "PASS", evidence: str = "total is 42", **more: Any) -> dict[str, Any]:
    """One entry of an answer."""
    return {"id": id_, "verdict": said, "evidence": evidence, "reason": "So it is.", **more}


def answer(*verdicts: dict[str, Any]) -> dict[str, Any]:
    """A reply that gives a whole answer by the tool call that is asked for."""
    return {"calls": [{"tool": "final_result", "input": {"verdicts": list(verdicts)}}]}


GOOD = answer(verdict("total"), verdict("polite", "FAIL", "42."))


@dataclass
class Bench:
    """A trial, and a server whose replies are scripted."""

    material: Material
    server: MockLLM | None = None

    def grade(self, spec: str, *replies: dict[str, Any], timeout_s: float = 60) -> Grading:
        """The grading with a judge that gives these replies in order, the last for ever."""
        rules = [{"reply": reply, "times": 1} for reply in replies[:-1]] + [{"reply": replies[-1]}]
        with MockLLM({"name": "judge", "rules": rules}) as self.server:
            vendor = spec.partition(":")[0]
            url = self.server.url(openai=vendor == "openai")
            env = {f"{vendor.upper()}_API_KEY": "dummy-key", f"{vendor.upper()}_BASE_URL": url}

            async def main() -> Grading:
                async with open_judge(spec, base_url=None, env=env, timeout_s=timeout_s) as judge:
                    return await grade_trial(self.material, judge=Panel(judges=(judge,)), no_judge_reason="none")

            return anyio.run(main)

    @property
    def n_requests(self) -> int:
        """What the server was asked."""
        assert self.server
        return len([call for call in self.server.log.select() if call["method"] == "POST"])


@pytest.fixture
def bench(material: Make) -> Bench:
    """A finished trial that named its total."""
    return Bench(material(final_message="The total is 42.", assertions=PROSE))


def _verdicts(grading: Grading) -> list[str]:
    return [result.verdict for result in grading.results]


def _reasons(grading: Grading) -> str:
    return " ".join(result.evidence for result in grading.results if result.verdict == "UNGRADED")


@pytest.mark.parametrize("spec", JUDGES)
def test_one_request_grades_all(bench: Bench, spec: str) -> None:
    """With tokens as the service counted them."""
    grading = bench.grade(spec, {**GOOD, "usage": {"input": 900, "output": 60}})
    assert _verdicts(grading) == ["PASS", "FAIL"]
    assert bench.n_requests == 1
    assert grading.judge is not None
    assert (grading.judge.calls, grading.judge.input_tokens, grading.judge.output_tokens) == (1, 900, 60)


@pytest.mark.parametrize("spec", JUDGES)
def test_a_quote_that_is_not_there_costs_one_more_request(bench: Bench, spec: str) -> None:
    """And stays without a verdict where the second is made up too."""
    grading = bench.grade(spec, answer(verdict("total", evidence="made up"), verdict("polite", "FAIL")))
    assert _verdicts(grading) == ["UNGRADED", "FAIL"]
    assert bench.n_requests == 2
    assert "made up" in _reasons(grading)


def test_a_missing_verdict_is_asked_for_once_more(bench: Bench) -> None:
    """Only for that statement; what was said of others stands."""
    grading = bench.grade(
        "openai:m", answer(verdict("total")), answer(verdict("polite", "FAIL"), verdict("total", "FAIL"))
    )
    assert _verdicts(grading) == ["PASS", "FAIL"]
    assert bench.n_requests == 2


def test_a_verdict_that_stays_missing_is_none(bench: Bench) -> None:
    """Silence is no failure."""
    grading = bench.grade("openai:m", answer(verdict("total")))
    assert _verdicts(grading) == ["PASS", "UNGRADED"]
    assert bench.n_requests == 2
    assert "gave no verdict" in _reasons(grading)


def test_an_unknown_id_costs_nothing(bench: Bench) -> None:
    """It is noted."""
    grading = bench.grade("openai:m", answer(verdict("total"), verdict("polite", "FAIL"), verdict("invented")))
    assert _verdicts(grading) == ["PASS", "FAIL"]
    assert bench.n_requests == 1
    assert grading.eval_feedback["ignored_ids"] == ["invented"]


def test_contradicting_verdicts_are_none(bench: Bench) -> None:
    """Also when they contradict each other again."""
    both = (verdict("total", "PASS"), verdict("total", "FAIL"))
    grading = bench.grade("openai:m", answer(*both, verdict("polite", "FAIL")), answer(*both))
    assert _verdicts(grading) == ["UNGRADED", "FAIL"]
    assert bench.n_requests == 2
    assert "contradict" in _reasons(grading)


NO_ANSWERS: dict[str, dict[str, Any]] = {
    "prose": {"text": "I would say that all is well."},
    "no object": {"calls": [{"tool": "final_result", "input": "PASS"}]},
    "no verdicts": {"calls": [{"tool": "final_result", "input": {"claims": []}}]},
    "an unknown word": answer(verdict("total", "MAYBE"), verdict("polite", "FAIL")),
    "another tool": {"calls": [{"tool": "launch_missiles", "input": {}}]},
    "empty": {"text": ""},
}


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("name", NO_ANSWERS)
def test_what_is_no_answer_is_asked_again_once(bench: Bench, spec: str, name: str) -> None:
    """The second counts."""
    grading = bench.grade(spec, NO_ANSWERS[name], GOOD)
    assert _verdicts(grading) == ["PASS", "FAIL"]
    assert bench.n_requests == 2


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("name", NO_ANSWERS)
def test_what_stays_no_answer_leaves_all_open(bench: Bench, spec: str, name: str) -> None:
    """With a reason, and two requests are all it costs."""
    grading = bench.grade(spec, NO_ANSWERS[name])
    assert _verdicts(grading) == ["UNGRADED", "UNGRADED"]
    assert bench.n_requests == 2
    assert "could not answer" in _reasons(grading)


FAULTS: dict[str, dict[str, Any]] = {
    "500": {"error": {"status": 500, "headers": {"retry-after-ms": "1"}}},
    "429": {"error": {"status": 429, "headers": {"retry-after-ms": "1"}}},
    "529": {"error": {"status": 529, "headers": {"retry-after-ms": "1"}}},
}


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("name", FAULTS)
def test_a_service_in_trouble_is_tried_again(bench: Bench, spec: str, name: str) -> None:
    """Twice, as long as it asks for; then the answer counts."""
    grading = bench.grade(spec, FAULTS[name], FAULTS[name], GOOD)
    assert _verdicts(grading) == ["PASS", "FAIL"]
    assert bench.n_requests == 3


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("name", FAULTS)
def test_a_service_that_stays_in_trouble_leaves_all_open(bench: Bench, spec: str, name: str) -> None:
    """Three requests, no verdict."""
    grading = bench.grade(spec, FAULTS[name])
    assert _verdicts(grading) == ["UNGRADED", "UNGRADED"]
    assert bench.n_requests == 3
    assert name in _reasons(grading) or "limit" in _reasons(grading)


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("fault", ["garbage", "reset", "cut"])
def test_a_broken_line_leaves_all_open(bench: Bench, spec: str, fault: str) -> None:
    """Whatever came is no answer, and no traceback."""
    grading = bench.grade(spec, {**GOOD, "fault": fault})
    assert _verdicts(grading) == ["UNGRADED", "UNGRADED"]
    assert _reasons(grading)


@pytest.mark.parametrize("spec", JUDGES)
def test_a_silent_service_is_left_in_time(bench: Bench, spec: str) -> None:
    """The time that is allowed, and no longer."""
    grading = bench.grade(spec, {"fault": "hang"}, timeout_s=1)
    assert _verdicts(grading) == ["UNGRADED", "UNGRADED"]
    assert "did not answer within 1 s" in _reasons(grading)


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_asked_once(bench: Bench, spec: str, status: int) -> None:
    """`grade.run` takes the judge away from all."""
    with pytest.raises(AuthFailed, match="refused the key"):
        bench.grade(spec, {"error": {"status": status}})
    assert bench.n_requests == 1


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("status", [400, 404, 413])
def test_a_request_that_is_refused_leaves_all_open(bench: Bench, spec: str, status: int) -> None:
    """An unknown model, a prompt that is too long: said in the reason."""
    grading = bench.grade(spec, {"error": {"status": status, "message": "no such model"}})
    assert _verdicts(grading) == ["UNGRADED", "UNGRADED"]
    assert bench.n_requests == 1
    assert "no such model" in _reasons(grading)


@pytest.mark.parametrize("reply", [{"text": "I cannot help.", "stop": "refusal"}, {**GOOD, "stop": "max_tokens"}])
def test_a_refusal_or_a_cut_answer_is_no_verdict(bench: Bench, reply: dict[str, Any]) -> None:
    """The model's end, not the agent's."""
    cut = {"text": "", "stop": "max_tokens"} if "calls" in reply else reply
    grading = bench.grade("anthropic:m", cut)
    assert _verdicts(grading) == ["UNGRADED", "UNGRADED"]
    assert _reasons(grading)
