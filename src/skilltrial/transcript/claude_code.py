"""The stream of Claude Code (`--output-format stream-json --verbose`), as events and facts.

Reading never fails: lines that are no JSON and events of unknown types become `Notice` events. Token counts come from
`modelUsage` of the last result, which covers all requests of all agents; those of single messages are placeholders.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from skilltrial.records.events import (
    AssistantMessage,
    Event,
    Notice,
    SessionStarted,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)
from skilltrial.records.usage import Usage
from skilltrial.transcript.foreign_json import (
    Fields,
    fields_of,
    int_of,
    number_of,
    objects_of,
    printable,
    read_row,
    text_of,
    texts_of,
)

_SYNTHETIC = "<synthetic>"
"""The model name of texts that the agent program made itself, such as errors."""
_NOTICE_CHARS = 2000
_NOT_WORTH_A_NOTICE = {"type", "subtype", "uuid", "session_id", "run_id"}
_CALLS = {"tool_use", "server_tool_use", "mcp_tool_use"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamResult:
    """A `result` event: the end of a turn, and of the run where it is the last."""

    subtype: str
    is_error: bool
    terminal_reason: str | None
    api_error_status: int | None
    stop_reason: str | None
    text: str | None
    errors: tuple[str, ...]

    @property
    def success(self) -> bool:
        """The agent came to an end of its own; API errors are called `success` too, with `is_error`."""
        return self.subtype == "success" and not self.is_error


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRetry:
    """A request that the agent program repeats by itself."""

    status: int | None
    error: str
    delay_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedStream:
    """All that a stream says."""

    events: tuple[Event, ...]
    result: StreamResult | None
    """The last one."""
    n_results: int
    final_message: str | None
    """The main agent's last text; None where it said nothing."""
    usage: Usage
    cost_usd: float | None
    """None where there is no result, or no list price for a model."""
    model: str | None
    """That served the main agent."""
    version: str | None
    skills: tuple[str, ...] | None
    """Of the first `init`; None where it has no list."""
    key_source: str | None
    error_kind: str | None
    """What the program calls the last error that it reported in the agent's place: `authentication_failed`, …"""
    retries: tuple[ApiRetry, ...]


def parse(lines: Iterable[str], *, prompt: str | None = None, resumed: bool = False) -> ParsedStream:
    """Read a stream line by line. `prompt`, which the stream does not have, becomes the first event where given.

    In the stream of a session that was `resumed` all totals begin with what the session took before, which is left out.
    """
    reader = _Reader()
    if prompt is not None:
        reader.add(UserMessage, text=prompt)
    for line in lines:
        if line.strip():
            reader.take(line)
    return reader.parsed(resumed=resumed)


def listing_in(lines: Iterable[str]) -> str | None:
    """The listing of skills that the model got, as the program's session file has it; None where there is none."""
    for line in lines:
        row = read_row(line) if '"skill_listing"' in line else None
        attachment = fields_of((row or {}).get("attachment"))
        if attachment.get("type") == "skill_listing":
            return text_of(attachment.get("content"))
    return None


