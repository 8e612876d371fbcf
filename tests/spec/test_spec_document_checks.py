"""Assertions on documents, and those of functions, in eval files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skilltrial.records.document_checks import ImageMatches, PythonCheck, TableMatches
from skilltrial.records.suite import Assertion
from skilltrial.spec.convert.conversion import convert
from skilltrial.spec.lint.evals import advise
from skilltrial.spec.lint.rule import EvalsUnderLint
from skilltrial.spec.schema import schema
from skilltrial.spec.suite import SuiteReading, examine_suite

CODE = "LIMIT = 3\n\n\ndef short(trial):\n    return len(trial['final_message']) < LIMIT\n"
GOOD: list[tuple[dict[str, Any], str]] = [
    (
        {
            "type": "table_matches",
            "path": "out.csv",
            "columns": ["Name", "Total"],
            "in_order": True,
            "rows": {"min": 2},
        },
        "The table out.csv has the columns Name, Total in this order and at least 2 rows",
    ),
    (
        {
            "type": "table_matches",
            "path": "*.xlsx",
            "sheet": "Sums",
            "cell": {"at": "B2", "equals": 1.5, "tolerance": 0.1},
        },
        "The table *.xlsx (Sums) has 1.5 ± 0.1 in B2",
    ),
    (
        {"type": "table_matches", "path": "out.csv", "sum": {"column": "Total", "equals": 357}},
        "The table out.csv has the sum 357 in Total",
    ),
    (
        {"type": "document_matches", "path": "*.pdf", "pattern": "(?i)total", "max_pages": 2},
        "The text of *.pdf matches /(?i)total/, and it has at most 2 pages",
    ),
    (
        {"type": "document_matches", "path": "a.docx", "pattern": "x", "negate": True},
        "The text of a.docx does not match /x/",
    ),
    (
        {"type": "image_matches", "path": "a.png", "format": "PNG", "size": {"min_width": 9}, "not_blank": True},
        "a.png is a PNG image: min width 9, not blank",
    ),
    ({"type": "image_matches", "path": "a.*", "golden_file": "evals/golden.png"}, "a.* is an image: like golden.png"),
    ({"type": "json_matches", "jsonpath": "$.a[*]", "equals": 1}, "The final message has 1 at $.a[*]"),
    ({"type": "python", "function": "evals/checks.py:short"}, "evals/checks.py:short says that it holds"),
]


def _reading(tmp_path: Path, *assertions: Any) -> SuiteReading:
    evals = tmp_path / "evals"
    evals.mkdir()
    (evals / "golden.png").write_bytes(b"png")
    (evals / "checks.py").write_text(CODE)
    (evals / "broken.py").write_text("def (")
    place = evals / "evals.json"
    cases = [{"id": "a", "prompt": "P", "assertions": list(assertions)}]
    place.write_text(json.dumps({"skill_name": "pdf", "evals": cases}))
    return examine_suite(place, None)


def _read(tmp_path: Path, written: Any) -> Assertion:
    read = _reading(tmp_path, written)
    assert read.suite is not None, read.errors
    assert read.repairs == ()
    return read.suite.cases[0].assertions[0]


@pytest.mark.parametrize(("written", "text"), GOOD)
def test_each_is_read_and_said_in_words(tmp_path: Path, written: dict[str, Any], text: str) -> None:
    """As authors write them."""
    assertion = _read(tmp_path, written)
    assert (assertion.type, assertion.text, assertion.written) == (written["type"], text, written)


def test_files_of_checks_are_read_with_the_suite(tmp_path: Path) -> None:
    """The code itself goes into the plan, so that the same function decides again; the image with its digest."""
    read = _reading(tmp_path, GOOD[-1][0], GOOD[6][0])
    assert read.suite is not None
    code, image = read.suite.cases[0].assertions
    assert isinstance(code, PythonCheck)
    assert code.code == CODE
    assert isinstance(image, ImageMatches)
    assert image.golden_file is not None
    assert Path(image.golden_file.source or "").read_bytes() == b"png"


@pytest.mark.parametrize(
    ("written", "place", "said"),
    [
        ({"type": "table_matches", "path": "a.csv"}, "", "has none of 'columns', 'rows', 'cell', 'sum'"),
        ({"type": "table_matches", "path": "a.md", "rows": {"min": 1}}, ".path", "names no file that is read"),
        ({"type": "table_matches", "path": "../a.csv", "rows": {"min": 1}}, ".path", "points outside"),
        ({"type": "table_matches", "path": "a.csv", "rows": {}}, ".rows", "has none of 'equals', 'min', 'max'"),
        ({"type": "table_matches", "path": "a.csv", "rows": {"min": 3, "max": 2}}, ".rows.max", "must not be less"),
        ({"type": "table_matches", "path": "a.csv", "rows": {"least": 3}}, ".rows.least", "is not known here"),
        ({"type": "table_matches", "path": "a.csv", "columns": []}, ".columns", "cannot be used"),
        ({"type": "table_matches", "path": "a.csv", "columns": "Name"}, ".columns", "cannot be used"),
        ({"type": "table_matches", "path": "a.csv", "sheet": "x", "rows": {"min": 1}}, ".sheet", "is of a workbook"),
        ({"type": "table_matches", "path": "a.csv", "cell": {"row": 1}}, ".cell", "must have 'at', or else"),
        ({"type": "table_matches", "path": "a.csv", "cell": {"at": "2B"}}, ".cell.at", "is no cell: '2B'"),
        (
            {"type": "table_matches", "path": "a.csv", "cell": {"at": "B2", "matches": "("}},
            ".cell.matches",
            "missing )",
        ),
        ({"type": "table_matches", "path": "a.csv", "sum": {"column": "x"}}, ".sum", "has no 'equals'"),
        ({"type": "document_matches", "path": "a.pdf"}, "", "has no 'pattern'"),
        ({"type": "document_matches", "path": "a.txt", "pattern": "x"}, ".path", "names no file that is read"),
        ({"type": "document_matches", "path": "a.docx", "max_pages": 2}, ".max_pages", "has none to count"),
        ({"type": "image_matches", "path": "a.png"}, "", "has none of 'format', 'size'"),
        ({"type": "image_matches", "path": "a.svg", "not_blank": True}, ".path", "names no file that is read"),
        ({"type": "image_matches", "path": "a.png", "golden_file": "x.png"}, ".golden_file", "which is not there"),
        (
            {"type": "image_matches", "path": "a.png", "not_blank": True, "max_distance": 3},
            ".max_distance",
            "there is none",
        ),
        ({"type": "json_matches", "jsonpath": "$.["}, ".jsonpath", "is no JSONPath"),
        ({"type": "json_matches", "jsonpath": "a.b"}, ".jsonpath", "is no JSONPath"),
        ({"type": "json_matches", "jsonpath": "$.a", "pointer": "/a"}, ".jsonpath", "stands beside 'pointer'"),
        ({"type": "python", "function": "checks.py"}, ".function", "names no function"),
        ({"type": "python", "function": "../checks.py:short"}, ".function", "points outside"),
        ({"type": "python", "function": "none.py:short"}, ".function", "which is not there"),
        ({"type": "python", "function": "broken.py:short"}, ".function", "names a file that is no Python"),
        (
            {"type": "python", "function": "checks.py:long"},
            ".function",
            "names a function that is not in 'checks.py': 'long'",
        ),
        ({"type": "python", "function": "checks.py:short", "timeout_s": 0}, ".timeout_s", "must be more than 0"),
    ],
)
def test_what_could_never_be_decided_is_an_error(tmp_path: Path, written: Any, place: str, said: str) -> None:
    """With its place."""
    (error,) = _reading(tmp_path, written).errors
    assert error.place == f"evals[0].assertions[0]{place}"
    assert said in error.message


def test_python_of_another_tool_is_carried(tmp_path: Path) -> None:
    """The same word means inline code elsewhere."""
    read = _reading(tmp_path, {"type": "python", "value": "len(output) < 3"})
    assert read.suite is not None
    assert read.suite.cases[0].assertions[0].type == "foreign"


def test_the_code_cannot_be_written_into_the_eval_file(tmp_path: Path) -> None:
    """It comes from the file that is named."""
    assertion = _read(tmp_path, {**GOOD[-1][0], "code": "def short(trial): return True"})
    assert isinstance(assertion, PythonCheck)
    assert assertion.code == CODE


def test_they_are_written_back_as_written(tmp_path: Path) -> None:
    """By `convert`, into the native form."""
    read = _reading(tmp_path, *(written for written, _ in GOOD))
    assert read.suite is not None
    back: Any = convert(read.suite, to="agentskills").value
    assert back["evals"][0]["assertions"] == [written for written, _ in GOOD]


def test_the_schema_knows_them() -> None:
    """What is written is valid; the code is no key, and every reference is there."""
    from jsonschema import Draft202012Validator

    evals = schema("evals")
    validator = Draft202012Validator(evals)
    case = {"id": "a", "prompt": "P", "assertions": [written for written, _ in GOOD]}
    assert list(validator.iter_errors({"skill_name": "pdf", "evals": [case]})) == []
    wrong = {"type": "table_matches", "path": "a.csv", "rows": {"least": 1}}
    assert list(validator.iter_errors({"evals": [{**case, "assertions": [wrong]}]}))
    assert "code" not in evals["$defs"]["assertion-python"]["properties"]
    assert set(TableMatches.model_fields) - {"written"} == set(evals["$defs"]["assertion-table_matches"]["properties"])


def test_what_cannot_fail_is_told(tmp_path: Path) -> None:
    """A pattern that fits all texts, and a distance that fits all images."""
    read = _reading(
        tmp_path,
        {"type": "document_matches", "path": "a.pdf", "pattern": ".*"},
        {"type": "image_matches", "path": "a.png", "golden_file": "golden.png", "max_distance": 40},
    )
    found = advise(EvalsUnderLint(suite=read.suite, triggers=None, skill=None))
    assert [each.code for each in found if each.code == "never-fails"] == ["never-fails", "never-fails"]
