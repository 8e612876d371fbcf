"""Structured answers through both vendors' wires, against the scripted model server."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import pytest
from pydantic import BaseModel

from skilltrial.adapters.llm.models import open_judge
from skilltrial.errors import AuthFailed, HarnessError, RateLimited, TimedOut, Unparsable
from skilltrial.ports import Answer
from skilltrial.testing.mock_llm import MockLLM

KEYS = {"OPENAI_API_KEY": "sk-open-12345678", "ANTHROPIC_API_KEY": "sk-ant-12345678"}


class Weather(BaseModel):
    """An answer with two fields."""

    sky: str
    degrees: int


GOOD = {"tool": "final_result", "input": {"sky": "grey", "degrees": 7}}
BAD = {"tool": "final_result", "input": {"sky": "grey", "degrees": "a few"}}

SCENARIOS = [
    {"name": "good", "rules": [{"reply": {"calls": [GOOD], "usage": {"input": 200, "output": 20}}}]},
    {
        "name": "second_try",
        "rules": [
            {"times": 1, "reply": {"calls": [BAD], "usage": {"input": 200, "output": 20}}},
            {"reply": {"calls": [GOOD], "usage": {"input": 260, "output": 22}}},
        ],
    },
    {"name": "never_fits", "rules": [{"reply": {"calls": [BAD]}}]},
    {"name": "refused", "rules": [{"reply": {"error": {"status": 401, "message": "invalid key"}}}]},
    {
        "name": "busy",
        "rules": [{"reply": {"error": {"status": 429, "message": "slow down", "headers": {"retry-after-ms": "10"}}}}],
    },
    {
        "name": "busy_once",
        "rules": [
            {"times": 1, "reply": {"error": {"status": 429, "message": "x", "headers": {"retry-after-ms": "10"}}}},
            {"reply": {"calls": [GOOD]}},
        ],
    },
    {
        "name": "broken",
        "rules": [{"reply": {"error": {"status": 500, "message": "oops", "headers": {"retry-after-ms": "10"}}}}],
    },
    {
        "name": "echoes",
        "rules": [{"reply": {"error": {"status": 401, "message": "bad keys: sk-open-12345678 sk-ant-12345678"}}}],
    },
    {"name": "silent", "rules": [{"reply": {"fault": "hang"}}]},
    {"name": "garbage", "rules": [{"reply": {"fault": "garbage"}}]},
]


@pytest.fixture(scope="module")
def mock() -> Iterator[MockLLM]:
    """The scripted model server."""
    with MockLLM(*SCENARIOS) as server:
        yield server


@pytest.fixture(params=["anthropic", "openai"])
def vendor(request: pytest.FixtureRequest) -> str:
    """Both wires."""
    return request.param


def ask(mock: MockLLM, vendor: str, scenario: str, *, timeout_s: float = 60.0) -> Answer[Weather]:
    """One question to a judge."""

    async def once() -> Answer[Weather]:
        url = mock.url(scenario, vendor, openai=vendor == "openai")
        async with open_judge(f"{vendor}:mock-model", base_url=url, env=KEYS, timeout_s=timeout_s) as judge:
            return await judge.ask(system="Say what is asked.", prompt="How is the weather?", output=Weather)

    return anyio.run(once)


def requests(mock: MockLLM, vendor: str, scenario: str) -> int:
    """How many requests of the scenario came."""
    return sum(record["scenario"] == scenario for record in mock.log.select(vendor))


def test_an_answer_of_the_type_comes_with_its_usage(mock: MockLLM, vendor: str) -> None:
    """Value, tokens and the model's name; no price is known of a model that nobody sells."""
    answer = ask(mock, vendor, "good")
    assert answer.value == Weather(sky="grey", degrees=7)
    assert (answer.input_tokens, answer.output_tokens) == (200, 20)
    assert (answer.model, answer.cost_usd) == ("mock-model", None)


def test_an_answer_that_does_not_fit_is_asked_for_again(mock: MockLLM, vendor: str) -> None:
    """The tokens of both tries are counted."""
    answer = ask(mock, vendor, "second_try")
    assert answer.value.degrees == 7
    assert (answer.input_tokens, answer.output_tokens) == (460, 42)


def test_it_is_asked_for_again_only_once(mock: MockLLM, vendor: str) -> None:
    """After that the answer is unparsable."""
    with pytest.raises(Unparsable, match="of the asked form"):
        ask(mock, vendor, "never_fits")
    assert requests(mock, vendor, "never_fits") == 2


def test_a_refused_key_is_not_tried_again(mock: MockLLM, vendor: str) -> None:
    """401 raises AuthFailed at the first request."""
    with pytest.raises(AuthFailed, match="refused the key"):
        ask(mock, vendor, "refused")
    assert requests(mock, vendor, "refused") == 1


def test_a_lasting_rate_limit_raises_after_three_requests(mock: MockLLM, vendor: str) -> None:
    """Two retries, then RateLimited."""
    with pytest.raises(RateLimited):
        ask(mock, vendor, "busy")
    assert requests(mock, vendor, "busy") == 3


def test_a_passing_rate_limit_is_waited_for(mock: MockLLM, vendor: str) -> None:
    """One 429 costs nothing but time."""
    assert ask(mock, vendor, "busy_once").value.sky == "grey"


def test_a_broken_service_is_a_tool_error(mock: MockLLM, vendor: str) -> None:
    """500 for ever raises a HarnessError that names the model."""
    with pytest.raises(HarnessError, match="mock-model"):
        ask(mock, vendor, "broken")


def test_a_service_that_sends_garbage_is_a_tool_error(mock: MockLLM, vendor: str) -> None:
    """A page in the place of an answer is no answer."""
    with pytest.raises(HarnessError, match="mock-model"):
        ask(mock, vendor, "garbage")


def test_a_silent_service_times_out(mock: MockLLM, vendor: str) -> None:
    """The time limit of the judge holds."""
    with pytest.raises(TimedOut, match="within 1 s"):
        ask(mock, vendor, "silent", timeout_s=1.0)


def test_a_service_that_repeats_the_key_does_not_bring_it_into_the_reason(mock: MockLLM, vendor: str) -> None:
    """Reasons are written beside the trials."""
    with pytest.raises(AuthFailed, match="bad keys") as caught:
        ask(mock, vendor, "echoes")
    assert KEYS[f"{vendor.upper()}_API_KEY"] not in str(caught.value)
