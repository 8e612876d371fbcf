"""The normalised transcript of an imported run, as far as its own record holds one (slow-powers' and eval-magic's run.json)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

from skilltrial.records.events import AssistantMessage, Event, ToolCall, ToolResult, UserMessage
from skilltrial.records.foreign import ForeignRun
from skilltrial.records.json_value import Json


def run_fields(run: ForeignRun) -> Iterator[Mapping[str, Json]]:
    """The fields that the run's own files carry beside: those of the run, then those of each file of its own."""
    yield run.extra
    for value in run.extra.values():
        if isinstance(value, Mapping):
            yield cast("Mapping[str, Json]", value)


def prompt_of(run: ForeignRun) -> str | None:
    """The task as the run's own record has it."""
    found = (fields.get("prompt") or fields.get("user_prompt") for fields in run_fields(run))
    return next((text for text in found if isinstance(text, str)), None)


def events_of(run: ForeignRun) -> tuple[Event, ...]:
    """The tool calls with their results, between the prompt and the final message; empty where none is recorded."""
    calls = list(_calls(run))
    if not calls:
        return ()
    events: list[Event] = []
    prompt = prompt_of(run)
    if prompt:
        events.append(UserMessage(ordinal=0, text=prompt))
    for call in calls:
        id_, result = f"call-{len(events)}", call.get("result")
        events.append(ToolCall(ordinal=len(events), call_id=id_, name=str(call["name"]), input=call.get("args")))
        if result is not None:
            text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
            events.append(ToolResult(ordinal=len(events), call_id=id_, text=text))
    if run.final_message:
        events.append(AssistantMessage(ordinal=len(events), text=run.final_message))
    return tuple(events)


def _calls(run: ForeignRun) -> Iterator[Mapping[str, Json]]:
    for fields in run_fields(run):
        listed = fields.get("tool_invocations")
        for value in cast("list[Json]", listed) if isinstance(listed, list) else ():
            call = cast("Mapping[str, Json]", value) if isinstance(value, Mapping) else None
            if call is not None and isinstance(call.get("name"), str):
                yield call
