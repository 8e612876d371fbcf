"""Runs that lie twice, and benchmarks over several rounds: neither is a run or a round more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from skilltrial.adapters.interchange.reader import read

Plant = Callable[[Mapping[str, Any]], Path]


def graded(evidence: str, *, passed: bool = True) -> dict[str, Any]:
    """A grading with one criterion."""
    return {"expectations": [{"text": "It holds", "passed": passed, "evidence": evidence}]}


def case(folder: str, grading: dict[str, Any], *, tokens: int = 62417) -> dict[str, Any]:
    """The files of case 2 in a folder, with one run."""
    return {
        f"iteration-1/{folder}/eval_metadata.json": {"eval_id": 2, "prompt": "Do it", "assertions": ["It holds"]},
        f"iteration-1/{folder}/with_skill/grading.json": grading,
        f"iteration-1/{folder}/with_skill/timing.json": {"total_tokens": tokens},
    }


def copies(root: Path) -> list[str | None]:
    """`copy_of` of every run."""
    (iteration,) = read(root).iterations
    return [run.copy_of for run in iteration.runs]


def test_a_copy_of_a_case_under_another_name(plant: Plant) -> None:
    """Same id, verdicts, evidence and figures: the second is the first."""
    root = plant({**case("eval-2", graded("e")), **case("topic", graded("e"))})
    assert copies(root) == [None, "iteration-1/eval-2/with_skill"]


def test_another_run_of_the_same_id_is_no_copy(plant: Plant) -> None:
    """Other words of evidence, or other tokens, come of another run."""
    root = plant({
        **case("eval-2", graded("e")), **case("topic", graded("f")), **case("zebra", graded("e"), tokens=62418),
    })  # fmt: skip
    assert copies(root) == [None, None, None]


def test_runs_of_which_nothing_tells_are_no_copies(plant: Plant) -> None:
    """One verdict without evidence, time or tokens is the same for many runs."""
    files = {**case("eval-2", graded("")), **case("topic", graded(""))}
    root = plant({path: value for path, value in files.items() if not path.endswith("timing.json")})
    assert copies(root) == [None, None]


def builder(n: int) -> dict[str, Any]:
    """skill-builder's benchmark of iteration `n`, with a row."""
    row = {"eval_id": "a", "pass_rate": 1.0, "pass_count": 1, "fail_count": 0, "tokens": 5, "duration_ms": 5}
    return {"iteration": n, "configs": {"with_skill": {"overall_pass_rate": 1.0, "evals": [row]}}, "comparison": {}}


def test_a_benchmark_beside_rounds_is_no_round(plant: Plant) -> None:
    """skill-builder's at the root: a document of the whole."""
    root = plant({
        "iteration-1/eval-a/with_skill/grading.json": graded("e"),
        "iteration-2/eval-a/with_skill/grading.json": graded("e"),
        "benchmark.json": builder(2),
    })  # fmt: skip
    workspace = read(root)
    assert [iteration.number for iteration in workspace.iterations] == [1, 2]
    assert [(document.place, document.kind) for document in workspace.documents] == [("benchmark.json", "benchmark")]


def test_a_benchmark_beside_rounds_without_gradings_is_all_there_is(plant: Plant) -> None:
    """Then its rows are the runs."""
    root = plant({"iteration-1/eval-a/with_skill/timing.json": {"total_tokens": 5}, "benchmark.json": builder(1)})
    graded_at = [run.grading.place for each in read(root).iterations for run in each.runs if run.grading]
    assert graded_at == ["benchmark.json#configs.with_skill.evals[0]"]


def test_what_an_import_kept_is_no_round(plant: Plant) -> None:
    """The old files under `imported/` have rows and verdicts, and the iteration has its own runs."""
    root = plant({
        "iteration-1/plan.json": {"schema_version": 1, "digest": "d", "trials": [], "arms": []},
        "iteration-1/eval-a/with_skill/run-1/grading.json": graded("e"),
        "iteration-1/imported/import.json": {"schema_version": 1},
        "iteration-1/imported/benchmark.json": builder(1),
        "iteration-1/imported/results.json": [{"eval_id": "a", "configuration": "with_skill", **graded("e")}],
        "iteration-1/imported/whole/benchmark.json": builder(2),
    })  # fmt: skip
    workspace = read(root)
    assert workspace.family == "native"
    assert [(iteration.place, len(iteration.runs)) for iteration in workspace.iterations] == [("iteration-1", 1)]
