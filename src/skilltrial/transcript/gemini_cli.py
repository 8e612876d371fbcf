"""The stream of Gemini CLI (`gemini --output-format stream-json`), with its session file beside it.

The last event has the tokens of the run: input with cache, output without reasoning. The session file (`session`) has what
the stream leaves out: the exit codes of commands, and the tokens of each request, which is all that there is of a run that
was cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from skilltrial.records.events import UserMessage
from skilltrial.records.trial import ReasonCode
from skilltrial.records.usage import Usage
from skilltrial.transcript.agent_stream import AgentStream, Failure, Recorder, Tokens, rows
from skilltrial.transcript.foreign_json import Fields, fields_of, int_of, objects_of, read_row, text_of

_ERRORS: Mapping[str | None, ReasonCode] = {
    "FatalTurnLimitedError": "turn_limit",
    "FatalAuthenticationError": "auth_failed",
}

_EXIT_CODE = re.compile(r"(?m)^Exit Code: (-?\d+)$")


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:
    """Read a stream; see `transcript.formats`."""
    recorder, tokens = Recorder(prompt=prompt), Tokens(input_has_cache=True)
    session = _read_session(beside.get("session", ""))
    for row in rows(lines, recorder):
        kind, at = row.get("type"), text_of(row.get("timestamp"))
        if kind == "message" and row.get("role") == "assistant" and row.get("delta") is True:
            recorder.at = at
            recorder.say_piece(text_of(row.get("content")) or "")
            continue
        recorder.end_piece()
        recorder.at = at
        match kind:
            case "init":
                recorder.model = text_of(row.get("model"))
                recorder.session()
            case "message":
                _message(row, recorder)
            case "tool_use":
                recorder.call(text_of(row.get("tool_id")), text_of(row.get("tool_name")), row.get("parameters"))
            case "tool_result":
                _result(row, recorder, session.failed)
            case "result":
                _end(row, recorder, tokens)
            case "error":
                recorder.note("warning", text_of(row.get("message")) or "")
            case _:
                recorder.note("unknown_event", row)
    told = tokens.usage(requests=len(session.requests) or None)
    return recorder.stream(session.usage() if told.input_tokens is None and session.requests else told)


def _message(row: Fields, recorder: Recorder) -> None:
    text = text_of(row.get("content")) or ""
    if row.get("role") == "assistant":
        recorder.say(text)
    elif recorder.prompt is None:
        recorder.add(UserMessage(ordinal=0, text=text))


def _result(row: Fields, recorder: Recorder, failed: set[str]) -> None:
    error = text_of(fields_of(row.get("error")).get("message"))
    text = error or text_of(row.get("output")) or ""
    call_id = text_of(row.get("tool_id")) or ""
    recorder.answer(call_id, text, is_error=row.get("status") != "success" or call_id in failed)


def _end(row: Fields, recorder: Recorder, tokens: Tokens) -> None:
    stats = fields_of(row.get("stats"))
    given, total = int_of(stats.get("input_tokens")), int_of(stats.get("total_tokens"))
    if total:
        output = None if given is None else total - given
        tokens.add(given, output, read=int_of(stats.get("cached")))
    used = [name for name, count in fields_of(stats.get("models")).items() if fields_of(count).get("total_tokens")]
    recorder.model = used[0] if len(used) == 1 else recorder.model
    if row.get("status") == "success":
        recorder.finished, recorder.failure = True, None
        return
    error = fields_of(row.get("error"))
    message = text_of(error.get("message")) or "it does not say why."
    recorder.fail(Failure(message=message, code=_ERRORS.get(text_of(error.get("type")))))


def _read_session(text: str) -> _Session:
    session = _Session()
    for line in text.splitlines():
        row = read_row(line) or {}
        if row.get("type") != "gemini":
            continue
        counts = fields_of(row.get("tokens"))
        if counts:
            session.requests[str(row.get("id"))] = counts  # a row comes again when its calls have ended
        for call in objects_of(row.get("toolCalls")):
            codes = _EXIT_CODE.findall(_response(call))
            if codes and codes[-1] != "0":
                session.failed.add(text_of(call.get("id")) or "")
    return session


def _response(call: Fields) -> str:
    results = objects_of(call.get("result"))
    response = fields_of(fields_of(results[0].get("functionResponse")).get("response")) if results else {}
    return text_of(response.get("output")) or ""


@dataclass(kw_only=True)
class _Session:
    requests: dict[str, Fields] = field(default_factory=dict[str, Fields])
    failed: set[str] = field(default_factory=set[str])
    """Ids of the commands whose exit code is not 0."""

    def usage(self) -> Usage:
        tokens = Tokens(input_has_cache=True)
        for counts in self.requests.values():
            given, total = int_of(counts.get("input")), int_of(counts.get("total"))
            output = None if given is None or total is None else total - given
            tokens.add(given, output, read=int_of(counts.get("cached")))
        return tokens.usage(requests=len(self.requests))
