"""The judge through a real client of each API, against the scripted model server: what each answer comes to, and what it costs."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import anyio
import pytest
from PIL import Image

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


@pytest.mark.parametrize("spec", JUDGES)
def test_one_request_grades_all(bench: Bench, spec: str) -> None:
    """With tokens as the service counted them."""
    grading = bench.grade(spec, {**GOOD, "usage": {"input": 900, "output": 60}})
    assert _verdicts(grading) == ["PASS", "FAIL"]
    assert bench.n_requests == 1
    assert grading.judge is not None
    assert (grading.judge.calls, grading.judge.input_tokens, grading.judge.output_tokens) == (1, 900, 60)


class Row(NamedTuple):
    """A script of replies (the last for ever), and what has to come of it."""

    replies: list[dict[str, Any]]
    total: str
    """The verdict on the first statement; `polite` that on the second."""
    polite: str
    n_requests: int
    reason: str = ""
    """Stands at what is UNGRADED."""


def raw(text: str, **more: Any) -> dict[str, Any]:
    """The call that is asked for, with this text as arguments; Anthropic's clients get an object without verdicts."""
    return {"calls": [{"tool": "final_result", "input": {"$raw": text}}], **more}


def trouble(status: int) -> dict[str, Any]:
    """An answer of the service's that may pass."""
    return {"error": {"status": status, "headers": {"retry-after-ms": "1"}}}


T, P = verdict("total"), verdict("polite", "FAIL", "42.")
INVENTED = verdict("total", evidence="made up")
CONTRADICTION = [verdict("total", "PASS"), verdict("total", "FAIL")]
HALF = '{"verdicts": [{"id": "total", "verdict": "PASS", "evid'
PROSE_ALONE = {"text": "I would say that all is well."}
OPEN = ("UNGRADED", "UNGRADED")
FORM = "no answer of the asked form"
FAULTS: dict[str, Row] = {
    # The form of the answer: asked for once more within the call.
    "malformed JSON": Row([raw(HALF)], *OPEN, 2, FORM),
    "malformed JSON, then good": Row([raw(HALF), GOOD], "PASS", "FAIL", 2),
    "malformed JSON in words": Row([{"text": HALF}], *OPEN, 2, f"{FORM}.*it said .{{.*verdicts"),
    "no object": Row([{"calls": [{"tool": "final_result", "input": "PASS"}]}], *OPEN, 2, FORM),
    "no verdicts": Row([{"calls": [{"tool": "final_result", "input": {"claims": []}}]}], *OPEN, 2, FORM),
    "an unknown word": Row([answer(verdict("total", "MAYBE"), P)], *OPEN, 2, FORM),
    "an unknown word, then good": Row([answer(verdict("total", "MAYBE"), P), GOOD], "PASS", "FAIL", 2),
    "another tool": Row([{"calls": [{"tool": "launch_missiles", "input": {}}]}], *OPEN, 2, FORM),
    "prose": Row([PROSE_ALONE], *OPEN, 2, f"{FORM}.*all is well"),
    "prose, then good": Row([PROSE_ALONE, GOOD], "PASS", "FAIL", 2),
    "nothing": Row([{"text": ""}], *OPEN, 2, FORM),
    # Ids: each bound once, else that one is asked about again, once.
    "a missing id": Row([answer(T)], "PASS", "UNGRADED", 2, "gave no verdict"),
    "a missing id, then there": Row([answer(T), answer(P, verdict("total", "FAIL"))], "PASS", "FAIL", 2),
    "no id at all": Row([answer()], *OPEN, 2, "gave no verdict"),
    "a double id that agrees": Row([answer(T, T, P)], "PASS", "FAIL", 1),
    "a double id that does not": Row([answer(*CONTRADICTION, P)], "UNGRADED", "FAIL", 2, "contradict"),
    "a double id that does not, then does": Row([answer(*CONTRADICTION, P), answer(T)], "PASS", "FAIL", 2),
    "an invented id": Row([answer(T, P, verdict("invented"))], "PASS", "FAIL", 1),
    "an invented id in place of one": Row([answer(verdict("Total"), P)], "UNGRADED", "FAIL", 2, "gave no verdict"),
    # Quotes: held to what the agent left.
    "an invented quote": Row([answer(INVENTED, P)], "UNGRADED", "FAIL", 2, "said PASS, but its quote is not .*made up"),
    "an invented quote, then a true one": Row([answer(INVENTED, P), answer(T)], "PASS", "FAIL", 2),
    "an invented quote of a FAIL": Row(
        [answer(T, verdict("polite", "FAIL", "go away"))], "PASS", "UNGRADED", 2, "said FAIL, but its quote .*go away"
    ),
    "a PASS without a quote": Row([answer(verdict("total", evidence=""), P)], "UNGRADED", "FAIL", 2, "said PASS"),
    "a FAIL without a quote": Row([answer(T, verdict("polite", "FAIL", ""))], "PASS", "FAIL", 1),
    "no opinion": Row([answer(T, verdict("polite", "UNGRADED", ""))], "PASS", "UNGRADED", 1, "So it is"),
    # The model's own ends.
    "a refusal": Row([{"text": "I cannot help.", "stop": "refusal"}], *OPEN, 2, "content_filter.*I cannot help"),
    "a refusal, then good": Row([{"text": "I cannot help.", "stop": "refusal"}, GOOD], "PASS", "FAIL", 2),
    "a refusal without words": Row([{"text": "", "stop": "refusal"}], *OPEN, 1, "Content filter"),
    "cut before anything": Row([{"text": "", "stop": "max_tokens"}], *OPEN, 1, "[Tt]oken limit"),
    "cut in words": Row([{"text": "I think", "stop": "max_tokens"}], *OPEN, 1, "[Tt]oken limit.*I think"),
    "cut within the JSON": Row([raw(HALF, stop="max_tokens")], *OPEN, 2, "length"),
    "cut within the JSON, then good": Row([raw(HALF, stop="max_tokens"), GOOD], "PASS", "FAIL", 2),
    "cut after the first verdict": Row([{**answer(T), "stop": "max_tokens"}], "PASS", "UNGRADED", 2, "no verdict"),
    "cut after the first, then the rest": Row([{**answer(T), "stop": "max_tokens"}, answer(P)], "PASS", "FAIL", 2),
    # The service: tried again twice, as long as it asks for.
    "429": Row([trouble(429)], *OPEN, 3, "limits requests"),
    "429 twice": Row([trouble(429), trouble(429), GOOD], "PASS", "FAIL", 3),
    "500": Row([trouble(500)], *OPEN, 3, "500"),
    "500 twice": Row([trouble(500), trouble(500), GOOD], "PASS", "FAIL", 3),
    "529": Row([trouble(529)], *OPEN, 3, "529|limits requests"),
    "429 at the second asking": Row(
        [answer(T), trouble(429)], "PASS", "UNGRADED", 4, "gave no verdict; asked again, the judge could not answer"
    ),
    "400": Row([{"error": {"status": 400, "message": "prompt too long"}}], *OPEN, 1, "prompt too long"),
    "404": Row([{"error": {"status": 404, "message": "no such model"}}], *OPEN, 1, "no such model"),
    "413": Row([{"error": {"status": 413, "message": "too large"}}], *OPEN, 1, "too large"),
    "no JSON": Row([{**GOOD, "fault": "garbage"}], *OPEN, 1, "could not answer"),
}


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("name", FAULTS)
def test_every_answer_ends_in_the_right_verdicts(bench: Bench, spec: str, name: str) -> None:
    """What is no verdict is UNGRADED with its reason, never a FAIL, and costs no more requests than it has to."""
    row = FAULTS[name]
    grading = bench.grade(spec, *row.replies)
    assert _verdicts(grading) == [row.total, row.polite]
    assert bench.n_requests == row.n_requests
    open_ones = [result for result in grading.results if result.verdict == "UNGRADED"]
    assert all(re.search(row.reason, result.evidence) for result in open_ones), open_ones
    assert bool(row.reason) == bool(open_ones)


