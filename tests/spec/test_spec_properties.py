"""Whatever is in the files, reading ends in a value or in one SpecError."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skilltrial.errors import SpecError
from skilltrial.records.suite import Suite
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import examine_suite, load_suite
from skilltrial.spec.validate import validate

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))
TYPES = (
    "llm_judge",
    "transcript_check",
    "skill_invoked",
    "file_exists",
    "file_matches",
    "answer_matches",
    "json_matches",
    "command_check",
    "foreign",
    "diff_scope",
)
OPERANDS = (
    *("id", "text", "name", "description", "rubric", "model", "check", "pattern", "must_precede", "negate", "path"),
    *("schema", "pointer", "equals", "command", "expect_exit_code", "expect_stdout", "timeout_s", "setup_files"),
    *("reason", "written"),
)
LIKELY = st.sampled_from(
    ["tool_invocation_matches", "any", "a(", "a", "../x", "/a", ".", True, 1, 0.5, {}, {"type": 1}]
)
ASSERTION = (
    TEXT
    | JSON
    | st.dictionaries(st.sampled_from(OPERANDS), LIKELY | JSON, max_size=5).flatmap(
        lambda fields: st.sampled_from(TYPES).map(lambda kind: {**fields, "type": kind})
    )
)
CASE = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(0, 3) | JSON,
        "prompt": st.just("Read evals/evals.json") | JSON,
        "name": JSON,
        "expected_output": JSON,
        "files": st.lists(st.sampled_from(["SKILL.md", ".", "evals", "evals/evals.json", "x/../..", ".git"]) | JSON)
        | st.dictionaries(TEXT, TEXT | JSON, max_size=3)
        | JSON,
        "runs": st.integers(-1, 2) | JSON,
        "skill_should_trigger": JSON,
        "assertions": st.lists(ASSERTION, max_size=4) | JSON,
        "expectations": st.lists(TEXT, max_size=2) | JSON,
        "turns": JSON,
    },
)
FILE = JSON | st.fixed_dictionaries(
    {"evals": st.lists(CASE | JSON, max_size=3)}, optional={"skill_name": TEXT | JSON, "x": JSON}
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A skill folder that is written again and again."""
    folder = tmp_path_factory.mktemp("skill") / "pdf"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: pdf\ndescription: d\n---\n")
    return folder


@settings(deadline=None)
@given(content=FILE)
def test_any_json_is_a_suite_or_one_error(folder: Path, content: object) -> None:
    """And a suite survives being written and read, with the same digest."""
    path = folder / "evals/evals.json"
    path.write_text(json.dumps(content))
    suite = examine_suite(path, load_skill(folder)).suite
    if suite is None:
        with pytest.raises(SpecError) as caught:
            load_suite(load_skill(folder), path)
        assert caught.value.where.startswith(str(path))
        assert not validate(path).ok
        return
    assert Suite.model_validate_json(suite.model_dump_json()).digest == suite.digest
    assert len({case.id for case in suite.cases}) == len(suite.cases)
    for case in suite.cases:
        assert len({one.id for one in case.assertions}) == len(case.assertions)
        assert not any(file.path.startswith("/") or ".." in file.path.split("/") for file in case.files)


@settings(deadline=None)
@given(
    data=st.binary(max_size=80)
    | st.text(alphabet="-\n\r :#'\"&*![]{}|>?%@`~abc\t").map(lambda text: f"---\n{text}".encode())
)
@example(b"---\na: *a\n---\n")
@example(b"---\n&a [*a]\n---\n")
@example(b"---\n? &a [*a]\n: 1\n---\n")
@example(b"---\na: !!python/object:os.system x\n---\n")
@example(b"---\na: !!int x\nb: !!float y\nc: 0x" + b"f" * 5000 + b"\n---\n")
@example(b"---\n" + b"[" * 3000 + b"\n---\n")
@example(b"---\na: 1\n...\n---\nb: 2\n---\n")
def test_any_bytes_are_a_skill_or_one_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Nothing but SpecError is raised, and a skill can be written as JSON."""
    folder = tmp_path_factory.getbasetemp() / "any-bytes"
    folder.mkdir(exist_ok=True)
    (folder / "SKILL.md").write_bytes(data)
    try:
        skill = load_skill(folder)
    except SpecError:
        return
    assert json.loads(skill.model_dump_json())["name"] == skill.name


def test_a_suite_cut_at_any_byte_is_one_error(tmp_path: Path) -> None:
    """Wherever the file ends, the reader says so."""
    whole = json.dumps({"skill_name": "é", "evals": [{"id": 1, "prompt": "P", "runs": 12}]}, ensure_ascii=False)
    data = whole.encode()
    path = tmp_path / "x.json"
    for end in range(len(data)):
        path.write_bytes(data[:end])
        (error,) = examine_suite(path, None).errors
        assert error.code in {"cut-file", "empty-file", "not-utf8", "bad-json"}, whole[:end]
