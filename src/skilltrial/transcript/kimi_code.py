"""The stream of Kimi Code (`kimi -p … --output-format stream-json`): chat messages, with its wire file (`wire`) beside it.

Tokens are only in the wire file, a last error only on stderr, and an error of a tool only in the words of its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from skilltrial.transcript.agent_stream import AgentStream, Failure, Recorder, Tokens, rows
from skilltrial.transcript.foreign_json import Fields, fields_of, int_of, json_of, objects_of, read_row, text_of

_TOOL_ERROR = re.compile(
    r'^Tool "[^"]+" not found|^(?:read|write|edit) failed: |Command failed with exit code: \d+\.\s*$|does not exist\.\s*$'
)


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:
    """Read a stream; see `transcript.formats`."""
    recorder = Recorder(prompt=prompt)
    for row in rows(lines, recorder):
        match row.get("role"):
            case "assistant":
                _answer(row, recorder)
            case "tool":
                text = text_of(row.get("content")) or ""
                is_error = _TOOL_ERROR.search(text) is not None
                recorder.answer(text_of(row.get("tool_call_id")), text, is_error=is_error)
            case "meta":
                _meta(row, recorder)
            case _:
                recorder.note("unknown_event", row)
    tokens, n_requests = _tokens(beside.get("wire", ""))
    return recorder.stream(tokens.usage(requests=n_requests or None))


def _answer(row: Fields, recorder: Recorder) -> None:
    recorder.finished = False
    text = text_of(row.get("content"))
    if text is not None:
        recorder.say(text)
    for call in objects_of(row.get("tool_calls")):
        function = fields_of(call.get("function"))
        given = json_of(function.get("arguments"))
        recorder.call(text_of(call.get("id")), text_of(function.get("name")), given)


def _meta(row: Fields, recorder: Recorder) -> None:
    match row.get("type"):
        case "system.version":
            recorder.version = text_of(row.get("version"))
            recorder.session()
        case "turn.step.retrying":
            status = int_of(row.get("status_code"))
            recorder.retrying(Failure(message=text_of(row.get("error_message")) or "", status=status))
        case "session.resume_hint":
            recorder.finished = True
        case _:
            recorder.note("unknown_event", row)


def _tokens(wire: str) -> tuple[Tokens, int]:
    tokens, n_requests = Tokens(input_has_cache=False), 0
    for line in wire.splitlines():
        row = read_row(line) if '"usage.record"' in line else None
        if row and row.get("type") == "usage.record":
            usage = fields_of(row.get("usage"))
            n_requests += 1
            tokens.add(
                int_of(usage.get("inputOther")),
                int_of(usage.get("output")),
                read=int_of(usage.get("inputCacheRead")),
                write=int_of(usage.get("inputCacheCreation")),
            )
    return tokens, n_requests
