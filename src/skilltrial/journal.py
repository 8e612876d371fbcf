"""What people said of trials: `journal.jsonl` of a workspace, read and added to here alone.

Nothing is ever changed or taken out, so that any number of pages and commands may add to it at once. Readers take no lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ValidationError

from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.journal import PersonVerdict

_NO_JSON = "it is no JSON: cut off while it was written, or changed by hand"


class Unread(NamedTuple):
    """A line that is kept and does not count."""

    where: str
    """`journal.jsonl:17`."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """All that was said, in the order in which it was, and the lines that say nothing."""

    verdicts: tuple[PersonVerdict, ...]
    unread: tuple[Unread, ...]


def read_journal(store: Store) -> Journal:
    """The journal of a workspace, empty where nobody said anything. Raises `StoreError` where the file cannot be opened."""
    verdicts: list[PersonVerdict] = []
    unread: list[Unread] = []
    lines = (store.read(layout.JOURNAL) or b"").split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            verdicts.append(PersonVerdict.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            cut = _NO_JSON if first["type"] == "json_invalid" else first["msg"]
            unread.append(Unread(f"{layout.JOURNAL}:{number}", f"{place}: {cut}" if place else cut))
    return Journal(verdicts=tuple(verdicts), unread=tuple(unread))


def note_verdict(store: Store, verdict: PersonVerdict) -> None:
    """Add a verdict at the end; it is on the disk when this returns. Raises `StoreError` where it cannot be."""
    store.append(layout.JOURNAL, verdict.model_dump_json().encode("utf-8", "backslashreplace"))
