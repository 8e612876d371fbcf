"""eval-magic's conversation.json: every message and tool call of a trial with more than one turn, by round."""

from __future__ import annotations

import json
from collections.abc import Sequence

from skilltrial.adapters.interchange.writers.figures import without_unknown
from skilltrial.adapters.interchange.writers.rounds import Run
from skilltrial.adapters.interchange.writers.transcripts import read_events
from skilltrial.records.conversation import Conversation
from skilltrial.records.events import AssistantMessage, Event, ToolCall, ToolResult, UserMessage
from skilltrial.records.json_value import Json

_STOPPED = {"agent_did_not_ask", "agent_response_mismatch", "responder_cannot_answer", "max_turns_reached"}
_ENDINGS = {"responder_done": "done", "responder_cannot_answer": "cannot_answer"}


def conversation_file(run: Run) -> Json:
    """The whole file; None where the trial has one prompt, or ended in a way that the target has no word for."""
    conversation = run.trial.conversation
    late = run.trial.outcome == "timed_out"
    if conversation is None or (conversation.stop == "agent_ended" and not late):
        return None
    n_rounds = len(conversation.rounds)
    stopped = conversation.stop in _STOPPED
    ending = _ENDINGS.get(conversation.stop or "")
    return without_unknown(
        {
            "status": "timed_out" if late else "stopped" if stopped else "completed",
            "delivered_followups": n_rounds - 1,
            "stop_reason": conversation.stop if stopped else None,
            "stopped_before_followup": n_rounds if stopped else None,
            "timed_out_in_round": n_rounds if late else None,
            "events": _rows(read_events(run), conversation),
            "responder_outcome": {"ending": ending, "rationale": conversation.why} if ending else None,
        }
    )


def _rows(events: Sequence[Event], conversation: Conversation) -> list[Json]:
    results = {event.call_id: event.text for event in events if isinstance(event, ToolResult)}
    rows: list[Json] = []
    number = 0
    for event in events:
        match event:
            case UserMessage(text=text, synthetic=False) if _is_next(text, conversation, number):
                origin = _origin(conversation, number)
                number += 1
                row = {"type": "user_message", "text": text, **({"origin": origin} if origin else {})}
            case AssistantMessage(text=text, agent=None):
                row = {"type": "assistant_message", "text": text}
            case ToolCall(name=name, input=given):
                args = json.dumps(given) if isinstance(given, bool | int | float) else given
                row = {"type": "tool_invocation", "name": name, "args": args, "result": results.get(event.call_id)}
            case _:
                continue
        rows.append({**row, "ordinal": len(rows), "round": number})
    return rows


def _is_next(text: str, conversation: Conversation, number: int) -> bool:
    """Whether a text in the user's place is the message of the round after so many."""
    return number < len(conversation.rounds) and conversation.rounds[number].prompt == text


def _origin(conversation: Conversation, number: int) -> Json:
    if conversation.responder is None or number == 0:
        return None
    rationale = conversation.rounds[number].rationale
    return {"responder": "llm", **({"rationale": rationale} if rationale else {})}
