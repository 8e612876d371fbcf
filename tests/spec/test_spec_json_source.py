"""JSON with places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.errors import SpecError
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import MAX_BYTES, JsonScanner, Node
from skilltrial.spec.source import read_source
from skilltrial.spec.text_file import read_text

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FINITE | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


def _read(folder: Path, data: bytes) -> Node:
    path = folder / "x.json"
    path.write_bytes(data)
    return JsonScanner(read_text(path, Findings(), max_bytes=MAX_BYTES), str(path)).document()


@settings(deadline=None)
@given(value=JSON, indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_values_are_those_of_the_standard_reader(
    value: object, indent: int | None, ascii_only: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever json writes is read back equal."""
    data = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    assert _read(tmp_path_factory.getbasetemp(), data).value == value


@settings(deadline=None)
@given(data=st.binary(max_size=60) | st.text(alphabet="{}[],:\"\\ \n012eE.+-ntrfu'/").map(str.encode))
def test_any_bytes_are_a_value_or_one_error(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It accepts nothing that json refuses, and raises nothing but SpecError."""
    try:
        node = _read(tmp_path_factory.getbasetemp(), data)
    except SpecError:
        return
    assert node.value == json.loads(data.decode("utf-8-sig"))


def test_every_value_knows_its_line_and_path(tmp_path: Path) -> None:
    """Lines count from 1; odd keys stand in brackets."""
    root = _read(tmp_path, b'{\n "evals": [\n  {"a b":\r\n   [1,\n    2]}]}')
    first = root.children["evals"].children[0]
    leaf = first.children["a b"].children[1]
    assert (leaf.value, leaf.line, leaf.place) == (2, 5, "evals[0]['a b'][1]")
    assert (first.line, first.children["a b"].line) == (3, 4)


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", 1, "the file is empty. Write an object with a list `evals`."),
        (b" \n\n", 1, "the file is empty."),
        (b'{"evals": [{"id": 1},\n{"id": 2, "prompt": "Do', 2, "ends in the middle of evals[1].prompt (line 2)."),
        (b'{"evals": [{"id": 1,\n', 1, "ends in the middle of evals[0] (line 1)."),
        (b'{"evals": [{"id":', 1, "ends in the middle of evals[0].id (line 1)."),
        (b'{"evals"', 1, "ends in the middle of its only value (line 1)."),
        (b'{"a": 1,\n "b": 2,\n "a": 3}', 3, "a is written twice, in lines 1 and 3. Keep one of them."),
        (b'{"a": [1, NaN]}', 1, "a[1] has 'NaN' where a value should be. Write null, or leave the key out."),
        (b'{"a": -Infinity}', 1, "a has '-Infinity' where a value should be. Write null"),
        (b'{"a": 1e999}', 1, "a has a number out of range: '1e999'."),
        (b'{"a": True}', 1, "a has 'True' where a value should be. Write it in lower case."),
        (b'{"a": 1,}', 1, "has a comma before '}'. Remove the comma."),
        (b'{"a": [1,\n2,\n]}', 2, "a has a comma before ']'. Remove the comma."),
        (b'{"a": 1\n "b": 2}', 2, "has '\"' where ',' or '}' should be."),
        (b'{"a" 1}', 1, "a has '1' where ':' should be."),
        (b"{a: 1}", 1, "has 'a' where a key should be. Keys stand in double quotes."),
        (b"{\"a\": 'x'}", 1, "a has \"'x'\" where a value should be. JSON texts stand in double quotes."),
        (b'{"a": // no\n 1}', 1, "a has '//' where a value should be. JSON has no comments: remove it."),
        (b'{"a": "x\ny"}', 1, "a has a text with a raw line break or control character."),
        (b'{"a": "\\d"}', 1, "a has a bad escape near '\"\\\\d\"'. A backslash is written \\\\."),
        (b'{"a": "\\ud800"}', 1, "a has half of a surrogate pair"),
        (b'{"a": 01}', 1, "a has '01' where a value should be."),
        (b"{} {}", 1, "goes on after its end: '{'. Remove the rest."),
        (b"[" * 5000, 1, "is nested more than 100 levels deep."),
        (b"\xff\xfe{\x00}\x00", 1, "the file is UTF-16 text. Save it as UTF-8."),
        (b'{"a": "\xe9"}', 1, "the file is not UTF-8 text: byte b'\\xe9' at offset 7."),
    ],
)
def test_broken_json_is_told_with_line_place_and_fix(tmp_path: Path, data: bytes, line: int, message: str) -> None:
    """Each slip has its message."""
    with pytest.raises(SpecError) as caught:
        _read(tmp_path, data)
    assert caught.value.where == f"{tmp_path}/x.json:{line}"
    assert message in str(caught.value)


def test_a_byte_order_mark_is_a_repair(tmp_path: Path) -> None:
    """The value is read."""
    path = tmp_path / "x.json"
    path.write_bytes(b"\xef\xbb\xbf{}")
    findings = Findings()
    assert read_source(path, findings).value == {}
    assert [repair.code for repair in findings.repairs] == ["byte-order-mark"]


def test_files_that_are_too_large_are_refused_unread(tmp_path: Path) -> None:
    """A sparse file of 17 MiB is over the limit."""
    path = tmp_path / "x.json"
    with path.open("wb") as stream:
        stream.truncate(17 * 1024 * 1024)
    with pytest.raises(SpecError, match="17825792 bytes, more than the 16777216"):
        read_source(path, Findings())
