"""Files and folders of every format, as values with places."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.errors import SpecError
from skilltrial.records.json_value import Json
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node
from skilltrial.spec.source import read_source


def _read(folder: Path, name: str, text: str | bytes, findings: Findings | None = None) -> Node:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_source(path, findings or Findings())


def _codes(findings: Findings) -> list[str]:
    return [repair.code for repair in findings.repairs]


def _at(node: Node, *path: str | int) -> Node:
    for step in path:
        node = node.children[step]
    return node


# YAML


def test_yaml_values_know_their_lines_and_paths(tmp_path: Path) -> None:
    """Lines count from 1, of keys and of values; a folded text is at its mark."""
    root = _read(
        tmp_path, "x.yaml", "# a\ntasks:\n  - name: one\n    prompt: >-\n      do\n      it\n  - {name: two}\n"
    )
    prompt = _at(root, "tasks", 0, "prompt")
    assert (prompt.value, prompt.line, prompt.place) == ("do it", 4, "tasks[0].prompt")
    assert (_at(root, "tasks", 1, "name").line, root.key_lines["tasks"]) == (7, 2)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("3", 3),
        ("-0.5", -0.5),
        ("1e3", 1000.0),
        ("yes", "yes"),
        ("off", "off"),
        ("010", "010"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2024-01-31", "2024-01-31"),
        (".inf", ".inf"),
        ("1e999", "1e999"),
        ("'3'", "3"),
        ("!!str 3", "3"),
        ("!!int '3'", 3),
        ("!!binary aGk=", "aGk="),
        ("!!python/object/apply:os.system ['x']", ["x"]),
    ],
)
def test_yaml_words_mean_what_they_mean_in_yaml_1_2(tmp_path: Path, written: str, value: Json) -> None:
    """Only true, false, null and numbers are no texts."""
    found = _read(tmp_path, "x.yaml", f"a: {written}\n").children["a"].value
    assert (found, type(found)) == (value, type(value))


def test_yaml_words_that_other_readers_take_otherwise_are_reported(tmp_path: Path) -> None:
    """YAML 1.1 has booleans and octal numbers there; quoted ones are plain."""
    findings = Findings()
    _read(tmp_path, "x.yaml", "a: on\nb: 'on'\nc: 012\n", findings)
    assert [(repair.code, repair.line, repair.path) for repair in findings.repairs] == [
        ("yaml-word", 1, "a"),
        ("yaml-word", 3, "c"),
    ]


def test_yaml_keys_become_texts(tmp_path: Path) -> None:
    """As they are written, with a repair; `on` is a text anyway."""
    findings = Findings()
    assert _read(tmp_path, "x.yaml", "1: a\ntrue: b\non: c\n", findings).value == {"1": "a", "true": "b", "on": "c"}
    assert _codes(findings) == ["key-made-text", "key-made-text"]


def test_yaml_aliases_and_merge_keys_are_followed(tmp_path: Path) -> None:
    """Keys of the mapping itself win, and the place is that of the use."""
    text = "base: &b {x: 1, y: [2]}\nuse:\n  <<: *b\n  x: 3\nlist: [*b, *b]\n"
    root = _read(tmp_path, "x.yaml", text)
    assert root.value["use"] == {"x": 3, "y": [2]}
    assert root.value["list"] == [{"x": 1, "y": [2]}] * 2
    assert _at(root, "list", 1, "y", 0).place == "list[1].y[0]"
    assert _at(root, "use", "y").line == 1


def test_a_quoted_merge_key_is_a_key(tmp_path: Path) -> None:
    """Only the plain word merges."""
    assert _read(tmp_path, "x.yaml", "'<<': {a: 1}\n").value == {"<<": {"a": 1}}


def test_several_yaml_documents_are_a_list(tmp_path: Path) -> None:
    """Empty ones do not count, and the places start with the number."""
    root = _read(tmp_path, "x.yaml", "---\na: 1\n---\n---\nb: [2]\n...\n")
    assert root.value == [{"a": 1}, {"b": [2]}]
    assert (_at(root, 1, "b", 0).place, _at(root, 1, "b", 0).line) == ("[1].b[0]", 5)
    assert _read(tmp_path, "y.yaml", "---\na: 1\n---\n").value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file is empty."),
        ("# only this\n", 1, "the file is empty."),
        ("a: 1\nb: 2\na: 3\n", 3, "a is written twice, in lines 1 and 3. Keep one of them."),
        ("a:\n  - x: b: c\n", 2, "is not YAML: mapping values are not allowed here. Put a text with ': '"),
        ("a: 1\n\tb: 2\n", 2, "is not YAML: found character '\\t' that cannot start any token."),
        ("a: [1,\n", 2, "is not YAML"),
        ("a: [What is it?]\n", 1, "Between brackets and braces, put a text with ?, : or , into double quotes."),
        ("a: &x\n  b: *x\n", 2, "a.b is an alias of what it stands in: '*x'."),
        ("a: *x\n", 1, "a is an alias of nothing: '*x'."),
        ("? [1, 2]\n: a\n", 1, "has a key that is no text."),
        ("a:\n  <<: 3\n", 2, "a merges by '<<' what is no mapping: 3."),
        ('a: "\\ud800"\n', 1, "a has half of a surrogate pair"),
        ("a: \x07\n", 1, "has a character that YAML does not allow: '\\x07'. Remove it."),
        ("- " * 200 + "a\n", 1, "is nested more than 100 levels deep."),
        ("[" * 200_000, 1, "is nested more than 100 levels deep."),
        ("%YAML 9.9\n---\na: 1\n", 1, "is not YAML"),
    ],
)
def test_broken_yaml_is_told_with_line_place_and_fix(tmp_path: Path, text: str, line: int, message: str) -> None:
    """Each slip has its message."""
    with pytest.raises(SpecError) as caught:
        _read(tmp_path, "x.yaml", text)
    assert message in str(caught.value)
    assert caught.value.where == f"{tmp_path}/x.yaml:{line}"


def test_aliases_cannot_grow_without_bound(tmp_path: Path) -> None:
    """Nine lists of nine are more values than are read."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    with pytest.raises(SpecError, match="has more than 300,000 values"):
        _read(tmp_path, "x.yaml", "\n".join(lines))


