"""`transcript_check`: what the agent called and said, and in which order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from skilltrial.grade.decision import CheckResult, Undecided, decided
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import Material
from skilltrial.grade.patterns import matches, shown
from skilltrial.records.events import AssistantMessage, Event, ToolCall, ToolResult
from skilltrial.records.suite import TranscriptCheck
from skilltrial.records.tool_calls import writes

_PLURAL = {"tool_invocation_matches": "tool calls", "assistant_message_matches": "messages of the agent"}


@dataclass(frozen=True, slots=True)
class _Place:
    ordinal: int
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class _Limit:
    """Where a match has to stand before. `ordinal` None: nowhere in particular; `doubt`: it cannot be told."""

    ordinal: int | None
    name: str
    doubt: str = ""


def check_transcript(assertion: TranscriptCheck, material: Material) -> CheckResult:
    """Search the pattern in every tool call, or in every message of the main agent; sub-agents' calls count too.

    Negated, it holds where nothing matches before the limit. Raises `Undecided` where there is no transcript, no usable
    pattern, an unknown kind of check, or where the order hangs on writes that the transcript does not show.
    """
    if not material.events:
        raise Undecided("the trial has no transcript to look at.")
    if assertion.pattern is None:
        raise Undecided("the check has no pattern; add one.")
    places = _places(assertion.check, material.events)
    limit = _limit(assertion, material)
    found = late = None
    for place, match in zip(places, matches(assertion.pattern, (each.text for each in places)), strict=True):
        if match:
            if limit.ordinal is not None and place.ordinal >= limit.ordinal:
                late = place
                break
            found = f"{place.label} (event {place.ordinal}): {shown(match)}"
            break
    if found is not None and limit.doubt:
        raise Undecided(f"it matches in {found}, but {limit.doubt}")
    if found is not None:
        return decided(not assertion.negate, f"found in {found}")
    what = f"none of {len(places)} {_PLURAL[assertion.check]} matches {excerpt(assertion.pattern)!r}"
    if late is not None:
        what = f"the first match stands in event {late.ordinal}, not before {limit.name} (event {limit.ordinal})"
    return decided(assertion.negate, what)


def _places(check: str, events: Sequence[Event]) -> list[_Place]:
    if check == "tool_invocation_matches":
        return [
            _Place(event.ordinal, f"the call of {excerpt(event.name, 60)}", _invocation(event))
            for event in events
            if isinstance(event, ToolCall)
        ]
    if check == "assistant_message_matches":
        return [
            _Place(event.ordinal, "the agent's message", event.text)
            for event in events
            if isinstance(event, AssistantMessage) and event.agent is None
        ]
    raise Undecided(f"there is no transcript check named {check!r}; known: {', '.join(_PLURAL)}.")


def _invocation(call: ToolCall) -> str:
    if call.input is None:
        return call.name
    return f"{call.name} {json.dumps(call.input, ensure_ascii=False, separators=(',', ':'))}"


def _limit(assertion: TranscriptCheck, material: Material) -> _Limit:
    match assertion.must_precede:
        case "any":
            return _Limit(None, "")
        case "completion_claim":
            said = [
                event.ordinal
                for event in material.events
                if isinstance(event, AssistantMessage) and event.agent is None
            ]
            return _Limit(said[-1] if said else None, "the final message")
        case "first_write":
            return _first_write(material)


def _first_write(material: Material) -> _Limit:
    name = "the first call that writes a file"
    refused = {event.call_id for event in material.events if isinstance(event, ToolResult) and event.is_error}
    for event in material.events:
        if isinstance(event, ToolCall) and event.call_id not in refused and writes(event):
            return _Limit(event.ordinal, name)
    if any(file.change != "deleted" for file in material.trial.files):
        return _Limit(None, name, "files were written by calls that do not say so (a shell?), so the order is unknown.")
    return _Limit(None, name)
