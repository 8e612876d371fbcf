"""Published schemas against the files that are really read and written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator

from skilltrial.errors import SpecError
from skilltrial.pipeline import RunRequest, run
from skilltrial.recordings import DEMO_RUNS, DEMO_SEED, demo_recordings, demo_skill
from skilltrial.spec.assertions import KINDS
from skilltrial.spec.schema import PUBLISHED, schema
from skilltrial.spec.suite import examine_suite

WRITTEN = {
    "plan": "iteration-1/plan.json",
    "eval_metadata": "iteration-1/eval-*/eval_metadata.json",
    "run": "iteration-1/eval-*/*/run-*/run.json",
    "timing": "iteration-1/eval-*/*/run-*/timing.json",
    "metrics": "iteration-1/eval-*/*/run-*/outputs/metrics.json",
    "grading": "iteration-1/eval-*/*/run-*/grading.json",
    "benchmark": "iteration-1/benchmark.json",
    "iterations": "benchmark.json",
}

BREAKS: dict[str, Callable[[dict[str, Any]], object]] = {
    "plan": lambda data: data.pop("digest"),
    "eval_metadata": lambda data: data.update(assertions="none"),
    "run": lambda data: data.update(outcome="fine"),
    "timing": lambda data: data.update(total_tokens="many"),
    "metrics": lambda data: data.update(surprise=1),
    "grading": lambda data: data["summary"].update(pass_rate="100 %"),
    "benchmark": lambda data: data["lift"].update(word="great"),
    "iterations": lambda data: data["iterations"][0].pop("lift"),
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a replay of the recorded demo writes."""
    folder = tmp_path_factory.mktemp("demo")
    request = RunRequest(
        skill=demo_skill(),
        env={},
        harness="recorded",
        recordings=demo_recordings(),
        runs=DEMO_RUNS,
        seed=DEMO_SEED,
        workspace=folder,
    )
    anyio.run(run, request)
    return folder


def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name))


