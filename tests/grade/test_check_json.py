"""`json_matches`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from skilltrial.grade import schema_keywords
from skilltrial.grade.checks.json_document import check_json
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.grade.patterns import search
from skilltrial.records.suite import JsonMatches

Make = Callable[..., Material]
SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string", "pattern": "^A"}, "n": {"$ref": "#/$defs/n"}},
    "$defs": {"n": {"minimum": 1}},
}


def _run(made: Material, **fields: Any) -> CheckResult:
    return check_json(JsonMatches(id="j", text="j", **fields), made)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (b'{"name": "Ada", "n": 2}', "PASS"),
        (b'{"name": "Bob"}', "FAIL"),
        (b'{"name": "Ada", "n": 0}', "FAIL"),
        (b"{}", "FAIL"),
        (b'\xef\xbb\xbf{"name": "A"}', "PASS"),
        (b"{name: 1}", "FAIL"),
        (b'{"name": NaN}', "FAIL"),
        (b"", "FAIL"),
    ],
)
def test_a_file_fits_the_schema(material: Make, document: bytes, expected: str) -> None:
    """Draft 2020-12, with references inside it; what is no JSON does not fit."""
    assert _run(material({"a.json": document}), path="a.json", schema=SCHEMA).verdict == expected


def test_the_first_misfit_is_named_with_its_place(material: Make) -> None:
    """JSON path and reason."""
    result = _run(material({"a.json": b'{"name": 1}'}), path="a.json", schema=SCHEMA)
    assert result.evidence == "'a.json': $.name: 1 is not of type 'string'"


@pytest.mark.parametrize(
    ("pointer", "equals", "expected"),
    [
        ("/total/amount", 42, "PASS"),
        ("/total/amount", 42.0, "PASS"),
        ("/total/amount", "42", "FAIL"),
        ("/list/1", True, "PASS"),
        ("/list/1", 1, "FAIL"),
        ("/list/01", None, "FAIL"),
        ("/list/-", None, "FAIL"),
        ("/list/9", None, "FAIL"),
        ("/a~1b/~0", "x", "PASS"),
        ("/none", None, "FAIL"),
        ("/missing", None, "FAIL"),
        ("/total", None, "PASS"),
        ("/total", {"amount": 42}, "PASS"),
        ("/total/amount/deeper", None, "FAIL"),
        ("/list", [0, True], "PASS"),
        ("/list", [0, 1], "FAIL"),
    ],
)
def test_a_pointer_leads_to_a_value(material: Make, pointer: str, equals: Any, expected: str) -> None:
    """RFC 6901; booleans are no numbers, null is no value."""
    made = material({"a.json": b'{"total": {"amount": 42}, "list": [0, true], "a/b": {"~": "x"}, "none": null}'})
    assert _run(made, path="a.json", pointer=pointer, equals=equals).verdict == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ('{"n": 1}', "PASS"),
        ('Here it is:\n```json\n{"n": 1}\n```\nDone.', "PASS"),
        ('```\r\n{"n": 1}\r\n```', "PASS"),
        ('Here it is: {"n": 1}', "FAIL"),
        ('```json\n{"n": 1}\n```\n```json\n{"n": 1}\n```', "FAIL"),
        ('```json\n{"n": 1}', "FAIL"),
        ("```python\nprint()\n```", "FAIL"),
        (None, "FAIL"),
    ],
)
def test_the_final_message_is_json_as_a_whole_or_in_one_block(material: Make, message: Any, expected: str) -> None:
    """Anything looser would be guessing."""
    assert _run(material(final_message=message), pointer="/n", equals=1).verdict == expected


@pytest.mark.parametrize(
    ("fields", "document", "reason"),
    [
        ({"schema": {"type": "nonsense"}}, b"{}", "no JSON Schema"),
        ({"schema": {"$ref": "https://example.com/s.json"}}, b"{}", "nothing is fetched"),
        ({"schema": {"pattern": "(a"}}, b'"a"', "no JSON Schema"),
        ({"pointer": "n"}, b"{}", "must be empty or begin with '/'"),
        ({}, b"[" * 100_000, "nested too deeply"),
        ({}, b"9" * 5000, "too long to read"),
        ({"path": "*.json"}, b"{}", "2 files match"),
        ({}, b"[" + b"[]," * 400_000 + b"1]", "up to 400,001 arrays and objects"),
    ],
)
def test_what_cannot_be_decided_says_why(material: Make, fields: Any, document: bytes, reason: str) -> None:
    """Broken schemas and monstrous documents are no verdicts."""
    made = material({"a.json": document, "b.json": b"{}"})
    with pytest.raises(Undecided, match=reason):
        _run(made, **{"path": "a.json", **fields})


def test_endless_open_fences_are_read_in_one_pass(material: Make) -> None:
    """A hostile message of a hundred thousand fences does not hang the check."""
    assert _run(material(final_message="```x\n" * 100_001 + "{}")).verdict == "FAIL"


SLOW = "(?:a|aa)+$"


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {SLOW: {"type": "number"}}},
        {"patternProperties": {SLOW: True}, "additionalProperties": False},
        {"propertyNames": {"pattern": SLOW}},
    ],
)
def test_a_catastrophic_pattern_in_a_schema_ends_as_undecided(
    material: Make, schema: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever keys the agent chose for it."""
    monkeypatch.setattr(schema_keywords, "search", partial(search, timeout_s=0.2))
    made = material({"a.json": f'{{"{"a" * 60}b": 1}}'.encode()})
    with pytest.raises(Undecided, match="took longer"):
        _run(made, path="a.json", schema=schema)


