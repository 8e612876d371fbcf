"""What is counted of tool calls, and what is not known."""

from __future__ import annotations

import pytest

from skilltrial.records.events import AssistantMessage, Event, ToolCall, ToolResult
from skilltrial.records.tool_calls import calls_by_name, failed_calls

SAID = AssistantMessage(ordinal=0, text="Done.")


def test_without_a_transcript_nothing_is_known_and_with_one_none_is_none() -> None:
    """An agent program that prints only its answer may have called anything."""
    assert (calls_by_name([]), failed_calls([])) == (None, None)
    assert (calls_by_name([SAID]), failed_calls([SAID])) == ({}, 0)


@pytest.mark.parametrize(
    ("told", "n_failed"), [((True, False), 1), ((False, False), 0), ((None, None), None), ((None, True), 1)]
)
def test_failures_are_unknown_where_of_no_call_it_is_said(told: tuple[bool | None, ...], n_failed: int | None) -> None:
    """The calls are counted all the same."""
    events: list[Event] = [ToolCall(ordinal=0, call_id="0", name="Bash"), ToolCall(ordinal=1, call_id="1", name="Bash")]
    events += [
        ToolResult(ordinal=2 + at, call_id=str(at), text="", is_error=is_error) for at, is_error in enumerate(told)
    ]
    assert (calls_by_name(events), failed_calls(events)) == ({"Bash": 2}, n_failed)
