"""Whatever is in an eval file, examining it ends in a suite, a trigger set or listed errors; and suites can be converted.

`SKILLTRIAL_FUZZ_EXAMPLES` says how many files are made up, by all ten tests together (CI: 5,000, of which
2,500 have keys removed or types changed).
"""

from __future__ import annotations

import copy
import csv
import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.spec.convert.conversion import convert, convert_triggers
from skilltrial.spec.convert.converted import TargetName
from skilltrial.spec.convert.json_text import json_text
from skilltrial.spec.findings import Problem
from skilltrial.spec.suite import SuiteReading, examine_suite

EXAMPLES = int(os.environ.get("SKILLTRIAL_FUZZ_EXAMPLES", "500")) // 10
TARGETS: tuple[TargetName, ...] = ("agentskills", "skill-creator", "skill-builder", "slow-powers")
FUZZ = settings(
    deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
MAX_SAMPLE_BYTES = 12_000

SEEDS: tuple[Any, ...] = (
    {
        "skill_name": "s",
        "evals": [{"id": 1, "prompt": "P", "expected_output": "X", "files": ["a"], "expectations": ["E"]}],
    },
    {"evals": [{"id": "a", "prompt": "P", "files": {"a.txt": "x"}, "assertions": ["E", "F"]}]},
    {
        "skill_name": "s",
        "evals": [
            {
                "id": "a",
                "prompt": "P",
                "expected_output": "X",
                "runs": 2,
                "skill_should_trigger": False,
                "turns": [{"prompt": "Q", "deliver_when": "always"}],
                "assertions": [
                    {"id": "c", "type": "transcript_check", "check": "tool_invocation_matches", "pattern": "a"},
                    {"id": "j", "type": "llm_judge", "rubric": "R", "model": "m"},
                    {"id": "k", "type": "command_check", "command": "true", "setup_files": ["a"]},
                ],
            }
        ],
    },
    {"skill_name": "s", "evals": [{"id": 1, "prompt": "P", "assertions": ["E", {"type": "file_exists", "path": "a"}]}]},
    {"cases": [{"id": "a", "prompt": "P", "must_include": ["x"], "checks": [{"type": "contains", "value": "x"}]}]},
    {
        "tasks": [
            {"name": "t", "instruction": "I", "graders": [{"type": "deterministic", "run": "true", "weight": 0.5}]}
        ]
    },
    {"test_cases": [{"input": "I", "expected": "O", "criteria": [{"criterion": "C", "weight": 1}]}]},
    {"scenarios": [{"name": "s", "query": "Q", "expected_behavior": ["B"]}]},
    {"skills": ["s"], "query": "Q", "files": [], "expected_behavior": ["B", "C"]},
    {"id": "t", "inputs": {"prompt": "P"}, "graders": [{"type": "regex", "config": {"must_match": ["a"]}}]},
    [{"query": "Q", "should_trigger": True}, {"query": "R", "should_trigger": False}],
    {"should_trigger": ["Q"], "should_not_trigger": ["R"]},
)
HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 10**400, 10**30, 0.5, -0.0, 1e308, float("inf"), float("nan")),
    *("", " ", "\0", "\x1b[2J", "\u202e", "\ufeff", "\ud800", "é" * 300, "a" * 5000, "../../x", "/etc/passwd", "C:\\x"),
    *("(", "(a+)+$", "[[", "a{99999}", "yes", "2026-01-01", "llm_judge", "regex", "evals", "'x' in output.lower()"),
    *([], {}, [[]], [None], {"": ""}, {"id": 1}, [{"type": "contains"}], {"type": {}}, {"type": "llm_judge"}),
    [1, "a", None, {"prompt": "P"}],
)
KEYS = (
    *(
        "id",
        "name",
        "prompt",
        "query",
        "files",
        "runs",
        "assertions",
        "expectations",
        "evals",
        "cases",
        "type",
        "skill_name",
    ),
    *("should_trigger", "expected_output", "graders", "config", "text", "weight", "pattern", "files_root", "$schema"),
)


def _deep(levels: int) -> object:
    value: object = "x"
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


VALUES = st.sampled_from(HOSTILE).map(copy.deepcopy) | st.sampled_from([30, 99, 102]).map(_deep)


def _containers(value: Any) -> list[Any]:
    """All lists and objects in a value, itself first."""
    found: list[Any] = []
    waiting: list[Any] = [value]
    while waiting and len(found) < 400:
        one = waiting.pop(0)
        if isinstance(one, dict | list):
            found.append(one)
            waiting += _elements(cast("dict[str, Any] | list[Any]", one))
    return found


def _elements(container: dict[str, Any] | list[Any]) -> list[Any]:
    return [*container.values()] if isinstance(container, dict) else container


