"""Time-outs that say nothing about the agent, since the model never answered it."""

from __future__ import annotations

from skilltrial.ports import Capabilities
from skilltrial.records.events import AssistantMessage, Thinking, ToolCall, ToolResult
from skilltrial.records.trial import HarnessResult, Reason

_ANSWERS = (AssistantMessage, Thinking, ToolCall, ToolResult)


def unanswered(result: HarnessResult, capabilities: Capabilities) -> HarnessResult:
    """A time-out before the model's first answer, as the error of a tool that it is; anything else as it came.

    Some agent programs try a service that fails again and again, and say nothing of it. Only a stream that would show an
    answer can tell that there was none.
    """
    if result.outcome != "timed_out" or not capabilities.shows_answers or result.usage.output_tokens:
        return result
    if any(isinstance(event, _ANSWERS) for event in result.events):
        return result
    when = result.reason.message.rstrip(".") if result.reason else "the time limit was reached"
    reason = Reason(code="no_answer", message=f"{when}, and the model had not answered once.")
    return result.model_copy(update={"outcome": "harness_error", "reason": reason})
