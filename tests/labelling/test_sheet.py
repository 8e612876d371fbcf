"""Questions as a file, handed to a colleague and taken back."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.journal import read_journal
from skilltrial.labelling.sheet import take_back, write_sheet


def rows_of(file: Path) -> list[dict[str, str]]:
    """Of a CSV sheet."""
    with file.open(encoding="utf-8-sig", newline="") as text:
        return list(csv.DictReader(text))


def fill(file: Path, verdicts: list[str], note: str = "") -> None:
    """Put answers into the first rows, as a spreadsheet would save them."""
    rows = rows_of(file)
    for row, verdict in zip(rows, verdicts, strict=False):
        row |= {"verdict": verdict, "note": note}
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, rows[0], delimiter=";")
        writer.writeheader()
        writer.writerows(rows)


def test_a_sheet_is_blind_and_no_cell_of_it_is_a_formula(desk, tmp_path) -> None:
    """The final message begins with `=1+1`."""
    sheet = tmp_path / "sheet.csv"
    assert write_sheet(desk(n=8), sheet) == 8
    assert "_skill" not in sheet.read_text(encoding="utf-8-sig")
    for row in rows_of(sheet):
        assert row["verdict"] == ""
        assert row["final message"].startswith("'=1+1")
        assert row["statement"].startswith("Holds ")


def test_answers_come_back_whoever_had_the_sheet(desk, tmp_path, now) -> None:
    """Saved with semicolons; two of eight are answered, by a colleague, and count as drawn."""
    sheet = tmp_path / "sheet.csv"
    found = desk(n=8)
    write_sheet(found, sheet)
    fill(sheet, ["p", "Fail"], note="hm")
    back = take_back(desk(by="Bea"), sheet, now=now)
    assert back == (2, 0, 6)
    said = read_journal(found.store).verdicts
    assert [(each.by, each.verdict, each.note, each.drawn_for) for each in said] == [
        ("Bea", "PASS", "hm", "sha256:j"),
        ("Bea", "FAIL", "hm", "sha256:j"),
    ]
    assert [(each.key, each.assertion) for each in said] == [
        (each.item.key, each.item.result.id) for each in found.questions[:2]
    ]


def test_the_same_sheet_twice_adds_nothing(desk, tmp_path, now) -> None:
    """Nobody knows whether it was taken back before."""
    sheet = tmp_path / "sheet.csv"
    write_sheet(desk(n=4), sheet)
    fill(sheet, ["u"])
    assert take_back(desk(), sheet, now=now) == (1, 0, 3)
    assert take_back(desk(), sheet, now=now) == (0, 1, 3)


def test_json_lines_do_as_well(desk, tmp_path, now) -> None:
    """Texts are whole there."""
    sheet = tmp_path / "sheet.jsonl"
    write_sheet(desk(n=4), sheet)
    rows = [json.loads(line) for line in sheet.read_text().splitlines()]
    rows[1]["verdict"] = "PASS"
    sheet.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert take_back(desk(), sheet, now=now) == (1, 0, 3)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", "id,verdict\nID,maybe\n", "a.csv:2: 'maybe' is no verdict"),
        ("a.csv", "id,verdict\nID,p\nffffffffffff,p\n", "a.csv:3: no judged assertion here has the id 'ffffffffffff'"),
        ("a.csv", "name,verdict\nx,p\n", "a.csv:1: there is no column 'id'"),
        ("a.jsonl", '{"id": "ID", "verdict": "p"}\n{"id": \n', "a.jsonl:2: this line is no JSON"),
        ("a.jsonl", "[1]\n", "a.jsonl:1: this line is no JSON object"),
        ("a.txt", "", "a sheet is a .csv or a .jsonl file"),
        ("none.csv", None, "none.csv: cannot be read"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_nothing_is_kept(desk, tmp_path, now, name, text, told) -> None:
    """Not even the rows before it."""
    found = desk(n=4)
    if text is not None:
        (tmp_path / name).write_text(text.replace("ID", found.questions[0].id))
    with pytest.raises(SpecError) as error:
        take_back(found, tmp_path / name, now=now)
    assert told in str(error.value)
    assert read_journal(found.store).verdicts == ()