class _Reader:
    """Collects what the lines say."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._place: Fields = {}
        self._results: list[Fields] = []
        self._inits: list[Fields] = []
        self._retries: list[ApiRetry] = []
        self._messages: dict[str, None] = {}
        self._model: str | None = None
        self._last_text: str | None = None
        self._error_kind: str | None = None
        self._refused: set[str | None] = set()

    def add(self, kind: Callable[..., Event], **fields: Any) -> None:
        self._events.append(kind(ordinal=len(self._events), **self._place, **fields))

    def take(self, line: str) -> None:
        self._place = {}
        fields = read_row(line)
        if fields is None:
            self.add(Notice, code="unparsable_line", text=printable(line.strip()[:_NOTICE_CHARS]))
            return
        self._place = {"agent": text_of(fields.get("parent_tool_use_id")), "at": text_of(fields.get("timestamp"))}
        match fields.get("type"):
            case "system":
                self._system(fields)
            case "assistant":
                self._assistant(fields)
            case "user":
                self._user(fields)
            case "result":
                self._results.append(fields)
                self._refusals(fields)
                self.add(Notice, code="result", text=f"{fields.get('subtype')}, {fields.get('terminal_reason')}")
            case "stream_event":
                pass  # pieces of messages that come whole too
            case kind:
                self.add(Notice, code="unknown_event", text=_rest(fields, also=str(kind)))

    def _refusals(self, fields: Fields) -> None:
        """Some programs of this family name them in the result alone."""
        for refused in objects_of(fields.get("permission_denials")):
            if text_of(refused.get("tool_use_id")) not in self._refused:
                self.add(Notice, code="permission_denied", text=_rest(refused))

    def _system(self, fields: Fields) -> None:
        match fields.get("subtype"):
            case "init":
                self._inits.append(fields)
                self.add(
                    SessionStarted,
                    model=text_of(fields.get("model")),
                    version=text_of(fields.get("claude_code_version")),
                    tools=texts_of(fields.get("tools")) or (),
                    skills=texts_of(fields.get("skills")),
                )
            case "api_retry":
                delay = number_of(fields.get("retry_delay_ms"))
                error = str(fields.get("error"))
                status = int_of(fields.get("error_status"))
                delay_s = None if delay is None else delay / 1000
                self._retries.append(ApiRetry(status=status, error=error, delay_s=delay_s))
                self.add(Notice, code="api_retry", text=_rest(fields))
            case subtype:
                if subtype == "permission_denied":
                    self._refused.add(text_of(fields.get("tool_use_id")))
                self.add(Notice, code=text_of(subtype) or "system", text=_rest(fields))

    def _assistant(self, fields: Fields) -> None:
        message = fields_of(fields.get("message"))
        by_program = message.get("model") == _SYNTHETIC
        if by_program:
            self._error_kind = text_of(fields.get("error"))
        else:
            self._messages[str(message.get("id"))] = None
            if self._place["agent"] is None:
                self._model = text_of(message.get("model")) or self._model
        for block in _blocks(message.get("content")):
            text = text_of(block.get("text")) or ""
            match block.get("type"):
                case "text" if by_program:
                    self.add(Notice, code="synthetic_message", text=text)
                case "text":
                    self.add(AssistantMessage, text=text)
                    if self._place["agent"] is None and text.strip():
                        self._last_text = text
                case "thinking":
                    self.add(Thinking, text=text_of(block.get("thinking")) or "")
                case str() as kind if kind in _CALLS:
                    name, call_id = text_of(block.get("name")) or "", text_of(block.get("id")) or ""
                    self.add(ToolCall, call_id=call_id, name=name, input=block.get("input"))
                case kind:
                    self.add(Notice, code="unknown_block", text=_rest(block, also=str(kind)))

    def _user(self, fields: Fields) -> None:
        outcome = fields_of(fields.get("tool_use_result")).get("success")
        for block in _blocks(fields_of(fields.get("message")).get("content")):
            match block.get("type"):
                case "text":
                    synthetic = fields.get("isSynthetic") is True
                    self.add(UserMessage, text=text_of(block.get("text")) or "", synthetic=synthetic)
                case "tool_result":
                    said = block.get("is_error")
                    is_error = said if isinstance(said, bool) else (not outcome if isinstance(outcome, bool) else None)
                    call_id = text_of(block.get("tool_use_id")) or ""
                    self.add(ToolResult, call_id=call_id, text=_flat(block.get("content")), is_error=is_error)
                case kind:
                    self.add(Notice, code="unknown_block", text=_rest(block, also=str(kind)))

    def parsed(self, *, resumed: bool) -> ParsedStream:
        last = self._results[-1] if self._results else None
        taken = _without_earlier(self._results) if resumed else last or {}
        first = self._inits[0] if self._inits else {}
        result = _result(last) if last else None
        final = self._last_text
        if result and result.success and result.text:
            final = result.text
        return ParsedStream(
            events=tuple(self._events),
            result=result,
            n_results=len(self._results),
            final_message=final,
            usage=_usage(taken, n_requests=len(self._messages)),
            cost_usd=_cost(taken),
            model=self._model,
            version=text_of(first.get("claude_code_version")),
            skills=texts_of(first.get("skills")),
            key_source=text_of(first.get("apiKeySource")),
            error_kind=self._error_kind,
            retries=tuple(self._retries),
        )


def _result(fields: Fields) -> StreamResult:
    return StreamResult(
        subtype=str(fields.get("subtype")),
        is_error=fields.get("is_error") is not False,
        terminal_reason=text_of(fields.get("terminal_reason")),
        api_error_status=int_of(fields.get("api_error_status")),
        stop_reason=text_of(fields.get("stop_reason")),
        text=text_of(fields.get("result")),
        errors=texts_of(fields.get("errors")) or (),
    )


def _without_earlier(results: Sequence[Fields]) -> Fields:
    """The counts of one process, from what each of its results adds; nothing where one does not tell."""
    added = [fields_of(result.get("model_usage_since_last_result")) for result in results]
    models = {f"{name} {n}": model for n, each in enumerate(added) for name, model in each.items()}
    costs = [number_of(fields_of(model).get("costUSD")) for model in models.values()]
    known = [cost for cost in costs if cost is not None]
    if not all(added):
        return {}
    return {"modelUsage": models, "total_cost_usd": sum(known) if len(known) == len(costs) else None}


def _models(fields: Fields) -> list[Fields]:
    return [fields_of(model) for model in fields_of(fields.get("modelUsage")).values()]


def _usage(fields: Fields, *, n_requests: int) -> Usage:
    def total(key: str) -> int | None:
        counts = [int_of(model.get(key)) for model in _models(fields)]
        known = [count for count in counts if count is not None]
        return sum(known) if known and len(known) == len(counts) else None

    return Usage(
        input_tokens=total("inputTokens"),
        output_tokens=total("outputTokens"),
        cache_read_tokens=total("cacheReadInputTokens"),
        cache_write_tokens=total("cacheCreationInputTokens"),
        requests=n_requests or None,
    )


def _cost(fields: Fields) -> float | None:
    models = _models(fields)
    if not models or any(model.get("costBasis") == "unknown" for model in models):
        return None
    return number_of(fields.get("total_cost_usd"))


def _blocks(content: Any) -> list[Fields]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects_of(content)


def _flat(content: Any) -> str:
    parts = [text_of(block.get("text")) or f"[{block.get('type')}]" for block in _blocks(content)]
    return "\n".join(parts)


def _rest(fields: Fields, *, also: str = "") -> str:
    kept = {key: value for key, value in fields.items() if key not in _NOT_WORTH_A_NOTICE}
    text = json.dumps(kept, ensure_ascii=False)
    return f"{also} {text}".strip()[:_NOTICE_CHARS]
