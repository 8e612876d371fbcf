"""The normalised transcript of a trial, as its file has it."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from skilltrial.errors import StoreError
from skilltrial.records.events import Event

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def read_events(data: bytes, *, where: str) -> tuple[Event, ...]:
    """The events of a `transcript.jsonl`, a line each. Raises `StoreError` with the line that is none."""
    events: list[Event] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                events.append(_EVENT.validate_json(line))
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                raise StoreError(
                    f"is no event of a transcript ({first['msg']}).",
                    where=f"{where}:{number}",
                    hint="Remove the trial's folder and run again.",
                ) from error
    return tuple(events)
