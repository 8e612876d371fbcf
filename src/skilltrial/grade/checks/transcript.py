"""`transcript_check`: what the agent called and said, how often, with what result and in which order.

Every place is one that counts, one that does not, or one of which it cannot be told; the verdict stands only where the last
kind cannot change it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from skilltrial.grade.blindfold import is_skill_text, loads_skill
from skilltrial.grade.decision import CheckResult, Undecided, decided
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import Material
from skilltrial.grade.patterns import Match, matches, search, shown
from skilltrial.records.events import MAX_TEXT_CHARS, AssistantMessage, Event, ToolCall, ToolResult
from skilltrial.records.json_value import Json
from skilltrial.records.suite import TranscriptCheck
from skilltrial.records.tool_calls import arguments, writes

_PLURAL = {"tool_invocation_matches": "tool calls", "assistant_message_matches": "messages of the agent"}
_SHOWN = 3
_CUT = "its text was so long that a part of it was cut out."


@dataclass(frozen=True, slots=True)
class _Place:
    ordinal: int
    label: str
    text: str
    """What orders are searched in."""
    part: str | None
    """What the pattern is searched in; None where the call has no such argument."""
    end: int | None = None
    """Where a call's result stands."""
    result: ToolResult | None = None
    cut: bool = False
    """A part of the text was cut out."""
    is_load: bool = False
    """It loads a skill, or its result is the skill's own text."""


@dataclass(frozen=True, slots=True)
class _Limit:
    """Where a match has to stand. `ordinal` None: nowhere in particular."""

    ordinal: int | None
    name: str


@dataclass(frozen=True, slots=True)
class _Found:
    """A place where the pattern matches. `doubt`: why it cannot be told whether it counts; `miss`: why it does not."""

    place: _Place
    words: str
    doubt: str = ""
    miss: str = ""


_Condition = Callable[[_Place], "tuple[str, str]"]
"""The doubt and the miss of a place, both empty where it counts."""


def check_transcript(assertion: TranscriptCheck, material: Material) -> CheckResult:
    """Count the tool calls (of sub-agents too) or messages of the main agent that have the pattern and keep the conditions.

    Raises `Undecided` where there is no transcript, no usable pattern, an unknown kind of check, or where the count hangs on
    places of which it cannot be told: a result or an order that the transcript does not show.
    """
    if not material.events:
        raise Undecided("the trial has no transcript to look at.")
    if assertion.pattern is None:
        raise Undecided("the check has no pattern; add one.")
    places = _places(assertion, material.events, material.skill_names)
    conditions = list(_conditions(assertion, material, places))
    least, most = _bounds(assertion)
    found: list[_Found] = []
    n_sure = 0
    for place, match in _matching(assertion.pattern, places):
        found.append(_weighed(place, match, conditions))
        n_sure += not found[-1].miss and not found[-1].doubt
        if (most is None and n_sure >= least) or (most is not None and n_sure > most):
            break
    doubtful = [one for one in found if one.doubt and not one.miss]
    settled = least <= n_sure and (most is None or n_sure + len(doubtful) <= most)
    if not settled and least <= n_sure + len(doubtful) and (most is None or n_sure <= most):
        raise Undecided(f"it may count in {doubtful[0].words}, but {doubtful[0].doubt}")
    return decided(settled, _evidence(assertion, places, found))


def _bounds(assertion: TranscriptCheck) -> tuple[int, int | None]:
    if assertion.negate:
        return 0, 0
    usual = 1 if assertion.max_count is None else 0
    return usual if assertion.min_count is None else assertion.min_count, assertion.max_count


def _matching(pattern: str, places: Sequence[_Place]) -> Iterator[tuple[_Place, Match | None]]:
    searched = [place for place in places if place.part is not None]
    for place, match in zip(searched, matches(pattern, (each.part or "" for each in searched)), strict=True):
        if match or (place.cut and len(place.part or "") > MAX_TEXT_CHARS):
            yield place, match


def _weighed(place: _Place, match: Match | None, conditions: Sequence[_Condition]) -> _Found:
    words = f"{place.label} (event {place.ordinal}){f': {shown(match)}' if match else ''}"
    outcomes = [condition(place) for condition in conditions]
    if place.cut and len(place.part or "") > MAX_TEXT_CHARS:
        outcomes.insert(0, (_CUT, ""))
    return _Found(
        place,
        words,
        doubt=next((doubt for doubt, _ in outcomes if doubt), ""),
        miss=next((miss for _, miss in outcomes if miss), ""),
    )


def _places(assertion: TranscriptCheck, events: Sequence[Event], names: Sequence[str]) -> list[_Place]:
    match assertion.check:
        case "tool_invocation_matches":
            results = {event.call_id: event for event in events if isinstance(event, ToolResult)}
            return [_call(event, assertion.arg, results, names) for event in events if isinstance(event, ToolCall)]
        case "assistant_message_matches":
            return [
                _Place(
                    event.ordinal, "the agent's message", event.text, event.text, end=event.ordinal, cut=bool(event.cut)
                )
                for event in events
                if isinstance(event, AssistantMessage) and event.agent is None
            ]
        case check:
            raise Undecided(f"there is no transcript check named {check!r}; known: {', '.join(_PLURAL)}.")


