"""Rows of a text with separators."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from itertools import islice

_SEPARATORS = ",\t;|"
_LOOKED_AT = 20
_COLUMNS = 200
_CELL = 2_000
_NUMBER = re.compile(r"[+\-−]?[$€£]?\d[\d.,' ]*(?:[eE][+-]?\d{1,4})?\s?[%€$£]?")


def table_of(text: str, *, tabs: bool, most: int, whole: bool) -> dict[str, object]:
    """`header`, `rows` (up to `most`), `numbers` (places of columns that hold nothing but numbers), `separator`, `more`.

    `whole` is False where the text is only the beginning of its file.
    """
    separator = "\t" if tabs else _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        rows = [[cell[:_CELL] for cell in row[:_COLUMNS]] for row in islice(reader, most + 2)]
    except csv.Error as error:
        return {"gap": f"This is no table ({error})."}
    more = len(rows) > most + 1 or not whole
    header, body = (rows[0], rows[1 : most + 1]) if rows else ([], [])
    return {"header": header, "rows": body, "numbers": _numbers(body), "separator": separator, "more": more}


def _separator(text: str) -> str:
    """The one that parts the first rows into the same number of cells, more than one; of several the one with the most."""
    lines = list(islice(io.StringIO(text, newline=""), _LOOKED_AT))

    def cells(separator: str) -> tuple[int, int]:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        except csv.Error:
            return 0, 0
        if not widths or widths[0] == 1:
            return 0, 0
        return sum(width == widths[0] for width in widths), widths[0]

    return max(_SEPARATORS, key=cells)


def _numbers(rows: Sequence[Sequence[str]]) -> list[int]:
    width = max(map(len, rows), default=0)
    columns = ([row[place].strip() for row in rows if place < len(row)] for place in range(width))
    return [
        place
        for place, cells in enumerate(columns)
        if any(cells) and all(not cell or _NUMBER.fullmatch(cell) for cell in cells)
    ]
