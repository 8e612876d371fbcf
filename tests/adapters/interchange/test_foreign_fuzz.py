"""No file can crash the reader: cut off anywhere, with keys taken away, or with other types in it."""

from __future__ import annotations

import copy
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from skilltrial.adapters.interchange.reader import read
from skilltrial.errors import SpecError
from skilltrial.records.foreign import ForeignWorkspace

FILES: dict[str, Any] = {
    "iteration-1/eval-0/eval_metadata.json": {
        "eval_id": 0, "eval_name": "Sum", "prompt": "p", "assertions": ["A", {"id": "b", "text": "B", "type": "llm"}],
    },
    "iteration-1/eval-0/with_skill/run-1/grading.json": {
        "expectations": [{"text": "A", "passed": True, "evidence": "e"}, {"assertion": "B", "verdict": "FAIL", "id": "b"}],
        "summary": {"passed": 1, "failed": 1, "total": 2, "pass_rate": 0.5},
        "execution_metrics": {"tool_calls": {"Read": 5}},
        "timing": {"total_duration_seconds": 191.0},
        "claims": [{"claim": "c", "verified": True}],
        "user_notes_summary": {"uncertainties": ["u"], "needs_review": [], "workarounds": []},
        "eval_feedback": {"suggestions": [{"reason": "r"}], "overall": "o"},
        "meta_results": [{"id": "__x", "passed": True}],
    },
    "iteration-1/eval-0/with_skill/run-1/timing.json": {
        "total_tokens": 5, "duration_ms": 10, "executor_start": "2026-01-15T10:30:00Z", "usage": {"input_tokens": 3},
    },
    "iteration-1/eval-0/with_skill/run-1/outputs/metrics.json": {"tool_calls": {}, "errors_encountered": 0},
    "iteration-1/eval-0/with_skill/run-1/run.json": {"final_message": "done", "model": "m", "tool_invocations": []},
    "iteration-1/eval-0/without_skill/run-1/grading.json": {"evals": [{"eval_id": 1, "with_skill": {"passed": "3/4"}}]},
    "iteration-1/benchmark.json": {
        "metadata": {"skill_name": "s", "executor_model": "m"},
        "runs": [{"eval_id": 1, "configuration": "with_skill", "run_number": 1, "result": {"passed": 1, "tokens": 4}}],
        "run_summary": {"with_skill": {"pass_rate": {"mean": 1.0}}}, "notes": ["n"],
    },
    "iteration-1/conditions.json": {"mode": "revision", "conditions": [{"name": "a", "skill_path": None}]},
    "iteration-1/results.json": {"configs": [{"name": "with_skill", "results": [{"eval_id": 2, "assertions_passed": 5}]}]},
    "iteration-2/with_skill/eval-1-grading.json": {"assertions": {"a": True, "b": {"passed": 0}}},
    "jobs/t__abcde/config.json": {"trial_name": "t__abcde", "agent": {"model_name": "m"}},
    "jobs/t__abcde/result.json": {"trial_name": "t", "agent_info": {}, "verifier_result": {"rewards": {"reward": 1}}},
    "jobs/t__abcde/verifier/ctrf.json": {"results": {"tests": [{"name": "a", "status": "passed"}], "summary": {"tests": 1}}},
    "history.json": {"current_best": "v0", "iterations": [{"version": "v0"}]},
    "feedback.json": {"reviews": [{"run_id": "r", "feedback": "f"}], "status": "complete"},
}  # fmt: skip
OTHER_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}), st.just([None]),
    st.just([[1]]), st.just({"a": {"b": []}}), st.just([{"text": 3, "passed": {}}]), st.just(10**400), st.just("3/4"),
)  # fmt: skip


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a JSON value, the top included."""
    yield path
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(each, (*path, key))


def changed(value: Any, path: tuple[str | int, ...], new: Any, *, remove: bool) -> Any:
    """A copy with another value at a place, or with the place taken away."""
    if not path:
        return new
    result = copy.deepcopy(value)
    inner = result
    for key in path[:-1]:
        inner = inner[key]
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return result


def read_planted(files: dict[str, str]) -> ForeignWorkspace | None:
    """Read from a fresh folder; None where nothing is found, which is an answer too."""
    root = Path(tempfile.mkdtemp())
    try:
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8", errors="surrogatepass")
        return read(root)
    except SpecError:
        return None
    finally:
        shutil.rmtree(root)


PLAIN = {path: json.dumps(value) for path, value in FILES.items()}
FUZZED = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_the_workspace_as_it_is() -> None:
    """What is mutated below is read in full."""
    workspace = read_planted(PLAIN)
    assert workspace is not None
    assert [each.place for each in workspace.iterations] == [".", "iteration-1", "iteration-2"]
    assert not workspace.refused


@FUZZED
@given(st.data())
def test_any_prefix_of_any_file(data: st.DataObject) -> None:
    """A file that was cut off is refused or a fault, and the rest is read."""
    path = data.draw(st.sampled_from(sorted(PLAIN)))
    end = data.draw(st.integers(0, len(PLAIN[path]) - 1))
    workspace = read_planted({**PLAIN, path: PLAIN[path][:end]})
    assert workspace is not None
    faults = [
        run.grading.place for each in workspace.iterations for run in each.runs if run.grading and run.grading.fault
    ]
    assert path in faults or path in [each.place for each in workspace.refused]


@FUZZED
@given(st.data())
def test_any_key_taken_away_or_of_another_type(data: st.DataObject) -> None:
    """Up to three changes in any files."""
    files = dict(FILES)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(sorted(files)))
        inside = data.draw(st.sampled_from(list(places(files[path]))))
        files[path] = changed(
            files[path], inside, data.draw(OTHER_VALUES), remove=bool(inside) and data.draw(st.booleans())
        )
    workspace = read_planted({path: json.dumps(value) for path, value in files.items()})
    assert workspace is None or TypeAdapter(ForeignWorkspace).validate_python(asdict(workspace)) is not None


NAMES = st.sampled_from([
    "eval-0", "with_skill", "without_skill", "run-1", "run-retry", "run-", "outputs", "iteration-1", "grading.json",
    "timing.json", "benchmark.json", "runs", "grading", "a__b.json", "eval-1-with_skill-grading.json", "2026-01-01", "t__abcd",
    "results", "notes.md", "config.json", "result.json", "eval_metadata.json", "conditions.json", "baseline",
])  # fmt: skip


@FUZZED
@given(
    st.dictionaries(st.lists(NAMES, min_size=1, max_size=5).map("/".join), st.sampled_from(sorted(PLAIN)), max_size=8)
)
def test_any_tree(tree: dict[str, str]) -> None:
    """Known names in any order, with any content; a name is a file or a folder, never both."""
    taken = {"/".join(path.split("/")[:depth]) for path in tree for depth in range(1, path.count("/") + 1)}
    workspace = read_planted({path: PLAIN[source] for path, source in tree.items() if path not in taken})
    if workspace is not None:
        for iteration in workspace.iterations:
            keys = [(run.case, run.arm, run.run_number) for run in iteration.runs]
            assert len(set(keys)) == len(keys)
            assert {run.case for run in iteration.runs} <= {case.key for case in iteration.cases}
            assert {run.arm for run in iteration.runs} == {arm.name for arm in iteration.arms}


@pytest.mark.parametrize("path", sorted(FILES))
def test_each_file_empty(path: str) -> None:
    """An empty file is as good as one that was cut off."""
    assert read_planted({**PLAIN, path: ""}) is not None
