"""Workbooks (.xlsx): the values of one sheet, as they were when the file was written."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from skilltrial.grade.readers.refusal import TooMuch, check_package, told

_MAX_CELLS = 200_000
_MAX_ROWS = 1_100_000
"""As many as a sheet can have, with some room."""


def read_workbook(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """`sheets`: all names; `sheet`: the one read, None where none has the name; `rows`: [number, values], without empty ones.

    A formula that nothing has computed is an object `formula`.
    """
    check_package(path)
    try:
        values, sheets, name = _sheet(path, asked, computed=True)
        if name is None:
            return {"sheets": sheets, "sheet": None, "rows": []}
        formulas, _, _ = _sheet(path, asked, computed=False)
        rows = [[number, _filled(row, formulas.get(number, []))] for number, row in _both(values, formulas)]
    except (KeyError, zipfile.BadZipFile, ParseError) as error:
        raise told(error, "workbook") from error
    return {"sheets": sheets, "sheet": name, "rows": [row for row in rows if row[1]]}


def _sheet(path: Path, asked: dict[str, Any], *, computed: bool) -> tuple[dict[int, list[Any]], list[str], str | None]:
    import openpyxl  # noqa: PLC0415 - of an extra

    with path.open("rb") as stream:
        book = openpyxl.load_workbook(stream, read_only=True, data_only=computed, keep_links=False)
        sheets = [sheet.title for sheet in book.worksheets]
        name = asked.get("sheet") or (sheets[0] if sheets else None)
        if name not in sheets:
            return {}, sheets, None
        return dict(_rows(book[name])), sheets, name


def _rows(sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    n_cells = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > _MAX_ROWS:
            raise TooMuch(f"has a sheet with more than {_MAX_ROWS:,} rows")
        values = list(map(_plain, row))
        while values and values[-1] is None:
            values.pop()
        n_cells += len(values)
        if n_cells > _MAX_CELLS:
            raise TooMuch(f"has a sheet with more than the {_MAX_CELLS:,} cells that are read")
        if values:
            yield number, values


def _both(values: dict[int, list[Any]], formulas: dict[int, list[Any]]) -> Iterator[tuple[int, list[Any]]]:
    return ((number, values.get(number, [])) for number in sorted({*values, *formulas}))


def _filled(row: list[Any], formulas: list[Any]) -> list[Any]:
    """The values; where there is none but a formula, that."""
    filled = row + [None] * (len(formulas) - len(row))
    for place, formula in enumerate(formulas):
        if filled[place] is None and formula is not None:
            filled[place] = {"formula": str(formula)}
    return filled


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value == value and abs(value) != float("inf") else str(value)  # noqa: PLR0124 - NaN
        case datetime():
            return (value.date() if value.time() == time() else value).isoformat()
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case _:  # array formulas and the like
            return str(getattr(value, "text", value))
