"""A trial's events, and as the text that people read."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from skilltrial.adapters.interchange.writers.rounds import Run
from skilltrial.errors import StoreError
from skilltrial.records import layout
from skilltrial.records.events import AssistantMessage, Event, Thinking, ToolCall, ToolResult, UserMessage

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def read_events(run: Run) -> tuple[Event, ...]:
    """The normalised events; none where the trial has none. Raises `StoreError` for lines that are no events."""
    path = run.folder / layout.TRANSCRIPT
    try:
        return tuple(_EVENT.validate_json(line) for line in path.read_bytes().split(b"\n") if line.strip())
    except FileNotFoundError:
        return ()
    except (OSError, ValidationError) as error:
        raise StoreError(f"is no transcript that can be read ({type(error).__name__}).", where=str(path)) from error


def has_transcript(run: Run) -> bool:
    """Whether there is more than a final message to lose."""
    return bool(read_events(run)) or raw_transcript(run) is not None


def raw_transcript(run: Run) -> Path | None:
    """The transcript of an imported run, as the other tool wrote it."""
    found = sorted(run.folder.glob("stream.*")) if run.folder.is_dir() else []
    return next((path for path in found if path.is_file() and not path.is_symlink()), None)


def as_markdown(run: Run) -> str:
    """skill-creator's transcript.md: the prompt under a heading that its viewer looks for, then what happened, then the answer."""
    parts = [f"## Eval Prompt\n\n{run.case.prompt}"]
    said = {each.prompt for each in run.trial.conversation.rounds[1:]} if run.trial.conversation else set[str]()
    parts += [text for event in read_events(run) if (text := _section(event, said))]
    if run.trial.final_message:
        parts.append(f"## Final Result\n\n{run.trial.final_message}")
    return "\n\n".join(parts) + "\n"


def tool_invocations(run: Run) -> Iterator[dict[str, object]]:
    """eval-magic's: one a tool call, with its result where it came."""
    events = read_events(run)
    results = {event.call_id: event.text for event in events if isinstance(event, ToolResult)}
    for event in events:
        if isinstance(event, ToolCall):
            # Arguments may be an object, a text, a list or nothing there; other values as their JSON.
            args = json.dumps(event.input) if isinstance(event.input, bool | int | float) else event.input
            yield {"name": event.name, "ordinal": event.ordinal, "args": args, "result": results.get(event.call_id)}


def _section(event: Event, said: Collection[str]) -> str:
    match event:
        case AssistantMessage(text=text):
            return f"### Step {event.ordinal}\n\n{text}"
        case Thinking(text=text):
            return f"### Step {event.ordinal}: thinking\n\n{text}"
        case ToolCall(name=name):
            return f"### Step {event.ordinal}: tool {name}\n\n{_fenced(_compact(event))}"
        case ToolResult(text=text):
            return f"### Step {event.ordinal}: result\n\n{_fenced(text)}"
        case UserMessage(text=text, synthetic=synthetic) if synthetic or text in said:
            return f"### Step {event.ordinal}: {'from the agent program' if synthetic else 'the user'}\n\n{text}"
        case _:
            return ""


def _compact(call: ToolCall) -> str:
    return json.dumps(call.input, ensure_ascii=False)


def _fenced(text: str) -> str:
    """In a fence that the text itself does not have."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