@pytest.mark.parametrize("spec", JUDGES)
def test_an_invented_id_is_noted(bench: Bench, spec: str) -> None:
    """As critique, where a person may find it."""
    grading = bench.grade(spec, answer(T, P, verdict("invented")))
    assert grading.eval_feedback["ignored_ids"] == ["invented"]


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("fault", ["reset", "cut"])
def test_a_broken_line_leaves_all_open(bench: Bench, spec: str, fault: str) -> None:
    """Whatever came is no answer, and no traceback."""
    grading = bench.grade(spec, {**GOOD, "fault": fault})
    assert _verdicts(grading) == ["UNGRADED", "UNGRADED"]
    assert all("could not answer" in result.evidence for result in grading.results)


@pytest.mark.parametrize("spec", JUDGES)
def test_a_silent_service_is_left_in_time(bench: Bench, spec: str) -> None:
    """The time that is allowed, and no longer."""
    grading = bench.grade(spec, {"fault": "hang"}, timeout_s=1)
    assert _verdicts(grading) == ["UNGRADED", "UNGRADED"]
    assert all("did not answer within 1 s" in result.evidence for result in grading.results)


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_asked_once(bench: Bench, spec: str, status: int) -> None:
    """`grade.run` takes the judge away from all."""
    with pytest.raises(AuthFailed, match="refused the key"):
        bench.grade(spec, {"error": {"status": status}})
    assert bench.n_requests == 1


@pytest.mark.parametrize("spec", JUDGES)
def test_a_model_that_takes_no_pictures_judges_without_them(material: Make, spec: str) -> None:
    """The refused request is made again with a view that says so, and the grading says it, too."""
    picture = io.BytesIO()
    Image.new("RGB", (2, 1), "red").save(picture, "PNG")
    bench = Bench(
        material({"chart.png": picture.getvalue()}, final_message="The total is 42.", assertions=PROSE),
    )
    error = {"error": {"status": 400, "message": "This model does not support image input."}}
    grading = bench.grade(spec, error, GOOD)
    assert _verdicts(grading) == ["PASS", "FAIL"]
    assert grading.judge is not None
    assert (grading.judge.images_refused, grading.judge.calls, bench.n_requests) == (True, 1, 2)
