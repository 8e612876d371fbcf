"""Which line of a TOML file has a key: its parser does not tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TABLE = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_\"'.\- ]+?)\s*=")


def line_of_key(text: str, place: Sequence[str]) -> int | None:
    """The line, from 1, on which the key at the end of `place` is written, or the nearest table or key around it.

    None where it is written in a way that only a parser could find. For messages: a text over several lines that looks like
    a key can mislead it.
    """
    lines = _keys_of(text)
    for length in range(len(place), 0, -1):
        if (found := lines.get(tuple(place[:length]))) is not None:
            return found
    return None


def _keys_of(text: str) -> dict[tuple[str, ...], int]:
    table: tuple[str, ...] = ()
    found: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *_parts(key[1])), number)
    return found


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
