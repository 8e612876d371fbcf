"""CSV with a header row, as a list of objects. Cells stay texts; an empty one is null."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

from skilltrial.records.json_value import Json
from skilltrial.spec.findings import Findings, Invalid, invalid, shown
from skilltrial.spec.json_source import MAX_VALUES, Node

_DELIMITERS = ",;\t"


class _Row(NamedTuple):
    line: int
    cells: list[str]


def csv_rows(text: str, findings: Findings, *, file: str) -> Node:
    """One object a row, with the names of the header as keys. The delimiter is what the header has most of: `,`, `;` or tab.

    A row with too many cells is an error in `findings`, one with too few a repair. Raises `SpecError` for broken quoting,
    a name that stands twice, and a file that is too large.
    """
    rows = _rows(text, file)
    header = next(rows, None)
    if header is None:
        raise invalid("empty-file", "the file is empty.", file=file, line=1, hint="Write a header row, then the rows.")
    names = _names(header, file)
    children: dict[str | int, Node] = {}
    n_values = 0
    for row in rows:
        n_values += len(names) + 1
        if n_values > MAX_VALUES:
            raise invalid("too-large", f"the file has more than {MAX_VALUES:,} values.", file=file, hint="Split it.")
        index = len(children)
        with findings.collecting():
            children[index] = _object(row, names, index, findings, file=file)
    return Node([node.value for node in children.values()], file, header.line, (), children)


def _rows(text: str, file: str) -> Iterator[_Row]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            hint = 'A text with a quote or line break stands in double quotes, and its own quotes are doubled ("").'
            raise invalid("bad-csv", f"the row is not CSV: {error}.", file=file, line=line, hint=hint) from None
        if any(cell.strip() for cell in cells):
            yield _Row(line, cells)


def _names(header: _Row, file: str) -> list[str]:
    names = [cell.strip() for cell in header.cells]
    while names and not names[-1]:
        names.pop()
    for number, name in enumerate(names, start=1):
        if not name:
            message = f"the column {number} has no name."
            raise invalid("bad-csv", message, file=file, line=header.line, hint="Name every column in the first row.")
        if names.index(name) != number - 1:
            message = f"the header has {shown(name)} twice, in columns {names.index(name) + 1} and {number}."
            raise invalid("key-twice", message, file=file, line=header.line, hint="Rename one of them.")
    return names


def _object(row: _Row, names: list[str], index: int, findings: Findings, *, file: str) -> Node:
    cells = row.cells
    if len(cells) > len(names) and any(cell.strip() for cell in cells[len(names) :]):
        raise _too_long(row, names, index, file)
    values: dict[str, Json] = {name: cell or None for name, cell in zip(names, cells, strict=False)}
    children: dict[str | int, Node] = {
        name: Node(value, file, row.line, (index, name)) for name, value in values.items()
    }
    node = Node(values, file, row.line, (index,), children, dict.fromkeys(values, row.line))
    if len(cells) < len(names):
        missing = ", ".join(names[len(cells) :])
        findings.repair(node.repair("row-short", f"has no cells for {missing}; they are taken for empty"))
    return node


def _too_long(row: _Row, names: list[str], index: int, file: str) -> Invalid:
    what = f"has {len(row.cells)} cells, and the header has {len(names)} names."
    hint = "A cell with a comma stands in double quotes."
    return Node(row.cells, file, row.line, (index,)).error("row-long", what, hint=hint)
