"""`table_matches`: columns, rows, a cell and a sum of a table."""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import cast

from anyio import to_thread

from skilltrial.grade.checks.candidates import bytes_of, called, over_candidates
from skilltrial.grade.decision import CheckResult, Undecided, decided, failed, passed
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import LeftFile, Material
from skilltrial.grade.patterns import search
from skilltrial.grade.reading import Broken, read_document
from skilltrial.records.document_checks import ColumnSum, RowCount, TableCell, TableMatches
from skilltrial.records.json_value import Json

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_LETTERS = 26
_MAX_COLUMNS = 100_000


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    """As in the file, from 1."""
    values: Sequence[Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    place: str
    read: Callable[[], Iterable[_Row]]
    """All rows with something in them, the header first, anew each time: a million rows as objects fill the memory."""
    header: Sequence[str]
    n_rows: int
    """Below the header; -1 where there is not even that."""

    def body(self) -> Iterable[_Row]:
        return islice(self.read(), 1, None)

    def column(self, name: str) -> int:
        """Its place. Raises `LookupError` where the header has no such name."""
        if name.strip() not in self.header:
            raise LookupError(f"there is no column {excerpt(name, 60)!r} among {_names(self.header)}")
        return self.header.index(name.strip())


async def check_table(assertion: TableMatches, material: Material) -> CheckResult:
    """A file that matches the glob is a table with all that the assertion asks for.

    Raises `Undecided` where the verdict hangs on a formula that nothing has computed, or on a file that cannot be read.
    """

    async def look(file: LeftFile) -> CheckResult:
        table = await _table(assertion, file, material)
        return table if isinstance(table, CheckResult) else await to_thread.run_sync(_verdict, assertion, table)

    return await over_candidates(look, material, glob=assertion.path, kept_too=assertion.any)


async def _table(assertion: TableMatches, file: LeftFile, material: Material) -> _Table | CheckResult:
    match PurePosixPath(file.path).suffix.lower():
        case ".csv" | ".tsv" | ".txt" as suffix:
            delimiter = assertion.delimiter or ("\t" if suffix == ".tsv" else ",")
            return await to_thread.run_sync(partial(_separated, file, material, delimiter=delimiter))
        case ".xlsx" | ".xlsm":
            return await _sheet(assertion, file, material)
        case _:
            raise Undecided(f"{called(file)} is no table that is read; there are .csv, .tsv, .xlsx, .xlsm.")


def _separated(file: LeftFile, material: Material, *, delimiter: str) -> _Table:
    text = material.text(file)

    def rows() -> Iterator[_Row]:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for number, line in enumerate(lines, 1):
            if len(line) > _MAX_COLUMNS:
                raise Undecided(
                    f"{called(file)} has a row of {len(line):,} cells, more than the {_MAX_COLUMNS:,} that are read."
                )
            if any(value.strip() for value in line):
                yield _Row(number, line)

    try:
        return _table_of(called(file), rows)
    except csv.Error as error:
        if "field limit" in str(error):
            raise Undecided(
                f"{called(file)} has a cell of more than the {csv.field_size_limit():,} characters that are read."
            ) from error
        raise Broken(f"{called(file)} is no table ({error}).") from error


def _table_of(place: str, read: Callable[[], Iterable[_Row]]) -> _Table:
    rows = iter(read())
    first = next(rows, None)
    header = [] if first is None else [_text(value).strip() for value in first.values]
    n_rows = -1 if first is None else sum(1 for _ in rows)
    return _Table(place=place, read=read, header=header, n_rows=n_rows)


async def _sheet(assertion: TableMatches, file: LeftFile, material: Material) -> _Table | CheckResult:
    data = await bytes_of(file, material)
    found = await read_document("workbook", data, place=called(file), asked={"sheet": assertion.sheet})
    book = cast("Mapping[str, Json]", found)
    if book["sheet"] is None:
        return failed(
            f"{called(file)} has no sheet {assertion.sheet!r}, but {_names(cast('list[str]', book['sheets']))}"
        )
    rows = [
        _Row(cast("int", number), cast("list[Json]", values))
        for number, values in cast("list[list[Json]]", book["rows"])
    ]
    return _table_of(f"{called(file)}, sheet {excerpt(str(book['sheet']), 40)!r}", lambda: rows)


def _verdict(assertion: TableMatches, table: _Table) -> CheckResult:
    """What fails decides, whatever else cannot be told."""
    if table.n_rows < 0:
        return failed(f"{table.place} is empty")
    said: list[str] = []
    gap: Undecided | None = None
    for ask in (_columns, _rows, _cell, _sum):
        try:
            for result in ask(assertion, table):
                if result.verdict == "FAIL":
                    return failed(f"{table.place}: {result.evidence}")
                said.append(result.evidence)
        except LookupError as error:
            return failed(f"{table.place}: {error.args[0]}")
        except Undecided as error:
            gap = gap or error
    if gap is not None:
        raise gap
    return passed(f"{table.place}: {'; '.join(said)}")


def _columns(assertion: TableMatches, table: _Table) -> Iterator[CheckResult]:
    if assertion.columns is None:
        return
    places = [table.column(name) for name in assertion.columns]
    if assertion.in_order and places != sorted(places):
        yield failed(f"the columns are in another order: {_names(table.header)}")
    else:
        yield passed(f"columns {_names(table.header)}")


def _rows(assertion: TableMatches, table: _Table) -> Iterator[CheckResult]:
    if assertion.rows is not None:
        yield _counted(assertion.rows, table.n_rows)


def _counted(asked: RowCount, n_rows: int) -> CheckResult:
    holds = (
        asked.equals in {None, n_rows}
        and (asked.min is None or n_rows >= asked.min)
        and (asked.max is None or n_rows <= asked.max)
    )
    wanted = ", ".join(f"{name} {value}" for name, value in asked.model_dump(exclude_none=True).items())
    return decided(holds, f"{n_rows} rows below the header" + ("" if holds else f", not {wanted}"))


def _cell(assertion: TableMatches, table: _Table) -> Iterator[CheckResult]:
    if assertion.cell is None:
        return
    place, value = _found_cell(assertion.cell, table)
    if isinstance(value, dict):
        raise Undecided(_not_computed(table, place, cast("Mapping[str, Json]", value)))
    yield _cell_fits(assertion.cell, place, value)


def _found_cell(asked: TableCell, table: _Table) -> tuple[str, Json]:
    """How the cell is called, and what is in it. Raises `LookupError`."""
    if asked.at is not None:
        address = _ADDRESS.fullmatch(asked.at.upper())
        if address is None:
            raise Undecided(f"{asked.at!r} is no cell; write it like 'B2'.")
        row = next((row for row in table.read() if row.number == int(address[2])), None)
        return asked.at, _value(row, _column_number(address[1]))
    n_row, name = asked.row or 1, asked.column or ""
    column = table.column(name)
    if n_row > table.n_rows:
        raise LookupError(f"there is no row {n_row} below the header, but {table.n_rows}")
    row = next(islice(table.body(), n_row - 1, None), None)
    return f"row {n_row}, column {name!r}", _value(row, column)


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * _LETTERS + ord(letter) - ord("A") + 1
    return number - 1


def _value(row: _Row | None, column: int) -> Json:
    return row.values[column] if row is not None and column < len(row.values) else None


def _cell_fits(asked: TableCell, place: str, value: Json) -> CheckResult:
    is_text = f"{place} is {_shown(value)}"
    if asked.equals is not None and not _is(value, asked.equals, tolerance=asked.tolerance):
        within = f" (± {asked.tolerance:g})" if asked.tolerance else ""
        return failed(f"{is_text}, not {_shown(asked.equals)}{within}")
    if asked.matches is not None and search(asked.matches, _text(value)) is None:
        return failed(f"{is_text}, which does not match {excerpt(asked.matches)!r}")
    if asked.equals is None and asked.matches is None and not _text(value).strip():
        return failed(f"{place} is empty")
    return passed(is_text)


def _is(value: Json, wanted: Json, *, tolerance: float) -> bool:
    if isinstance(wanted, bool):
        return value is wanted or (isinstance(value, str) and value.strip().lower() == str(wanted).lower())
    if isinstance(wanted, int | float):
        number = _number(value)
        return number is not None and _near(number, wanted, tolerance=tolerance)
    return _text(value) == wanted


def _sum(assertion: TableMatches, table: _Table) -> Iterator[CheckResult]:
    if assertion.sum is not None:
        yield _summed(assertion.sum, table)


def _summed(asked: ColumnSum, table: _Table) -> CheckResult:
    column = table.column(asked.column)
    numbers = array("d")
    gap = ""
    for row in table.body():
        value = _value(row, column)
        if isinstance(value, dict):
            gap = gap or _not_computed(
                table, f"row {row.number}, column {asked.column!r}", cast("Mapping[str, Json]", value)
            )
        elif _text(value).strip():
            number = _number(value)
            if number is None:
                return failed(f"row {row.number}, column {asked.column!r} is no number: {_shown(value)}")
            numbers.append(number)
    if gap:
        raise Undecided(gap)
    total = math.fsum(numbers)
    holds = _near(total, asked.equals, tolerance=asked.tolerance)
    what = f"the sum of {asked.column!r} over {len(numbers)} cells is {total:.12g}"
    return decided(holds, what if holds else f"{what}, not {asked.equals:.12g}")


def _near(number: float, wanted: float, *, tolerance: float) -> bool:
    """Within the tolerance; what differs only as binary fractions do is equal."""
    return math.isclose(number, wanted, rel_tol=1e-9, abs_tol=tolerance * (1 + 1e-9))


def _number(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value := value.strip()) else None
    try:
        return float(value)
    except OverflowError:
        return None


def _text(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:  # beyond it floats skip whole numbers
        return str(int(value))
    return str(value)


def _shown(value: Json) -> str:
    return "empty" if value is None else excerpt(repr(value), 80)


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(excerpt(repr(name), 40) for name in names[:12])
    return f"{shown}, …" if len(names) > 12 else shown or "none"  # noqa: PLR2004 - as many as a line holds


def _not_computed(table: _Table, place: str, value: Mapping[str, Json]) -> str:
    formula = excerpt(str(value.get("formula")), 60)
    return (
        f"{table.place}: {place} holds the formula {formula!r}, whose value is not in the file: "
        "the program that wrote it computes nothing."
    )
