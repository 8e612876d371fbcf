"""Texts of any length that an agent leaves in its transcript, cut to what memories and files take."""

from __future__ import annotations

from typing import NamedTuple, cast

from skilltrial.records.events import (
    MAX_TEXT_CHARS,
    AssistantMessage,
    Event,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)
from skilltrial.records.json_value import Json
from skilltrial.records.trial import HarnessResult

_TAIL = MAX_TEXT_CHARS // 5
_HEAD = MAX_TEXT_CHARS - _TAIL

_Told = UserMessage | AssistantMessage | Thinking | ToolResult


class _Cut(NamedTuple):
    text: str
    n_left_out: int


def bounded(result: HarnessResult) -> HarnessResult:
    """The same with every text of more than `MAX_TEXT_CHARS` cut in its middle; `cut` says how much was left out.

    At least: a harness may have kept no more than a part of what was longer still.
    """
    events = tuple(_bounded_event(event) for event in result.events)
    final = result.final_message
    short = _shortened(final) if final is not None and len(final) > MAX_TEXT_CHARS else None
    if short is None and all(one is other for one, other in zip(events, result.events, strict=True)):
        return result
    updates = {"final_message": short.text, "final_message_cut": short.n_left_out} if short else {}
    return result.model_copy(update={"events": events, **updates})


def _bounded_event(event: Event) -> Event:
    match event:
        case UserMessage() | AssistantMessage() | Thinking() | ToolResult():
            return _bounded_text(event)
        case ToolCall():
            pieces: list[int] = []
            given = _bounded_value(event.input, pieces)
            return event.model_copy(update={"input": given, "cut": sum(pieces)}) if pieces else event
        case _:  # what the program says of itself is short already
            return event


def _bounded_text(event: _Told) -> Event:
    if len(event.text) <= MAX_TEXT_CHARS:
        return event
    text, n_left_out = _shortened(event.text)
    return event.model_copy(update={"text": text, "cut": n_left_out})


def _bounded_value(value: Json, pieces: list[int]) -> Json:
    """A call's arguments; what was left out of each text is added to `pieces`."""
    if isinstance(value, str) and len(value) > MAX_TEXT_CHARS:
        text, n_left_out = _shortened(value)
        pieces.append(n_left_out)
        return text
    if isinstance(value, dict):
        return {name: _bounded_value(item, pieces) for name, item in cast("dict[str, Json]", value).items()}
    if isinstance(value, list):
        return [_bounded_value(item, pieces) for item in cast("list[Json]", value)]
    return value


def _shortened(text: str) -> _Cut:
    n_left_out = len(text) - _HEAD - _TAIL
    return _Cut(
        f"{text[:_HEAD]}\n[… at least {n_left_out:,} characters were cut out here …]\n{text[-_TAIL:]}", n_left_out
    )
