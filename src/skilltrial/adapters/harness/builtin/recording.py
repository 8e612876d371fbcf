"""What a trial did, written down as it happens."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from skilltrial.records.events import Event
from skilltrial.records.usage import Usage
from skilltrial.transcript.redaction import redactor, secrets_of

STREAM = "stream.jsonl"
STDERR = "stderr.txt"

EventT = TypeVar("EventT", bound=Event)


class Recording:
    """Events and usage of a trial, and its raw stream on the disk. Values of secret variables are masked in both."""

    def __init__(self, capture: Path, env: Mapping[str, str]) -> None:
        self.events: list[Event] = []
        self.model: str | None = None
        self.final_message: str | None = None
        self._redact = redactor(secrets_of(env))
        self._n_asked = 0
        self._usage: list[Usage] = []
        self._costs: list[float | None] = []
        capture.mkdir(parents=True, exist_ok=True)
        (capture / STDERR).touch()
        self.stream = capture / STREAM
        self.stream.write_bytes(b"")

    def raw(self, kind: str, **fields: Any) -> None:
        """Adds a line to the raw stream."""
        line = json.dumps({"type": kind, "at": _now(), **fields}, ensure_ascii=False, default=str)
        with self.stream.open("a", encoding="utf-8") as out:
            out.write(self.masked(line) + "\n")

    def add(self, kind: type[EventT], **fields: Any) -> None:
        """Adds an event with the next number."""
        event = kind(ordinal=len(self.events), at=_now(), **fields)
        self.events.append(kind.model_validate_json(self.masked(event.model_dump_json())))

    def asks(self) -> None:
        """Notes that a request goes out."""
        self._n_asked += 1

    def count(self, usage: Usage, cost_usd: float | None) -> None:
        """Adds the usage of one answer."""
        self._usage.append(usage)
        self._costs.append(cost_usd)

    def masked(self, text: str) -> str:
        """The text without values of secret variables."""
        return self._redact(text.encode("utf-8", "replace")).decode()

    @property
    def usage(self) -> Usage:
        """Summed over all answers; a part that any answer left out is unknown, and all where a request has no answer."""
        if self._lacks_answer:
            return Usage(requests=len(self._usage))
        return Usage(
            input_tokens=_total(usage.input_tokens for usage in self._usage),
            output_tokens=_total(usage.output_tokens for usage in self._usage),
            cache_read_tokens=_total(usage.cache_read_tokens for usage in self._usage),
            cache_write_tokens=_total(usage.cache_write_tokens for usage in self._usage),
            requests=len(self._usage),
        )

    @property
    def cost_usd(self) -> float | None:
        """Summed over all answers; None where the price of any is unknown, or a request has no answer."""
        known = [cost for cost in self._costs if cost is not None]
        return sum(known) if known and len(known) == self._n_asked else None

    @property
    def _lacks_answer(self) -> bool:
        """It was cut off, or the service failed: what it took is not told."""
        return len(self._usage) < self._n_asked


def _total(parts: Iterable[int | None]) -> int | None:
    numbers = list(parts)
    known = [number for number in numbers if number is not None]
    return sum(known) if known and len(known) == len(numbers) else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