def _faults(name: str, data: object) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in _validator(name).iter_errors(data)]


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_schema_is_a_schema(name: str) -> None:
    """All are valid under draft 2020-12 and name themselves."""
    made = schema(name)
    Draft202012Validator.check_schema(made)
    assert made["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert made["$id"] == f"urn:skilltrial:schema:{name}:1"


@pytest.mark.parametrize("name", WRITTEN)
def test_files_of_a_real_workspace_fit(workspace: Path, name: str) -> None:
    """Every file that a run writes fits the schema of its name."""
    files = sorted(workspace.glob(WRITTEN[name]))
    assert files
    for file in files:
        assert _faults(name, json.loads(file.read_text())) == []


def test_every_json_file_of_a_run_has_a_schema(workspace: Path) -> None:
    """A new kind of file needs a new schema."""
    known = {file for pattern in WRITTEN.values() for file in workspace.glob(pattern)}
    written = {file for file in workspace.rglob("*.json") if "skills" not in file.relative_to(workspace).parts}
    assert {str(file.relative_to(workspace)) for file in written - known} == set()


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_file_does_not_fit(workspace: Path, name: str) -> None:
    """A wrong value or an unknown key of ours is a fault."""
    data = json.loads(next(workspace.glob(WRITTEN[name])).read_text())
    BREAKS[name](data)
    assert _faults(name, data) != []


def test_lines_of_a_transcript_are_events(workspace: Path) -> None:
    """Each line fits; one of an unknown kind does not."""
    lines = [line for file in workspace.rglob("transcript.jsonl") for line in file.read_text().splitlines()]
    assert lines
    check = _validator("event")
    assert all(check.is_valid(json.loads(line)) for line in lines)
    assert not check.is_valid({"ordinal": 0, "kind": "dance"})


def test_eval_files_of_the_examples_fit(examples: Path) -> None:
    """What we tell people to write is what the schema says."""
    files = sorted(examples.glob("*/evals/evals.json"))
    assert files
    for file in files:
        assert _faults("evals", json.loads(file.read_text())) == []


NATIVE: dict[str, dict[str, Any]] = {
    "llm_judge": {"rubric": "It greets."},
    "transcript_check": {"check": "tool_invocation_matches", "pattern": "wc"},
    "skill_invoked": {},
    "skill_not_invoked": {},
    "file_exists": {"path": "a.txt"},
    "file_absent": {"path": "a.txt"},
    "file_matches": {"path": "a.txt", "pattern": "x"},
    "answer_matches": {"pattern": "x"},
    "json_matches": {"pointer": "/a"},
    "table_matches": {"path": "a.csv", "rows": {"min": 1}},
    "document_matches": {"path": "a.pdf", "pattern": "x"},
    "image_matches": {"path": "a.png", "not_blank": True},
    "command_check": {"command": "test -s a.txt"},
    "python": {"function": "evals/checks.py:holds"},
    "diff_scope": {"max_files_touched": 3},
    "limit": {"tokens": 1000},
    "similar": {"golden": "x"},
    "double_called": {"double": "kubectl"},
}
"""The least that each kind of assertion needs."""


def test_every_kind_of_assertion_is_tried() -> None:
    """A new kind needs a line above."""
    assert set(NATIVE) == set(KINDS)


@pytest.mark.parametrize("kind", NATIVE)
def test_reader_and_schema_agree_on_assertions(kind: str, write_case: Callable[..., Path]) -> None:
    """What the reader takes fits, and each operand that it needs is needed by the schema too."""
    whole = {"type": kind, **NATIVE[kind]}
    for gone in (None, *NATIVE[kind]):
        written = {key: value for key, value in whole.items() if key != gone}
        path = write_case(assertions=[written])
        (path.parent / "checks.py").write_text("def holds(trial):\n    return True\n")
        reads = examine_suite(path, None).suite is not None
        assert reads or gone is not None
        assert reads == (_faults("evals", json.loads(path.read_text())) == [])


@pytest.mark.parametrize(
    "keys",
    [{"prompt": ""}, {"prompt": 5}, {"runs": 0}, {"id": 1.5}, {"skill_should_trigger": "no"}, {"assertions": [7]}],
    ids=str,
)
def test_what_the_reader_refuses_does_not_fit(keys: dict[str, Any], write_case: Callable[..., Path]) -> None:
    """An editor that knows the schema shows the fault before the reader does."""
    path = write_case(**keys)
    assert examine_suite(path, None).suite is None
    assert _faults("evals", json.loads(path.read_text())) != []


@pytest.mark.parametrize(
    ("files", "fits"),
    [
        ([{"path": "in.txt", "content": "x"}, {"path": "at/skill.md", "source": "SKILL.md"}, "SKILL.md"], True),
        ({"in.txt": "x"}, True),
        ([{"content": "x"}], False),
        ([{"path": "in.txt"}], False),
        ([7], False),
    ],
    ids=str,
)
def test_reader_and_schema_agree_on_files(files: object, fits: bool, write_case: Callable[..., Path]) -> None:
    """Paths, and objects that say where a file goes and what it holds or where it is from."""
    path = write_case(files=files, assertions=["A"])
    assert (examine_suite(path, None).suite is not None) == fits
    assert (_faults("evals", json.loads(path.read_text())) == []) == fits


def test_authors_may_write_keys_of_their_own(write_case: Callable[..., Path]) -> None:
    """Unknown keys are kept by the reader, so the schema lets them be."""
    path = write_case(mine={"a": 1}, assertions=[{"id": "x", "text": "It greets.", "weight": 3}, "It ends."])
    assert _faults("evals", json.loads(path.read_text())) == []


def test_trigger_sets_say_yes_or_no(write_evals: Callable[[object], Path]) -> None:
    """What the reader takes fits; a query without a label is a fault."""
    queries = [{"query": "merge two PDFs", "should_trigger": True, "why": "typical"}]
    assert examine_suite(write_evals(queries), None).triggers is not None
    assert _faults("triggers", queries) == []
    assert _faults("triggers", [{"query": "merge two PDFs"}]) != []


def test_fields_are_described() -> None:
    """The texts below the fields of records are in the schema, inherited ones too."""
    assert schema("benchmark")["$defs"]["Lift"]["properties"]["why"]["description"].startswith("One sentence")
    assert "ISO 8601" in schema("event")["$defs"]["ToolCall"]["properties"]["at"]["description"]


def test_an_unknown_name_lists_the_known_ones() -> None:
    """The message says what there is."""
    with pytest.raises(SpecError, match=r"'gradings'.*grading"):
        schema("gradings")
