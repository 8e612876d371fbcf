"""The stream of GitHub Copilot CLI (`copilot --output-format json`), with its usage file (`usage`) beside it.

It is the one program that reports which skills it found. Tokens are only in the usage file, which is not written when it is
killed, and counts a whole session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skilltrial.records.trial import ReasonCode, Usage
from skilltrial.transcript.agent_stream import AgentStream, Failure, Recorder, Tokens, rows
from skilltrial.transcript.foreign_json import Fields, fields_of, int_of, objects_of, read_row, text_of

_ERRORS: Mapping[str | None, ReasonCode] = {"authentication": "auth_failed", "rate_limit": "rate_limited"}
_QUIET = (
    "session.mcp_servers_loaded",
    "session.tools_updated",
    "session.background_tasks_changed",
    "user.message",
    "assistant.turn_",
    "assistant.idle",
    "model.call_start",
    "model.call_finished",
    "model.call_final_result",
)
"""Beginnings of the types of events that say nothing that others do not say too."""


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:
    """Read a stream; see `transcript.formats`."""
    recorder, interrupted = Recorder(prompt=prompt), False
    for row in rows(lines, recorder):
        recorder.at = text_of(row.get("timestamp"))
        _take(row, fields_of(row.get("data")), recorder)
        interrupted = interrupted or row.get("type") == "abort"
    # Stopped while it waits for an answer, it ends with a result of exit code 0 all the same.
    recorder.finished = recorder.finished and not interrupted
    usage, before = _usage(beside.get("usage", "")), beside.get("usage:before")
    return recorder.stream(usage if before is None else _since(usage, _usage(before)))


def _take(row: Fields, data: Fields, recorder: Recorder) -> None:
    match row.get("type"):
        case "session.skills_loaded":
            skills = objects_of(data.get("skills"))
            recorder.session(skills=tuple(str(skill.get("name")) for skill in skills if skill.get("enabled") is True))
        case "assistant.message":
            recorder.model = text_of(data.get("model")) or recorder.model
            recorder.finished = False
            recorder.say(text_of(data.get("content")) or "") if data.get("content") else None
        case "tool.execution_start":
            recorder.call(text_of(data.get("toolCallId")), text_of(data.get("toolName")), data.get("arguments"))
        case "tool.execution_complete":
            _result(data, recorder)
        case "model.call_failure":
            message = text_of(data.get("errorMessage")) or ""
            recorder.retrying(Failure(message=message, status=int_of(data.get("statusCode"))))
        case "session.error":
            message = text_of(data.get("message")) or "it does not say why."
            code = _ERRORS.get(text_of(data.get("errorType")))
            recorder.fail(Failure(message=message, status=int_of(data.get("statusCode")), code=code))
        case "result":
            recorder.finished = row.get("exitCode") == 0
        case str() as kind if kind.startswith(_QUIET):
            pass
        case _:
            recorder.note("unknown_event", row)


def _result(data: Fields, recorder: Recorder) -> None:
    error = text_of(fields_of(data.get("error")).get("message"))
    text = error or text_of(fields_of(data.get("result")).get("content")) or ""
    exit_code = int_of(fields_of(data.get("shellExecution")).get("exitCode"))
    failed = data.get("success") is not True or exit_code not in (0, None)
    recorder.answer(text_of(data.get("toolCallId")), text, is_error=failed)


def _since(usage: Usage, before: Usage) -> Usage:
    """What was used after the usage before: the file counts the whole session."""
    earlier, later = before.model_dump(), usage.model_dump()
    return Usage.model_validate(
        {name: None if None in (now, earlier[name]) else max(0, now - earlier[name]) for name, now in later.items()}
    )


def _usage(usage_file: str) -> Usage:
    tokens, counts = Tokens(input_has_cache=True), list[int | None]()
    for metrics in fields_of((read_row(usage_file) or {}).get("modelMetrics")).values():
        usage = fields_of(fields_of(metrics).get("usage"))
        counts.append(int_of(fields_of(fields_of(metrics).get("requests")).get("count")))
        tokens.add(
            int_of(usage.get("inputTokens")),
            int_of(usage.get("outputTokens")),
            read=int_of(usage.get("cacheReadTokens")),
            write=int_of(usage.get("cacheWriteTokens")),
        )
    known = [count for count in counts if count is not None]
    return tokens.usage(requests=sum(known) or None)
