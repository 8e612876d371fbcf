"""`table_matches`: workbooks and text files made by the libraries that make them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date
from typing import Any

import anyio
import openpyxl
import pytest

from skilltrial.grade.checks.table import check_table
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.records.document_checks import TableMatches
from skilltrial.records.trial import OutputFile

Make = Callable[..., Material]
CSV = b"Name,Total,Paid\nInk,0.1,true\n\nPaper,0.2,false\nPens,,no\n"


def _run(made: Material, path: str = "out.csv", **fields: Any) -> CheckResult:
    assertion = TableMatches.model_validate({"id": "t", "text": "t", "path": path, **fields})
    return anyio.run(lambda: check_table(assertion, made))


def _workbook(*rows: list[Any], title: str = "Totals") -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = title
    for row in rows:
        sheet.append(row)
    book.create_sheet("Notes").append(["Note"])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("fields", "verdict", "evidence"),
    [
        ({"columns": ["Total", "Name"]}, "PASS", "columns 'Name', 'Total', 'Paid'"),
        ({"columns": ["Total", "Name"], "in_order": True}, "FAIL", "another order"),
        ({"columns": ["total"]}, "FAIL", "no column 'total' among 'Name', 'Total', 'Paid'"),
        ({"rows": {"equals": 3}}, "PASS", "3 rows below the header"),
        ({"rows": {"min": 4}}, "FAIL", "3 rows below the header, not min 4"),
        ({"rows": {"max": 3}}, "PASS", "3 rows"),
        ({"cell": {"at": "B4", "equals": 0.2}}, "PASS", "B4 is '0.2'"),
        ({"cell": {"row": 2, "column": "Name", "equals": "Paper"}}, "PASS", "'Paper'"),
        ({"cell": {"row": 9, "column": "Name"}}, "FAIL", "no row 9 below the header, but 3"),
        ({"cell": {"at": "B5"}}, "FAIL", "B5 is empty"),
        ({"cell": {"at": "ZZ999"}}, "FAIL", "ZZ999 is empty"),
        ({"cell": {"at": "C2", "equals": True}}, "PASS", "'true'"),
        ({"cell": {"at": "B2", "equals": 0.3, "tolerance": 0.2}}, "PASS", "'0.1'"),
        ({"cell": {"at": "B2", "equals": 0.3, "tolerance": 0.1}}, "FAIL", "'0.1', not 0.3 (± 0.1)"),
        ({"cell": {"at": "A2", "equals": 1}}, "FAIL", "'Ink', not 1"),
        ({"cell": {"at": "A2", "matches": "^I.k$"}}, "PASS", "'Ink'"),
        ({"cell": {"at": "A2", "matches": "pen"}}, "FAIL", "does not match"),
        ({"sum": {"column": "Total", "equals": 0.3}}, "PASS", "over 2 cells is 0.3"),
        ({"sum": {"column": "Total", "equals": 0.31}}, "FAIL", "is 0.3, not 0.31"),
        ({"sum": {"column": "Paid", "equals": 0}}, "FAIL", "column 'Paid' is no number: 'true'"),
    ],
)
def test_each_aspect_of_a_text_table(material: Make, fields: Any, verdict: str, evidence: str) -> None:
    """Empty lines and empty cells count for nothing; 0.1 + 0.2 is 0.3."""
    result = _run(material({"out.csv": CSV}), **fields)
    assert result.verdict == verdict
    assert evidence in result.evidence


def test_other_delimiters(material: Make) -> None:
    """A tab in .tsv, and what the author names."""
    made = material({"a.tsv": b"x\ty\n1\t2\n", "b.csv": b"x;y\n1;2\n"})
    assert _run(made, "a.tsv", cell={"at": "B2", "equals": 2}).verdict == "PASS"
    assert _run(made, "b.csv", cell={"at": "B2", "equals": 2}).verdict == "FAIL"
    assert _run(made, "b.csv", delimiter=";", cell={"at": "B2", "equals": 2}).verdict == "PASS"


def test_values_of_a_workbook(material: Make) -> None:
    """Numbers, dates and truth values as they are; the first sheet where none is named."""
    made = material({"out.xlsx": _workbook(["Name", "Total", "Day", "Paid"], ["Ink", 3, date(2026, 1, 2), True])})
    assert _run(made, "*.xlsx", cell={"at": "b2", "equals": 3.0}).verdict == "PASS"
    assert _run(made, "*.xlsx", cell={"at": "C2", "equals": "2026-01-02"}).verdict == "PASS"
    assert _run(made, "*.xlsx", cell={"at": "D2", "equals": True}, rows={"equals": 1}).verdict == "PASS"
    assert _run(made, "*.xlsx", sheet="Notes", columns=["Note"]).verdict == "PASS"


def test_a_sheet_that_is_not_there(material: Make) -> None:
    """The evidence says which are."""
    result = _run(material({"out.xlsx": _workbook(["A"])}), "out.xlsx", sheet="Sums", rows={"min": 1})
    assert result == CheckResult("FAIL", "the file 'out.xlsx' has no sheet 'Sums', but 'Totals', 'Notes'")


def test_a_formula_without_its_value_cannot_be_decided(material: Make) -> None:
    """Libraries write formulas and compute nothing; other cells can be told all the same."""
    made = material({"out.xlsx": _workbook(["Name", "Total"], ["Ink", 3], ["Sum", "=SUM(B2:B2)"])})
    with pytest.raises(Undecided, match=r"B3 holds the formula '=SUM\(B2:B2\)', whose value is not in the file"):
        _run(made, "out.xlsx", cell={"at": "B3", "equals": 3})
    with pytest.raises(Undecided, match="formula"):
        _run(made, "out.xlsx", sum={"column": "Total", "equals": 6})
    assert _run(made, "out.xlsx", cell={"at": "B2", "equals": 3}).verdict == "PASS"
    assert _run(made, "out.xlsx", cell={"at": "B3", "equals": 3}, rows={"equals": 9}).verdict == "FAIL"


def test_a_formula_with_its_value_is_that(material: Make) -> None:
    """As office programs write them."""
    data = _workbook(["Total"], ["=1+2"])
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(packed, "w") as target:
        for part in source.namelist():
            text = source.read(part)
            target.writestr(part, text.replace(b"<v></v>", b"<v>3</v>").replace(b"<v />", b"<v>3</v>"))
    made = material({"out.xlsx": packed.getvalue()})
    assert _run(made, "out.xlsx", cell={"at": "A2", "equals": 3}).verdict == "PASS"


@pytest.mark.parametrize(
    ("data", "verdict", "said"),
    [
        (b"", "FAIL", "is empty"),
        (b"no workbook at all", "FAIL", "is no document of its kind"),
        (_workbook(["A"])[:900], "FAIL", "is no document of its kind"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600, "UNGRADED", "is encrypted, or of an older format"),
    ],
)
def test_workbooks_that_cannot_be_opened(material: Make, data: bytes, verdict: str, said: str) -> None:
    """What nothing can open is no workbook; what is locked cannot be judged."""
    made = material({"out.xlsx": data})
    try:
        result = _run(made, "out.xlsx", rows={"min": 0})
    except Undecided as gap:
        result = CheckResult("UNGRADED", str(gap))
    assert result.verdict == verdict
    assert said in result.evidence


def test_empty_and_broken_text_tables_fail(material: Make) -> None:
    """Nothing in it, or a quote that never ends."""
    made = material({"empty.csv": b"\n \n", "open.csv": b'a,"b\n'})
    assert _run(made, "empty.csv", rows={"min": 0}).evidence == "the file 'empty.csv' is empty"
    assert _run(made, "open.csv", rows={"min": 0}).evidence.startswith("the file 'open.csv' is no table")


def test_one_of_several_files_is_enough(material: Make) -> None:
    """A file that cannot be told leaves the question open only where no other one holds."""
    encrypted = bytes.fromhex("d0cf11e0a1b11ae1")
    made = material({"a.xlsx": encrypted, "b.csv": b"x\n1\n"})
    assert _run(made, "*", columns=["x"]).verdict == "PASS"
    with pytest.raises(Undecided, match="encrypted"):
        _run(made, "*", columns=["y"])


def test_what_the_agent_left_as_it_was_counts_only_where_asked(material: Make) -> None:
    """The task's own table is no work of the agent's."""
    made = material(kept={"in.csv": "x\n1\n"})
    assert _run(made, "in.csv", columns=["x"]).verdict == "FAIL"
    assert _run(made, "in.csv", columns=["x"], any=True).verdict == "PASS"


def test_no_file(material: Make) -> None:
    """The evidence says what is there instead."""
    result = _run(material({"a.md": b"#"}), "*.csv", rows={"min": 1})
    assert result == CheckResult("FAIL", "no file matches '*.csv'; the trial left 'a.md'")


def test_many_rows_are_counted_and_summed(material: Make) -> None:
    """One after the other, never all at once."""
    made = material({"a.csv": b"a,b\n" + b"1,2\n" * 200_000})
    cell = {"row": 200_000, "column": "b", "equals": 2}
    assert (
        _run(made, "a.csv", rows={"equals": 200_000}, cell=cell, sum={"column": "a", "equals": 2e5}).verdict == "PASS"
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"a" + b"," * 100_000, "a row of 100,001 cells"), (b'a,"' + b"x" * 131_073 + b'"', "a cell of more than")],
)
def test_rows_and_cells_without_measure_cannot_be_decided(material: Make, data: bytes, said: str) -> None:
    """They are a table all the same."""
    with pytest.raises(Undecided, match=said):
        _run(material({"a.csv": data}), "a.csv", rows={"min": 0})


def test_a_table_that_does_not_fit_is_open_where_not_all_are_known(material: Make) -> None:
    """Another one might."""
    marker = OutputFile(path="…", change="created", kept=False, note="too many")
    made = material({"a.csv": b"x\n1\n"}, records=[marker])
    assert _run(made, "*.csv", columns=["x"]).verdict == "PASS"
    with pytest.raises(Undecided, match="are known: too many"):
        _run(made, "*.csv", columns=["y"])
