"""All trials of a workspace, or all their assertions, as one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from skilltrial.aggregate.census import Census, take_census
from skilltrial.execute.resume import read_trials
from skilltrial.execute.run import read_stop
from skilltrial.grade.run import read_gradings
from skilltrial.pipeline import newest_iteration
from skilltrial.plan.iteration import iterations, read_plan
from skilltrial.ports import Store
from skilltrial.records.plan import Plan
from skilltrial.report.trial_table import (
    ASSERTION_COLUMNS,
    TRIAL_COLUMNS,
    Row,
    as_csv,
    as_jsonl,
    assertion_rows,
    trial_rows,
)


class _Table(NamedTuple):
    columns: tuple[str, ...]
    rows: Callable[[Plan, int, Census], Iterator[Row]]


TABLES: Mapping[str, _Table] = {
    "trials": _Table(TRIAL_COLUMNS, trial_rows),
    "assertions": _Table(ASSERTION_COLUMNS, assertion_rows),
}


def rows_as(form: str, store: Store, *, table: str, iteration: int | None) -> str:
    """`csv` or `jsonl` of one iteration, or of all; SpecError where there is none."""
    newest = newest_iteration(store, iteration)
    numbers = [newest] if iteration is not None else iterations(store)
    rows = (row for number in numbers for row in _rows(store, number, TABLES[table]))
    return (as_csv if form == "csv" else as_jsonl)(TABLES[table].columns, rows)


def _rows(store: Store, number: int, table: _Table) -> Iterator[Row]:
    plan = read_plan(store, number)
    trials, gradings = read_trials(store, plan, number), read_gradings(store, plan, number)
    yield from table.rows(plan, number, take_census(plan, trials, gradings, stop=read_stop(store, number)))
