"""What the server was asked, in order of arrival."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any


class RequestLog:
    """Every request; `done` once it is answered. The file, if any, gets a line as each request ends."""

    def __init__(self, path: Path | None = None, *, bodies: bool = True) -> None:
        self.records: list[dict[str, Any]] = []
        self.in_flight = 0
        self.max_in_flight = 0
        self._path, self._bodies = path, bodies
        self._lock = threading.Lock()
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("", encoding="utf-8")

    def enter(self, record: dict[str, Any]) -> None:
        """Takes a request in."""
        with self._lock:
            record.update(n=len(self.records) + 1, done=False)
            self.records.append(record)
            self.in_flight += 1
            self.max_in_flight = max(self.max_in_flight, self.in_flight)

    def leave(self, record: dict[str, Any]) -> None:
        """Marks a request as answered."""
        with self._lock:
            self.in_flight -= 1
            record["done"] = True
            if not self._bodies:
                record.pop("body", None)
            if self._path:
                with self._path.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(record, ensure_ascii=False) + "\n")

    def select(self, run: str | None = None) -> list[dict[str, Any]]:
        """Copies of the requests of one run, or of all."""
        with self._lock:
            return [dict(record) for record in self.records if run is None or record["run"] == run]

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self.records.clear()
            self.max_in_flight = self.in_flight
