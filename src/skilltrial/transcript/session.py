"""The id of an agent program's session, as its stream tells it."""

from __future__ import annotations

from collections.abc import Iterable

from skilltrial.transcript.foreign_json import fields_of, read_row, text_of


def session_in(lines: Iterable[str], place: str) -> str | None:
    """The first text at a dotted place of a stream's rows; None where none has it.

    Only a word of letters, digits, `_`, `-` and `.` counts that does not begin like an option: it goes on a command line.
    """
    *parents, last = place.split(".")
    for line in lines:
        found = read_row(line) if f'"{last}"' in line else None
        for name in parents if found else ():
            found = fields_of((found or {}).get(name))
        text = text_of(found.get(last)) if found else None
        if text and _is_plain(text):
            return text
    return None


def _is_plain(text: str) -> bool:
    return text.isascii() and text[0] not in "-." and all(letter.isalnum() or letter in "_-." for letter in text)