@pytest.mark.parametrize(
    ("schema", "document", "expected"),
    [
        ({"patternProperties": {"^n": {"type": "number"}}}, {"n1": 1, "x": "a"}, "PASS"),
        ({"patternProperties": {"^n": {"type": "number"}}}, {"n1": "1"}, "FAIL"),
        (
            {"properties": {"a": True}, "patternProperties": {"^n": True}, "additionalProperties": False},
            {"a": 1, "n": 2},
            "PASS",
        ),
        ({"properties": {"a": True}, "additionalProperties": False}, {"b": 1}, "FAIL"),
        ({"additionalProperties": {"type": "number"}}, {"b": "1"}, "FAIL"),
        ({"additionalProperties": {"type": "number"}}, {"b": 1}, "PASS"),
        ({"uniqueItems": True}, [1, 2, True, "1", [1], {"a": 1}], "PASS"),
        ({"uniqueItems": True}, [1, 1.0], "FAIL"),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1}], "FAIL"),
        ({"uniqueItems": False}, [1, 1], "PASS"),
        ({"uniqueItems": True}, "no list", "PASS"),
    ],
)
def test_the_keywords_of_our_own_mean_what_the_standard_says(
    material: Make, schema: Any, document: Any, expected: str
) -> None:
    """By hand from JSON Schema 2020-12."""
    made = material({"a.json": json.dumps(document).encode()})
    assert _run(made, path="a.json", schema=schema).verdict == expected


def test_uniqueness_of_many_items_takes_no_square_of_time(material: Make) -> None:
    """Two hundred thousand objects, which cannot be sorted."""
    document = json.dumps([{"n": n} for n in range(200_000)]).encode()
    assert _run(material({"a.json": document}), path="a.json", schema={"uniqueItems": True}).verdict == "PASS"


def test_a_document_that_was_handed_in_counts_only_where_any_does(material: Make) -> None:
    """It would hold before any work; the one that the agent made stands beside it without being mixed up with it."""
    made = material({"out/a.json": b'{"n": 2}'}, kept={"in/a.json": '{"n": 1}'})
    assert _run(made, path="in/a.json", pointer="/n", equals=1) == CheckResult(
        "FAIL", "'in/a.json' was there from the start, and the agent did not change it"
    )
    assert _run(made, path="in/a.json", pointer="/n", equals=1, any=True).verdict == "PASS"
    assert _run(made, path="**/a.json", pointer="/n", equals=2).verdict == "PASS"
    with pytest.raises(Undecided, match="2 files match"):
        _run(made, path="**/a.json", pointer="/n", equals=2, any=True)