def test_merged_mappings_cannot_be_nested_without_bound(tmp_path: Path) -> None:
    """Depth is counted with the aliases followed."""
    lines = ["a0: &a0 {x: 1}", *(f"a{n}: &a{n} {{x: *a{n - 1}}}" for n in range(1, 150))]
    with pytest.raises(SpecError, match="nested more than 100 levels"):
        _read(tmp_path, "x.yaml", "\n".join(lines))


def test_yaml_that_holds_json_is_json(tmp_path: Path) -> None:
    """With the JSON reader's values; flow mappings of YAML still work."""
    assert _read(tmp_path, "x.yaml", '{"a": "\\ud83d\\ude00"}').value == {"a": "\U0001f600"}
    assert _read(tmp_path, "y.yaml", "{a: b}").value == {"a": "b"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc <*&"), inner),
    max_leaves=10,
)


@settings(deadline=None, max_examples=50)
@given(value=JSON)
def test_yaml_agrees_with_json_where_both_read(value: Json, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Behind a comment, JSON is read by the YAML reader, to the same values."""
    text = "# yaml\n" + json.dumps({"a": value}, ensure_ascii=False)
    assert _read(tmp_path_factory.getbasetemp(), "agree.yaml", text).value == {"a": value}


YAML = (
    "base: &b {x: 1}\ntasks:\n- name: 'a'\n  <<: *b\n  prompt: |\n    do: it\n    \"now\"\n- [1, {c: ~}]\n---\nb: é\n"
)
LINES = '{"id": 1, "q": "a\\"b"}\n\n{"id": [1, {"x": null}]}\n'
ROWS = 'id,query,should\n1,"a ""b"", c",true\n2,"two\nlines",\n'


@settings(deadline=None, max_examples=150)
@given(
    data=st.tuples(st.sampled_from([("yaml", YAML), ("jsonl", LINES), ("csv", ROWS)]), st.integers(0, 200)),
    junk=st.binary(max_size=3),
)
def test_any_prefix_is_values_or_one_error(
    data: tuple[tuple[str, str], int], junk: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Nothing but SpecError is raised, whatever follows the cut."""
    (suffix, text), cut = data
    with contextlib.suppress(SpecError):
        _read(tmp_path_factory.getbasetemp(), f"cut.{suffix}", text.encode()[:cut] + junk)


@settings(deadline=None, max_examples=150)
@given(
    text=st.text("ab:-*&<![]{},'\"|>?%#@~ \n\t\\ud01", max_size=40), suffix=st.sampled_from(["yaml", "csv", "jsonl"])
)
def test_any_text_is_values_or_one_error(text: str, suffix: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The marks of the formats, in any order."""
    with contextlib.suppress(SpecError):
        _read(tmp_path_factory.getbasetemp(), f"any.{suffix}", text)


# JSONL


def test_jsonl_is_a_list_with_the_lines_of_the_file(tmp_path: Path) -> None:
    """Blank lines are skipped, also with other line ends."""
    root = _read(tmp_path, "x.jsonl", '{"a": 1}\r\n\r\n{"a": {"b": 2}}')
    assert root.value == [{"a": 1}, {"a": {"b": 2}}]
    leaf = _at(root, 1, "a", "b")
    assert (leaf.line, leaf.place) == (3, "[1].a.b")


def test_every_broken_line_is_an_error(tmp_path: Path) -> None:
    """The others are read."""
    findings = Findings()
    root = _read(tmp_path, "x.jsonl", '{"a": 1}\n{"a": \n{"a": 2}\nhello\n', findings)
    assert root.value == [{"a": 1}, {"a": 2}]
    assert [(error.line, error.code) for error in findings.errors] == [(2, "cut-file"), (4, "bad-json")]


def test_a_json_file_of_lines_is_jsonl(tmp_path: Path) -> None:
    """What the text is counts more than the ending."""
    assert _read(tmp_path, "x.json", '{"a": 1}\n{"a": 2}\n').value == [{"a": 1}, {"a": 2}]
    assert _read(tmp_path, "x.jsonl", '[\n{"a": 1},\n{"a": 2}\n]').value == [{"a": 1}, {"a": 2}]
    assert _read(tmp_path, "y.jsonl", '{"a": 1}').value == [{"a": 1}]


def test_a_json_object_over_several_lines_stays_an_object_in_jsonl(tmp_path: Path) -> None:
    """It is one JSON document under another ending."""
    assert _read(tmp_path, "x.jsonl", '{\n"cases": []\n}').value == {"cases": []}


def test_broken_json_is_told_as_json(tmp_path: Path) -> None:
    """A JSON file does not become JSONL by a slip."""
    with pytest.raises(SpecError, match=r"evals\[0\] has a comma before"):
        _read(tmp_path, "x.json", '{"evals": [\n{"id": 1,}\n{"id": 2}]}')


# CSV


def test_csv_rows_are_objects_of_texts(tmp_path: Path) -> None:
    """Quotes, commas and line breaks are the csv module's; an empty cell is null; lines are where the row starts."""
    root = _read(tmp_path, "x.csv", b'\xef\xbb\xbfid,query,should\r\n1,"a ""b"",\nc",true\r\n\r\n2, d ,\r\n')
    assert root.value == [
        {"id": "1", "query": 'a "b",\nc', "should": "true"},
        {"id": "2", "query": "d ", "should": None},
    ]
    assert [(node.line, node.place) for node in root.elements()] == [(2, "[0]"), (5, "[1]")]
    assert (_at(root, 1, "query").place, root.children[1].child("should")) == ("[1].query", None)


def test_the_delimiter_is_that_of_the_header(tmp_path: Path) -> None:
    """Semicolons and tabs, as spreadsheets write them."""
    assert _read(tmp_path, "x.csv", "a;b\n1,5;2\n").value == [{"a": "1,5", "b": "2"}]
    assert _read(tmp_path, "x.tsv", "a\tb\n1\t2\n").value == [{"a": "1", "b": "2"}]


def test_rows_of_another_length_are_told(tmp_path: Path) -> None:
    """Too many cells are an error, too few a repair."""
    findings = Findings()
    assert _read(tmp_path, "x.csv", "a,b\n1,2,3\n4\n", findings).value == [{"a": "4"}]
    assert [(error.code, error.line) for error in findings.errors] == [("row-long", 2)]
    assert [(repair.code, repair.line) for repair in findings.repairs] == [("row-short", 3)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file is empty."),
        ("a,a\n", 1, "the header has 'a' twice, in columns 1 and 2."),
        ("a,,b\n", 1, "the column 2 has no name."),
        ('a\n"x\n', 2, "the row is not CSV"),
        ('a\n"x"y\n', 2, "the row is not CSV"),
    ],
)
def test_broken_csv_is_told_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    """Each slip has its message."""
    with pytest.raises(SpecError) as caught:
        _read(tmp_path, "x.csv", text)
    assert message in str(caught.value)
    assert caught.value.where == f"{tmp_path}/x.csv:{line}"


# Folders


def test_a_folder_is_the_list_of_its_cases_in_natural_order(tmp_path: Path) -> None:
    """A folder with a case.yaml is one case with all that is in it; other files with a prompt are one each."""
    for name, text in {
        "10/case.yaml": "prompt: ten\n",
        "10/data.json": '{"prompt": "not this"}',
        "2/case.yaml": "prompt: two\n",
        "one.json": '{"prompt": "one"}',
        "fixtures/x.json": '{"prompt": "not this"}',
        "grading.json": '{"prompt": "not this"}',
        "notes.md": "no",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    root = read_source(tmp_path, Findings())
    assert [node.value["prompt"] for node in root.elements()] == ["one", "two", "ten"]
    assert (_at(root, 1, "prompt").file, _at(root, 1, "prompt").place) == (str(tmp_path / "2/case.yaml"), "prompt")


def test_files_of_a_folder_that_are_no_cases_are_told(tmp_path: Path) -> None:
    """A broken one is an error, one without a prompt a repair."""
    (tmp_path / "a.json").write_text('{"prompt": "one"}')
    (tmp_path / "b.json").write_text('{"prompt": ')
    (tmp_path / "c.yaml").write_text("x: 1")
    findings = Findings()
    assert len(read_source(tmp_path, findings).children) == 1
    assert [error.file for error in findings.errors] == [str(tmp_path / "b.json")]
    assert [(repair.code, repair.file) for repair in findings.repairs] == [("not-a-case", str(tmp_path / "c.yaml"))]


def test_links_that_leave_the_folder_are_left_out(tmp_path: Path) -> None:
    """Nothing outside is read."""
    inside = tmp_path / "evals"
    inside.mkdir()
    (tmp_path / "secret.json").write_text('{"prompt": "secret"}')
    (inside / "a.json").write_text('{"prompt": "one"}')
    (inside / "b.json").symlink_to(tmp_path / "secret.json")
    (inside / "c").mkdir()
    (inside / "c/case.json").symlink_to(tmp_path / "secret.json")
    findings = Findings()
    assert read_source(inside, findings).value == [{"prompt": "one"}]
    assert _codes(findings) == ["link-outside", "link-outside"]


def test_a_folder_without_cases_is_an_error(tmp_path: Path) -> None:
    """With what to give instead."""
    with pytest.raises(SpecError, match="the folder holds no case files"):
        read_source(tmp_path, Findings())


# All formats


def test_files_of_other_kinds_are_refused(tmp_path: Path) -> None:
    """By the ending, unless the text is JSON."""
    assert _read(tmp_path, "x.txt", '{"a": 1}').value == {"a": 1}
    with pytest.raises(SpecError, match=r"files that end in '\.md' are not read"):
        _read(tmp_path, "x.md", "# Evals\n")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """As for JSON."""
    with pytest.raises(SpecError, match="there is no such file"):
        read_source(tmp_path / "no.yaml", Findings())
