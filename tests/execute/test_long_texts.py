"""Long texts in a transcript: cut in the middle, and never silently."""

from __future__ import annotations

from skilltrial.execute.long_texts import bounded
from skilltrial.records.events import AssistantMessage, ToolCall, ToolResult
from skilltrial.records.trial import HarnessResult

LONG = "a" * 900_000 + "b" * 900_000


def test_a_text_of_usual_length_stays() -> None:
    """A million characters are whole; the very same record comes back."""
    message = AssistantMessage(ordinal=0, text="x" * 1_000_000)
    result = HarnessResult(outcome="completed", events=(message,), final_message=message.text)
    assert bounded(result) is result


def test_the_middle_of_long_texts_is_left_out_and_counted() -> None:
    """800,000 from the beginning and 200,000 from the end are kept: 800,000 of 1,800,000 are missing."""
    events = (
        ToolCall(ordinal=0, call_id="1", name="Write", input={"path": "a", "parts": [LONG, LONG]}),
        ToolResult(ordinal=1, call_id="1", text=LONG),
        AssistantMessage(ordinal=2, text="short"),
    )
    result = bounded(HarnessResult(outcome="completed", events=events, final_message=LONG))
    call, answer, short = result.events
    kept = "a" * 800_000 + "\n[… at least 800,000 characters were cut out here …]\n" + "b" * 200_000
    assert isinstance(call, ToolCall)
    assert call.input == {"path": "a", "parts": [kept, kept]}
    assert isinstance(answer, ToolResult)
    assert answer.text == result.final_message == kept
    assert (call.cut, answer.cut, short.cut, result.final_message_cut) == (1_600_000, 800_000, None, 800_000)
