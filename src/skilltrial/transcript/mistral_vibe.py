"""The stream of Mistral Vibe (`vibe --output streaming`), with its export (`export`) beside it.

The stream has messages and tool calls that have ended; how it ended, tokens and cost are only in the export, which is written
after SIGTERM too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skilltrial.records.events import UserMessage
from skilltrial.records.trial import ReasonCode
from skilltrial.transcript.agent_stream import AgentStream, Failure, Recorder, Tokens, rows
from skilltrial.transcript.foreign_json import (
    Fields,
    fields_of,
    int_of,
    number_of,
    objects_of,
    read_row,
    text_of,
    time_of_ms,
)

_LIMITS: Mapping[str, ReasonCode] = {
    "turn_limit": "turn_limit",
    "price_limit": "budget",
    "token_limit": "budget",
}
_ERRORS: Mapping[str | None, ReasonCode] = {"invalid_api_key": "auth_failed"}


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:
    """Read a stream; see `transcript.formats`."""
    recorder = Recorder(prompt=prompt)
    for row in rows(lines, recorder):
        recorder.at = time_of_ms(row.get("createdAt"))
        match row.get("type"):
            case "message":
                _message(row, recorder)
            case "effect":
                _effect(row, recorder)
            case _:
                recorder.note("unknown_event", row)
    export = read_row(beside.get("export", "")) or {}
    tokens = Tokens(input_has_cache=True)
    usage = fields_of(export.get("usage"))
    if usage.get("total_tokens"):
        read = int_of(usage.get("cached_input_tokens"))
        tokens.add(int_of(usage.get("input_tokens")), int_of(usage.get("output_tokens")), read=read)
    _end(export, recorder)
    return recorder.stream(tokens.usage(requests=int_of(export.get("steps")) if usage.get("total_tokens") else None))


def _message(row: Fields, recorder: Recorder) -> None:
    text = "\n".join(text_of(block.get("text")) or "" for block in objects_of(row.get("content")))
    if row.get("role") == "assistant":
        recorder.say(text)
    elif text != recorder.prompt:
        recorder.add(UserMessage(ordinal=0, text=text, synthetic=recorder.prompt is not None))


def _effect(row: Fields, recorder: Recorder) -> None:
    detail, state, call_id = fields_of(row.get("detail")), fields_of(row.get("state")), text_of(row.get("id"))
    recorder.call(call_id, text_of(detail.get("toolName")), detail.get("input"))
    error = text_of(fields_of(state.get("error")).get("message"))
    text = text_of(state.get("outputText")) or error or text_of(state.get("reason")) or ""
    failed = state.get("status") != "completed" or fields_of(state.get("display")).get("success") is False
    recorder.answer(call_id, text, is_error=failed)


def _end(export: Fields, recorder: Recorder) -> None:
    recorder.version = text_of(export.get("vibe_version"))
    recorder.cost_usd = number_of(export.get("cost_usd")) or None  # 0 is what it says of models without a price
    outcome, error = text_of(export.get("outcome")) or "", fields_of(export.get("error"))
    recorder.finished = outcome == "finished"
    if outcome in _LIMITS:
        recorder.fail(Failure(message=f"it stopped at its {outcome.replace('_', ' ')}.", code=_LIMITS[outcome]))
    elif error:
        message = text_of(error.get("message")) or outcome
        recorder.fail(Failure(message=message, code=_ERRORS.get(text_of(error.get("code")))))
