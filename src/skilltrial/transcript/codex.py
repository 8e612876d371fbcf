"""The stream of Codex (`codex exec --json`), with its session file beside it.

The stream has one count of tokens, at the end of the turn, and in a session that goes on it counts the earlier turns too; the
session file (`session`) has one for each answer of the model, which is what is taken where there is such a file. Sub-agents have
session files of their own, which come with it: their tokens count, their calls are not told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping

from skilltrial.records.usage import Usage
from skilltrial.transcript.agent_stream import AgentStream, Failure, Recorder, Tokens, rows
from skilltrial.transcript.foreign_json import Fields, fields_of, int_of, objects_of, read_row, text_of

_SKILLS = "<skills_instructions>"
_ENTRY = re.compile(r"(?ms)^- (\S+): .*?\(file: [^)\n]+SKILL\.md\)$")
_ITEM_EVENTS = {"item.started", "item.updated", "item.completed"}


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:
    """Read a stream; see `transcript.formats`."""
    recorder, tokens, started = Recorder(prompt=prompt), Tokens(input_has_cache=True), set[str]()
    for row in rows(lines, recorder):
        match row.get("type"):
            case "thread.started":
                listing = _listing(beside.get("session", ""))
                recorder.session(skills=_names(listing), listing=listing)
            case "turn.started":
                recorder.finished = False
            case str() as kind if kind in _ITEM_EVENTS:
                _item(fields_of(row.get("item")), recorder, started, done=kind == "item.completed")
            case "turn.completed":
                recorder.finished, recorder.failure, recorder.waiting = True, None, None
                _add(tokens, fields_of(row.get("usage")))
            case "turn.failed":
                recorder.fail(Failure(message=_message(fields_of(row.get("error")))))
            case "error":
                recorder.retrying(Failure(message=_message(row)))
            case _:
                recorder.note("unknown_event", row)
    return recorder.stream(_usage(tokens, beside.get("session", "")))


def _item(item: Fields, recorder: Recorder, started: set[str], *, done: bool) -> None:
    kind, item_id = text_of(item.get("type")) or "", text_of(item.get("id")) or ""
    if kind in _TOOLS:
        if item_id not in started:
            started.add(item_id)
            name, given = _TOOLS[kind](item)
            recorder.call(item_id, name, given)
        if done:
            recorder.answer(item_id, _result(item), is_error=_is_error(item))
        return
    if not done:
        return
    match kind:
        case "agent_message":
            recorder.say(text_of(item.get("text")) or "")
        case "reasoning":
            recorder.think(text_of(item.get("text")) or "")
        case "error":
            recorder.note("warning", _message(item))  # no failure: the model is unknown, a setting is old
        case _:
            recorder.note(kind or "unknown_item", item)


_TOOLS: Mapping[str, Callable[[Fields], tuple[str, object]]] = {
    "command_execution": lambda item: ("shell", {"command": item.get("command")}),
    "file_change": lambda item: ("apply_patch", {"changes": item.get("changes")}),
    "mcp_tool_call": lambda item: (text_of(item.get("tool")) or "mcp", item.get("arguments")),
    "web_search": lambda item: ("web_search", {"query": item.get("query")}),
    "collab_tool_call": lambda item: (text_of(item.get("tool")) or "collab", {"prompt": item.get("prompt")}),
}


def _result(item: Fields) -> str:
    output = text_of(item.get("aggregated_output"))
    if output is not None:
        return output
    error = text_of(fields_of(item.get("error")).get("message"))
    result = item.get("result")
    return error or ("" if result is None else json.dumps(result, ensure_ascii=False))


def _is_error(item: Fields) -> bool | None:
    status = item.get("status")
    if status is None:
        return None
    return status != "completed" or int_of(item.get("exit_code")) not in (0, None)


def _message(fields: Fields) -> str:
    return text_of(fields.get("message")) or "it does not say why."


def _add(tokens: Tokens, usage: Fields) -> None:
    tokens.add(
        int_of(usage.get("input_tokens")),
        int_of(usage.get("output_tokens")),
        read=int_of(usage.get("cached_input_tokens")),
        write=int_of(usage.get("cache_write_input_tokens")),
    )


def _listing(session: str) -> str | None:
    """What the model was told of skills; empty where it was told of none, None where the session file has no word of it."""
    told: str | None = None
    for line in session.splitlines():
        payload = fields_of((read_row(line) or {}).get("payload")) if '"developer"' in line else {}
        for part in objects_of(payload.get("content")) if payload.get("role") == "developer" else ():
            text = text_of(part.get("text")) or ""
            if text.startswith(_SKILLS):
                return text
            told = ""
    return told


def _names(listing: str | None) -> tuple[str, ...] | None:
    if not listing:
        return None if listing is None else ()
    return tuple(_ENTRY.findall(listing)) or None


def _usage(tokens: Tokens, session: str) -> Usage:
    single = Tokens(input_has_cache=True)
    n_requests = 0
    for line in session.splitlines():
        row = read_row(line) if '"token_usage_record"' in line else None
        if row and row.get("type") == "token_usage_record":
            n_requests += 1
            _add(single, fields_of(fields_of(row.get("payload")).get("usage")))
    return single.usage(requests=n_requests) if n_requests else tokens.usage()
