"""The root's `benchmark.json`: a row an iteration, whatever was there before."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.iterations import iteration_row, note_iteration, read_rows
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.workspace_benchmark import WorkspaceBenchmark


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """An empty workspace."""
    return FolderStore(tmp_path, write=False)


@pytest.fixture
def benchmark(scene) -> Benchmark:
    """Of an iteration in which a trial was not run."""
    cases = {f"c{n}": {"with_skill": ["P"], "without_skill": ["F"]} for n in range(4)}
    return scene({**cases, "c4": {"with_skill": ["P"], "without_skill": ["-"]}}).benchmark()


def put(store: FolderStore, benchmark: Benchmark, number: int) -> Benchmark:
    """An iteration with its files, of which the plan is not looked into."""
    numbered = benchmark.model_copy(update={"iteration": number})
    store.write(f"iteration-{number}/plan.json", b"{}")
    store.write(f"iteration-{number}/benchmark.json", numbered.model_dump_json().encode())
    return numbered


def test_a_row_has_the_figures_of_its_benchmark(benchmark) -> None:
    """Lift, rates, counts, cost and who did it."""
    row = iteration_row(benchmark)
    assert (row.iteration, row.benchmark) == (1, "iteration-1/benchmark.json")
    assert row.lift is not None
    assert (row.lift.estimate, row.lift.word) == (1, "better")
    assert row.pass_rates == {"with_skill": 1, "without_skill": 0}
    assert (row.n_cases, row.n_graded, row.n_planned) == (5, 9, 10)
    assert row.cost_usd == pytest.approx(0.18)
    assert row.arms == {"with_skill": "sha256:1", "without_skill": None}
    assert (row.models, row.harness, row.invalid) == ("model-a", "stub", ())


def test_iterations_are_added_in_order(store, benchmark) -> None:
    """Also where an older one is graded again; the newest stays on top, in skill-builder's shape."""
    for number in (1, 10, 2):
        note_iteration(store, put(store, benchmark, number))
    made = WorkspaceBenchmark.model_validate_json(store.read("benchmark.json"))
    assert [row.iteration for row in made.iterations] == [1, 2, 10]
    assert (made.iteration, made.benchmark) == (10, "iteration-10/benchmark.json")
    assert made.configs == benchmark.configs
    assert made.comparison == benchmark.comparison


def test_a_row_follows_what_is_graded_again(store, benchmark) -> None:
    """Its old one is not kept."""
    note_iteration(store, put(store, benchmark, 1))
    note_iteration(store, put(store, benchmark.model_copy(update={"lift": None}), 1))
    assert [row.lift for row in read_rows(store)] == [None]


@pytest.mark.parametrize("before", [b"", b"no JSON", b'{"iteration": 1, "configs": {}}'])
def test_a_file_that_is_not_ours_is_made_anew(store, benchmark, before) -> None:
    """From the iterations that are there; one without a benchmark has no row."""
    for number in (1, 2):
        put(store, benchmark, number)
    store.write("iteration-3/plan.json", b"{}")
    store.write("benchmark.json", before)
    assert [row.iteration for row in read_rows(store)] == [1, 2]
    note_iteration(store, put(store, benchmark, 4))
    assert [row.iteration for row in read_rows(store)] == [1, 2, 4]


def test_an_iteration_that_is_gone_has_no_row(store, benchmark) -> None:
    """Its folder was removed by hand."""
    for number in (1, 2):
        note_iteration(store, put(store, benchmark, number))
    store.path("iteration-1/plan.json").unlink()
    assert [row.iteration for row in read_rows(store)] == [2]


def test_an_empty_workspace_has_no_rows(store) -> None:
    """And nothing is written by looking."""
    assert read_rows(store) == ()
    assert store.read("benchmark.json") is None
