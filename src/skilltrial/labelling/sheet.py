"""Questions for people as a file: handed out blind, and taken back with their answers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, cast

from skilltrial.errors import SpecError, StoreError
from skilltrial.labelling.desk import Answer, Desk, Question

_COLUMNS: tuple[str, ...] = ("id", "statement", "verdict", "note", "task", "final message", "further", "draw")
_ANSWERS: dict[str, Answer] = {
    "p": "PASS",
    "pass": "PASS",
    "f": "FAIL",
    "fail": "FAIL",
    "u": "UNSURE",
    "unsure": "UNSURE",
}
_FORMULA = frozenset("=+-@\t\r")
_MOST_BYTES = 50_000_000
_CELL = 32_000
"""Spreadsheets cut longer cells without a word."""


class Row(NamedTuple):
    """An answer of a sheet."""

    question: Question
    verdict: Answer
    note: str


class TakenBack(NamedTuple):
    """What came of a sheet."""

    n_kept: int
    n_known: int
    """The same answers had been taken before."""
    n_empty: int


def write_sheet(desk: Desk, file: Path) -> int:
    """Write the open questions as CSV or JSON lines, by the name of the file; returns how many.

    A sheet names no arm, no trial and no verdict. Raises `SpecError` for another kind of file and `StoreError` where it cannot be
    written.
    """
    kind = _kind(file)
    rows = [_row(desk, question) for question in desk.open]
    try:
        # Without the mark at the start some spreadsheets take the file for Latin-1.
        encoding = "utf-8-sig" if kind == "csv" else "utf-8"
        with file.open("w", encoding=encoding, errors="backslashreplace", newline="") as out:
            if kind == "csv":
                writer = csv.DictWriter(out, _COLUMNS)
                writer.writeheader()
                writer.writerows({name: _cell(text) for name, text in row.items()} for row in rows)
            else:
                out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror}).", where=str(file)) from error
    return len(rows)


def take_back(desk: Desk, file: Path, *, now: Callable[[], datetime]) -> TakenBack:
    """Keep the answers of a sheet; rows without a verdict are left open, and the same answers are kept once.

    Nothing is kept of a sheet with a mistake in it. Raises `SpecError` with the line: for an unknown id (the trial, or the
    statement, is no longer what it was), a verdict that is none, and a file that is no sheet.
    """
    known = {question.id: question for question in desk.everything}
    rows: list[Row] = []
    n_empty = 0
    for where, fields in _fields(file):
        verdict = fields.get("verdict", "").strip().casefold()
        if not verdict:
            n_empty += 1
            continue
        if verdict not in _ANSWERS:
            raise SpecError(
                f"{fields['verdict'][:40]!r} is no verdict.",
                where=where,
                hint="Write PASS, FAIL or UNSURE, or leave it empty.",
            )
        question = known.get(fields.get("id", "").strip())
        if question is None:
            raise SpecError(
                f"no judged assertion here has the id {fields.get('id', '')[:40]!r}.",
                where=where,
                hint="The sheet is of another iteration or workspace, or its trial or statement has changed since.",
            )
        drawn = question._replace(drawn_for=fields.get("draw", "").strip())
        rows.append(Row(drawn, _ANSWERS[verdict], fields.get("note", "").strip()))
    fresh = [row for row in rows if not _is_known(desk, row)]
    for row in fresh:
        desk.answer(row.question, row.verdict, note=row.note, at=now())
    return TakenBack(n_kept=len(fresh), n_known=len(rows) - len(fresh), n_empty=n_empty)


def _is_known(desk: Desk, row: Row) -> bool:
    said = desk.last.get(row.question.looked)
    return said is not None and (said.verdict, said.note, said.drawn_for) == (
        row.verdict,
        row.note,
        row.question.drawn_for,
    )


def _row(desk: Desk, question: Question) -> dict[str, str]:
    sections = {section.name: section.text for section in desk.sections(question)}
    further = [f"[{name}]\n{text}" for name, text in sections.items() if name not in ("task", "final message") and text]
    return {
        "id": question.id,
        "statement": question.statement,
        "verdict": "",
        "note": "",
        "task": sections.get("task", ""),
        "final message": sections.get("final message", ""),
        "further": "\n\n".join(further),
        "draw": question.drawn_for,
    }


def _cell(text: str) -> str:
    """No cell may be a formula: what an agent wrote is opened in somebody's spreadsheet."""
    text = f"'{text}" if text[:1] in _FORMULA else text
    return text if len(text) <= _CELL else f"{text[:_CELL]}… [{len(text) - _CELL:,} more; a .jsonl sheet has them]"


def _kind(file: Path) -> str:
    kind = file.suffix.casefold().lstrip(".")
    if kind not in ("csv", "jsonl"):
        raise SpecError("a sheet is a .csv or a .jsonl file.", where=str(file))
    return kind


def _fields(file: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Where each row stands, and its fields as texts."""
    kind = _kind(file)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise SpecError(f"cannot be read ({error.strerror}).", where=str(file)) from error
    if len(data) > _MOST_BYTES:
        raise SpecError(f"is larger than {_MOST_BYTES:,} bytes; no sheet is.", where=str(file))
    text = data.decode("utf-8-sig", errors="replace")
    yield from _csv_fields(text, file) if kind == "csv" else _json_fields(text.split("\n"), file)


def _csv_fields(text: str, file: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    head = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if head.count(";") > head.count(",") else ",")
    missing = [name for name in ("id", "verdict") if name not in (reader.fieldnames or ())]
    if missing:
        raise SpecError(f"there is no column {missing[0]!r}.", where=f"{file}:1", hint="`--export` writes a sheet.")
    try:
        for row in reader:
            yield (
                f"{file}:{reader.line_num}",
                {name: value or "" for name, value in row.items() if isinstance(name, str)},
            )
    except csv.Error as error:
        raise SpecError(f"this is no CSV ({error}).", where=f"{file}:{reader.line_num}") from error


def _json_fields(lines: Iterable[str], file: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            row: object = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SpecError(f"this line is no JSON ({error}).", where=where) from error
        if not isinstance(row, dict):
            raise SpecError("this line is no JSON object.", where=where)
        yield (
            where,
            {str(name): value for name, value in cast("dict[str, object]", row).items() if isinstance(value, str)},
        )
