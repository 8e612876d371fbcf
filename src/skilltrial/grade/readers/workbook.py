"""Workbooks (.xlsx): the values of one sheet, or the first rows of all, as they were when the file was written."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree.ElementTree import ParseError

from skilltrial.grade.readers.refusal import Broken, TooMuch, check_package, told

_MAX_CELLS = 200_000
_MAX_ROWS = 1_100_000
"""As many as a sheet can have, with some room."""
_SHEETS = 10
_HEAD_ROWS = 20
_HEAD_COLUMNS = 40
_COUNTED_ROWS = 50_000


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


def read_sheets(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """`sheets`: of the first 10 the name, `rows` ([number, values]: the first 20, or `most`, and the last), `n_rows`,
    `n_columns`; `n`: of all.

    Rows without values do not count. `counted` is False where there are more rows than are counted.
    """
    check_package(path)
    try:
        most = asked.get("most", _HEAD_ROWS)
        values, n = _heads(path, most, computed=True)
        formulas, _ = _heads(path, most, computed=False)
    except (KeyError, zipfile.BadZipFile, ParseError) as error:
        raise told(error, "workbook") from error
    for name, sheet in values.items():
        # A formula that nothing has computed makes a row that has no values.
        known = formulas[name]
        sheet |= {each: known[each] for each in ("n_rows", "n_columns", "counted")}
        sheet["rows"] = [[number, _filled(row, known["rows"][number])] for number, row in _heads_of(sheet, known)]
    return {"sheets": [{"name": name, **sheet} for name, sheet in values.items()], "n": n}


def _heads_of(values: dict[str, Any], formulas: dict[str, Any]) -> Iterator[tuple[int, list[Any]]]:
    return ((number, values["rows"].get(number, [])) for number in formulas["rows"])


def _book(stream: BinaryIO, *, computed: bool) -> Any:
    import openpyxl  # noqa: PLC0415 - of an extra

    try:
        return openpyxl.load_workbook(stream, read_only=True, data_only=computed, keep_links=False)
    except OSError as error:
        if error.errno is not None:
            raise
        # A document of another kind under the name of a workbook.
        raise Broken(f"is no workbook ({error})") from error


def _heads(path: Path, most: int, *, computed: bool) -> tuple[dict[str, dict[str, Any]], int]:
    with path.open("rb") as stream:
        book = _book(stream, computed=computed)
        return {sheet.title: _head(sheet, most) for sheet in book.worksheets[:_SHEETS]}, len(book.worksheets)


def _head(sheet: Any, most: int) -> dict[str, Any]:
    sheet.reset_dimensions()
    rows: dict[int, list[Any]] = {}
    last: tuple[int, list[Any]] | None = None
    n_rows = n_columns = 0
    counted = True
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > _COUNTED_ROWS:
            counted = False
            break
        width = max((place for place, value in enumerate(row, 1) if value is not None), default=0)
        if not width:
            continue
        n_rows += 1
        n_columns = max(n_columns, width)
        last = number, list(map(_plain, row[: min(width, _HEAD_COLUMNS)]))
        if n_rows <= most:
            rows[number] = last[1]
    if last:
        rows[last[0]] = last[1]
    return {"rows": rows, "n_rows": n_rows, "n_columns": n_columns, "counted": counted}


def _sheet(path: Path, asked: dict[str, Any], *, computed: bool) -> tuple[dict[int, list[Any]], list[str], str | None]:
    with path.open("rb") as stream:
        book = _book(stream, computed=computed)
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