def _call(call: ToolCall, arg: str | None, results: Mapping[str, ToolResult], names: Sequence[str]) -> _Place:
    result = results.get(call.call_id)
    text = call.name if call.input is None else f"{call.name} {_compact(call.input)}"
    part: str | None = text
    if arg is not None:
        given = arguments(call)
        value: Json = given.get(arg)
        part = None if arg not in given else value if isinstance(value, str) else _compact(value)
    label = f"the call of {excerpt(call.name, 60)}"
    is_load = loads_skill(call, names) or (result is not None and is_skill_text(result.text, names))
    end = result.ordinal if result else None
    return _Place(call.ordinal, label, text, part, end=end, result=result, cut=bool(call.cut), is_load=is_load)


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _conditions(assertion: TranscriptCheck, material: Material, places: Sequence[_Place]) -> Iterator[_Condition]:
    if assertion.must_precede != "any":
        yield _before_limit(assertion, material)
    if assertion.succeeded is not None:
        yield _succeeds(wanted=assertion.succeeded)
    if assertion.result_matches is not None:
        yield _has_result(assertion.result_matches)
    if assertion.before is not None:
        yield _before(assertion.before, places, material.events)
    if assertion.after is not None:
        yield _after(assertion.after, places, material.events)


def _succeeds(*, wanted: bool) -> _Condition:
    def weigh(place: _Place) -> tuple[str, str]:
        if place.result is None or place.result.is_error is None:
            return "the transcript does not say whether that call succeeded.", ""
        if place.result.is_error is not wanted:
            return "", ""
        return "", f"that call {'failed' if wanted else 'succeeded'} (event {place.result.ordinal})"

    return weigh


def _has_result(pattern: str) -> _Condition:
    def weigh(place: _Place) -> tuple[str, str]:
        if place.result is None:
            return "the transcript does not show what that call gave back.", ""
        if place.is_load:
            return "", f"its result (event {place.result.ordinal}) is the skill's own text"
        if place.result.cut:
            return "a part of what that call gave back was cut out.", ""
        if search(pattern, place.result.text):
            return "", ""
        return "", f"its result (event {place.result.ordinal}) has no {excerpt(pattern)!r}"

    return weigh


def _before(pattern: str, places: Sequence[_Place], events: Sequence[Event]) -> _Condition:
    other = next(iter(_matching_text(pattern, places)), None)

    def weigh(place: _Place) -> tuple[str, str]:
        if other is None or _is_before(place, other, events):
            return "", ""
        if place.ordinal < other.ordinal:
            return f"it may not have ended before {_named(other)} began.", ""
        return "", f"it does not stand before {_named(other)}"

    return weigh


def _after(pattern: str, places: Sequence[_Place], events: Sequence[Event]) -> _Condition:
    others = list(_matching_text(pattern, places))

    def weigh(place: _Place) -> tuple[str, str]:
        if any(_is_before(other, place, events) for other in others):
            return "", ""
        if others and others[0].ordinal < place.ordinal:
            return f"{_named(others[0])} may not have ended before it began.", ""
        return "", f"it does not stand after {_named(others[0])}" if others else f"nothing has {excerpt(pattern)!r}"

    return weigh


def _matching_text(pattern: str, places: Sequence[_Place]) -> Iterator[_Place]:
    """Raises `Undecided` where a part of a text was cut out: it may have the pattern."""
    if cut := next((place for place in places if place.cut), None):
        raise Undecided(f"whether {_named(cut)} has {excerpt(pattern)!r} is not known: {_CUT}")
    for place, match in zip(places, matches(pattern, (place.text for place in places)), strict=True):
        if match:
            yield place


def _named(place: _Place) -> str:
    return f"{place.label} (event {place.ordinal})"


def _is_before(one: _Place, other: _Place, events: Sequence[Event]) -> bool:
    """One had ended when the other began. Calls that were made at once have no order."""
    if one.ordinal >= other.ordinal:
        return False
    if one.end is not None:
        return one.end < other.ordinal
    between = (event for event in events if one.ordinal < event.ordinal < other.ordinal)
    return any(not isinstance(event, ToolCall) for event in between)


def _before_limit(assertion: TranscriptCheck, material: Material) -> _Condition:
    limit, doubt = _completion(material) if assertion.must_precede == "completion_claim" else _first_write(material)

    def weigh(place: _Place) -> tuple[str, str]:
        if limit.ordinal is None or place.ordinal < limit.ordinal:
            return doubt, ""
        return "", f"it stands not before {limit.name} (event {limit.ordinal})"

    return weigh


def _completion(material: Material) -> tuple[_Limit, str]:
    said = [event.ordinal for event in material.events if isinstance(event, AssistantMessage) and event.agent is None]
    return _Limit(said[-1] if said else None, "the final message"), ""


def _first_write(material: Material) -> tuple[_Limit, str]:
    name = "the first call that writes a file"
    refused = {event.call_id for event in material.events if isinstance(event, ToolResult) and event.is_error}
    for event in material.events:
        if isinstance(event, ToolCall) and event.call_id not in refused and writes(event):
            return _Limit(event.ordinal, name), ""
    if any(file.change != "deleted" for file in material.trial.files):
        doubt = "files were written by calls that do not say so (a shell?), so the order is unknown."
        return _Limit(None, name), doubt
    return _Limit(None, name), ""


def _evidence(assertion: TranscriptCheck, places: Sequence[_Place], found: Sequence[_Found]) -> str:
    pattern = excerpt(cast("str", assertion.pattern))
    counted = [one for one in found if not one.miss and not one.doubt]
    missed = [one for one in found if one.miss]
    is_counted = assertion.min_count is not None or assertion.max_count is not None
    if counted and not is_counted:
        return f"found in {counted[0].words}"
    if counted:
        more = f", and {len(counted) - _SHOWN} more" if len(counted) > _SHOWN else ""
        return f"found {len(counted)} times: {'; '.join(one.words for one in counted[:_SHOWN])}{more}"
    if missed:
        return f"the first match is in {missed[0].words}, but {missed[0].miss}"
    return f"none of {len(places)} {_PLURAL[assertion.check]} matches {pattern!r}"
