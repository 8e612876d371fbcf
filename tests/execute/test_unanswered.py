"""Time-outs without an answer of the model."""

from __future__ import annotations

import pytest

from skilltrial.execute.unanswered import unanswered
from skilltrial.ports import Capabilities
from skilltrial.records.events import AssistantMessage, Event, SessionStarted, Thinking, ToolCall, UserMessage
from skilltrial.records.trial import HarnessResult, Reason
from skilltrial.records.usage import Usage

SHOWS = Capabilities(skill_root=".x", shows_answers=True)
LATE = HarnessResult(
    outcome="timed_out",
    reason=Reason(code="timeout", message="stopped after 60 s."),
    events=(SessionStarted(ordinal=0), UserMessage(ordinal=1, text="do")),
)


def test_a_time_out_without_an_answer_is_no_result() -> None:
    """The agent had no chance."""
    found = unanswered(LATE, SHOWS)
    assert found.outcome == "harness_error"
    assert found.reason == Reason(code="no_answer", message="stopped after 60 s, and the model had not answered once.")


@pytest.mark.parametrize(
    "event",
    [
        AssistantMessage(ordinal=2, text="Well"),
        Thinking(ordinal=2, text="Hm"),
        ToolCall(ordinal=2, call_id="1", name="Bash", input={}),
    ],
)
def test_one_answer_of_any_kind_makes_it_the_agents(event: Event) -> None:
    """What was done until then is graded."""
    late = LATE.model_copy(update={"events": (*LATE.events, event)})
    assert unanswered(late, SHOWS) == late


def test_where_nobody_can_tell_it_stays_what_it_was() -> None:
    """A program that shows its answers at the end only, and one that tells tokens of an answer that it does not show."""
    assert unanswered(LATE, Capabilities(skill_root=".x")) == LATE
    told = LATE.model_copy(update={"usage": Usage(output_tokens=3)})
    assert unanswered(told, SHOWS) == told


def test_other_ends_are_left_alone() -> None:
    """An agent may come to its end without a word."""
    mute = HarnessResult(outcome="completed")
    assert unanswered(mute, SHOWS) == mute
