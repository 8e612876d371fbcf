"""What people said of trials: `journal.jsonl` of a workspace, read and added to here alone.

Nothing is ever changed or taken out, so that any number of pages and commands may add to it at once. Readers take no lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from skilltrial.errors import StoreError
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.journal import Line, PersonVerdict

MOST_BYTES = 4_000_000
"""Of one line."""
_NO_JSON = "it is no JSON: cut off while it was written, or changed by hand"
_NEWER = "a kind of line that this version does not know; it is kept"


class Unread(NamedTuple):
    """A line that is kept and does not count."""

    where: str
    """`journal.jsonl:17`."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """All that was said, in the order in which it was, and the lines that say nothing."""

    lines: tuple[Line, ...]
    unread: tuple[Unread, ...]

    @property
    def verdicts(self) -> tuple[PersonVerdict, ...]:
        """Those on assertions."""
        return tuple(line for line in self.lines if isinstance(line, PersonVerdict))


def read_journal(store: Store) -> Journal:
    """The journal of a workspace, empty where nobody said anything. Raises `StoreError` where the file cannot be opened.

    Of lines with the same id the first counts: they are one that was sent twice.
    """
    found: list[Line] = []
    unread: list[Unread] = []
    known: set[str] = set()
    for number, line in enumerate((store.read(layout.JOURNAL) or b"").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            said = _lines().validate_json(line)
        except ValidationError as error:
            unread.append(Unread(f"{layout.JOURNAL}:{number}", _why(error)))
            continue
        if said.id not in known:
            found.append(said)
            known |= {said.id} - {""}
    return Journal(lines=tuple(found), unread=tuple(unread))


def note(store: Store, line: Line) -> None:
    """Add a line at the end; it is on the disk when this returns. Raises `StoreError` where it cannot be."""
    data = line.model_dump_json().encode("utf-8", "backslashreplace")
    if len(data) > MOST_BYTES:
        message = f"this has {len(data):,} bytes; more than {MOST_BYTES:,} are not kept in one line."
        raise StoreError(message, where=layout.JOURNAL, hint="Say it in several parts.")
    store.append(layout.JOURNAL, data)


def note_verdict(store: Store, verdict: PersonVerdict) -> None:
    """Add a verdict at the end; it is on the disk when this returns. Raises `StoreError` where it cannot be."""
    note(store, verdict)


@cache
def _lines() -> TypeAdapter[Line]:
    return TypeAdapter(Line)


def _why(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "union_tag_invalid":
        return f"{first['ctx']['tag']!r} is {_NEWER}" if "ctx" in first else _NEWER
    if first["type"] == "json_invalid":
        return _NO_JSON
    place = ".".join(map(str, first["loc"][1:]))
    return f"{place}: {first['msg']}" if place else first["msg"]
