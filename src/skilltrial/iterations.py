"""What all iterations of a workspace came to, kept in the `benchmark.json` at its root."""

from __future__ import annotations

from pydantic import ValidationError

from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.benchmark import ArmSummary, Benchmark
from skilltrial.records.workspace_benchmark import IterationRow, WorkspaceBenchmark


def note_iteration(store: Store, benchmark: Benchmark) -> WorkspaceBenchmark:
    """Write the root's `benchmark.json` anew, with this iteration as it is now.

    The rows of other iterations are taken from the file as it was, or from their own benchmarks; those that are gone, and those
    that have none, have no row.
    """
    rows = {row.iteration: row for row in read_rows(store)}
    rows[benchmark.iteration] = iteration_row(benchmark)
    newest = benchmark
    if max(rows) != benchmark.iteration:
        newest = _read_benchmark(store, max(rows)) or benchmark
    made = WorkspaceBenchmark(
        iteration=newest.iteration,
        timestamp=newest.timestamp,
        benchmark=_place(newest.iteration),
        configs=newest.configs,
        comparison=newest.comparison,
        iterations=tuple(rows[number] for number in sorted(rows)),
    )
    store.write(layout.BENCHMARK, made.model_dump_json(indent=2).encode() + b"\n")
    return made


def read_rows(store: Store) -> tuple[IterationRow, ...]:
    """A row for every iteration that has a benchmark, in their order; nothing is written.

    Where the root's file is missing, old, or not ours, the rows come from the iterations themselves. One that cannot be read
    has no row.
    """
    known = _read_root(store)
    rows: list[IterationRow] = []
    for number in iterations(store):
        row = known.get(number)
        if row is None:
            benchmark = _read_benchmark(store, number)
            row = iteration_row(benchmark) if benchmark else None
        rows += [row] if row else []
    return tuple(rows)


def iteration_row(benchmark: Benchmark) -> IterationRow:
    """The row of one benchmark."""
    about = benchmark.metadata
    costs = [run.cost_usd for run in benchmark.runs]
    told = [cost for cost in costs if cost is not None]
    arms = [summary for summary in benchmark.run_summary.values() if isinstance(summary, ArmSummary)]
    return IterationRow(
        iteration=benchmark.iteration,
        benchmark=_place(benchmark.iteration),
        timestamp=benchmark.timestamp,
        skill_name=about.skill_name,
        skill_fingerprint=about.skill_fingerprint,
        suite_digest=about.suite_digest,
        arms={arm.name: arm.skill.fingerprint if arm.skill else None for arm in about.arms},
        lift=benchmark.lift,
        pass_rates={name: config.overall_pass_rate for name, config in benchmark.configs.items()},
        n_cases=len(benchmark.cases),
        n_graded=len(benchmark.runs),
        n_planned=sum(arm.trials_planned for arm in arms),
        cost_usd=sum(told) if told and len(told) == len(costs) else None,
        judge_usd=about.judge_usd,
        models=about.executor_model,
        harness=about.harness.name,
        harness_version=about.harness.version,
        judge=about.analyzer_model,
        seconds={
            name: arm.time_seconds.mean for name, arm in benchmark.run_summary.items() if isinstance(arm, ArmSummary)
        },
        invalid=tuple(dict.fromkeys(found.code for found in benchmark.findings if found.severity == "invalid")),
    )


def _read_root(store: Store) -> dict[int, IterationRow]:
    data = store.read(layout.BENCHMARK)
    try:
        found = WorkspaceBenchmark.model_validate_json(data) if data else None
    except ValidationError:  # of another tool, or another version: it is made anew
        return {}
    return {row.iteration: row for row in found.iterations} if found else {}


def _read_benchmark(store: Store, number: int) -> Benchmark | None:
    data = store.read(_place(number))
    try:
        return Benchmark.model_validate_json(data) if data else None
    except ValidationError:
        return None


def _place(number: int) -> str:
    return f"{layout.iteration_dir(number)}/{layout.BENCHMARK}"