def _mutate(draw: st.DrawFn, root: list[Any]) -> None:
    """One change somewhere: a key or element goes, changes its value, is added or copied."""
    container: Any = draw(st.sampled_from(_containers(root)[1:] or [root]))
    keys: list[Any] = [*container] if isinstance(container, dict) else [*range(len(container))]
    what = draw(st.sampled_from(["remove", "set", "add", "copy"]))
    if what == "add" or not keys:
        value = draw(VALUES)
        if isinstance(container, dict):
            container[draw(st.sampled_from(KEYS))] = value
        else:
            container.append(value)
        return
    key = draw(st.sampled_from(keys))
    if what == "remove":
        del container[key]
    elif what == "set":
        container[key] = draw(VALUES)
    else:
        container[key] = copy.deepcopy(draw(st.sampled_from(_containers(root)[1:] or [None])))


@st.composite
def documents(draw: st.DrawFn, seeds: tuple[Any, ...]) -> object:
    """A likely file with one to five things changed."""
    root = [copy.deepcopy(draw(st.sampled_from(seeds)))]
    for _ in range(draw(st.integers(1, 5))):
        _mutate(draw, root)
    return root[0]


def _as_json(value: Any) -> str:
    return json.dumps(value)


def _as_yaml(value: Any) -> str:
    text = io.StringIO()
    yaml.safe_dump(value, text, sort_keys=False)  # pyright: ignore[reportUnknownMemberType] - the library's
    return text.getvalue()


def _rows(value: Any) -> list[Any]:
    """The first list in a value, which has its cases."""
    for one in _containers(value):
        if isinstance(one, list):
            return cast("list[Any]", one)
    return [value]


def _as_jsonl(value: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in _rows(value))


def _as_csv(value: Any) -> str:
    rows = [cast("dict[str, Any]", row) for row in _rows(value) if isinstance(row, dict)]
    names = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(names)
    for row in rows:
        cells = (row.get(name, "") for name in names)
        writer.writerow([cell if isinstance(cell, str) else json.dumps(cell) for cell in cells])
    return text.getvalue()


FORMATS: Mapping[str, Callable[[Any], str]] = {
    "json": _as_json,
    "yaml": _as_yaml,
    "jsonl": _as_jsonl,
    "csv": _as_csv,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where files are written again and again; `a` and `a.txt` are there."""
    folder = tmp_path_factory.mktemp("fuzz") / "evals"
    folder.mkdir()
    (folder / "a").write_text("a")
    (folder / "a.txt").write_text("a")
    return folder


def _examine(path: Path, data: bytes) -> SuiteReading:
    """What examining gives, after looking whether it is usable."""
    path.write_bytes(data)
    reading = examine_suite(path, None)
    assert (reading.suite is None and reading.triggers is None) == bool(reading.errors)
    for error in reading.errors:
        assert isinstance(error, Problem)
        assert error.code
        assert error.message
        assert error.file == str(path)
    return reading


def _write_all(reading: SuiteReading) -> None:
    """Everything that was read can be written, in every form."""
    if reading.suite is not None:
        reading.suite.model_dump_json()
        for to in TARGETS:
            json_text(convert(reading.suite, to=to).value).encode()
    triggers = reading.triggers
    if triggers is not None:
        triggers.model_dump_json()
        if all(query.expects is None for query in triggers.queries) or triggers.skill_name is not None:
            json_text(convert_triggers(triggers, to="agentskills").value).encode()


@pytest.mark.parametrize("suffix", FORMATS)
@FUZZ
@given(data=st.data())
def test_likely_files_with_unlikely_values(folder: Path, suffix: str, data: st.DataObject) -> None:
    """Removed keys, other types, hostile values, in every format."""
    text = FORMATS[suffix](data.draw(documents(SEEDS)))
    _write_all(_examine(folder / f"evals.{suffix}", text.encode("utf-8", "surrogatepass")))


@pytest.mark.parametrize("suffix", FORMATS)
@FUZZ
@given(data=st.binary(max_size=60) | st.text("{}[]\":,-&*#!|>%@`' \n\t0a\\é", max_size=60).map(str.encode))
def test_files_of_noise(folder: Path, suffix: str, data: bytes) -> None:
    """Bytes that are no file of the format, or nearly one."""
    _write_all(_examine(folder / f"noise.{suffix}", data))


def _samples(shared: Path) -> list[Path]:
    entries = map(json.loads, (shared / "corpus/index.jsonl").read_text(encoding="utf-8").splitlines())
    paths = [shared / "corpus" / entry["file"] for entry in entries if entry["kind"] == "evals"]
    return [path for path in paths if path.stat().st_size <= MAX_SAMPLE_BYTES]


@pytest.mark.shared
@FUZZ
@given(data=st.data())
def test_real_files_cut_anywhere(folder: Path, shared: Path, data: st.DataObject) -> None:
    """A prefix is read or refused."""
    path = data.draw(st.sampled_from(_samples(shared)))
    whole = path.read_bytes()
    _examine(folder / f"cut{path.suffix}", whole[: data.draw(st.integers(0, len(whole)))])


@pytest.mark.shared
@FUZZ
@given(data=st.data())
def test_real_files_with_unlikely_values(folder: Path, shared: Path, data: st.DataObject) -> None:
    """The same changes to what people wrote."""
    path = data.draw(st.sampled_from([one for one in _samples(shared) if one.suffix == ".json"]))
    try:
        seed = json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError:
        return
    _write_all(_examine(folder / "real.json", _as_json(data.draw(documents((seed,)))).encode()))
