"""Several runs of one command: planned first, asked about once, run one after another below common ceilings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from skilltrial import wiring
from skilltrial.errors import SkilltrialError
from skilltrial.execute.resume import read_trials
from skilltrial.pipeline import DryRun, RunResult, dry_run
from skilltrial.plan.iteration import iterations, read_plan
from skilltrial.records import layout
from skilltrial.records.budget import Ceilings, Estimate, Forecast
from skilltrial.records.matrix import MatrixCell
from skilltrial.records.plan import Plan
from skilltrial.request import RunRequest

_SEVERITY = (0, 4, 1, 2, 3)
"""Exit codes, worse to the right."""
_TINY = 1e-9
CellT = TypeVar("CellT")
"""What a cell comes to."""
_OF_THE_LIFT = ("word", "estimate", "low", "high", "n_cases", "p_value", "treatment", "baseline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One of them, as an ordinary run in a workspace of its own."""

    name: str
    request: RunRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """What an iteration has taken. What is not told counts as the largest that was; None: nothing was told."""

    cost_usd: float | None = 0.0
    tokens: float | None = 0.0
    trials: int = 0
    told_usd: float | None = 0.0
    """None where a try did not tell."""


Planned = DryRun | MatrixCell
"""What a cell would do, or the row of one that cannot be planned."""


async def plan_cells(cells: Sequence[Cell], *, agree: Callable[[Forecast], Awaitable[None]]) -> tuple[Planned, ...]:
    """Plan all and ask once, in the order given; an error of one is kept in its row. Raises what `agree` raises."""
    planned = tuple([await _planned(cell) for cell in cells])
    known = [found.forecast for found in planned if isinstance(found, DryRun)]
    if known:
        await agree(together(known))
    return planned


async def run_cells(
    cells: Sequence[Cell],
    planned: Sequence[Planned],
    ceilings: Ceilings,
    *,
    run_cell: Callable[[Cell], Awaitable[CellT]],
    told: Callable[[Cell, CellT], MatrixCell],
) -> tuple[MatrixCell, ...]:
    """Run one after another; what came out, in the same order. `told` makes its row of what a cell came to, like `row_of`.

    An error of one is kept in its row, and the others go on. The ceilings hold for all together, with what earlier runs of the
    same plans took.
    """
    pairs = list(zip(cells, planned, strict=True))
    taken: dict[str, _Taken] = {}
    if ceilings != Ceilings():  # to read all trials of all of them takes time
        taken = {cell.name: _taken(found) for cell, found in pairs if isinstance(found, DryRun)}
    rows: list[MatrixCell] = []
    for cell, found in pairs:
        if isinstance(found, DryRun):
            row = await _row(cell, found, taken, ceilings, run_cell, told)
            taken[cell.name] = _taken(found)
            rows.append(row.model_copy(update={"cost_usd": taken[cell.name].told_usd} if row.iteration else {}))
        else:
            rows.append(found)
    return tuple(rows)


def worst(cells: Iterable[MatrixCell]) -> int:
    """The exit code of the whole."""
    return worst_of(cell.exit_code for cell in cells)


def worst_of(codes: Iterable[int]) -> int:
    """The exit code that hides no other."""
    return max(codes, key=lambda code: _SEVERITY.index(code) if code in _SEVERITY else len(_SEVERITY), default=0)


def together(forecasts: Sequence[Forecast]) -> Forecast:
    """The forecast of all of them: the sum; unknown where a part is."""
    judges = [forecast.judge_usd for forecast in forecasts if forecast.n_to_judge]
    return Forecast(
        n_planned=sum(forecast.n_planned for forecast in forecasts),
        n_finished=sum(forecast.n_finished for forecast in forecasts),
        n_to_run=sum(forecast.n_to_run for forecast in forecasts),
        n_beyond=sum(forecast.n_beyond for forecast in forecasts),
        tokens=_sum([forecast.tokens for forecast in forecasts]),
        cost_usd=_sum([forecast.cost_usd for forecast in forecasts]),
        seconds=_sum([forecast.seconds for forecast in forecasts]),
        judge_usd=_sum(judges) if judges else None,
        judge=forecasts[0].judge,
        n_to_judge=sum(forecast.n_to_judge for forecast in forecasts),
        n_judge_calls=sum(forecast.n_judge_calls for forecast in forecasts),
        basis=sum(forecast.basis for forecast in forecasts),
        free=all(forecast.free for forecast in forecasts),
    )


async def _planned(cell: Cell) -> Planned:
    try:
        return await dry_run(cell.request)
    except SkilltrialError as error:
        return _failed(cell, error)


async def _row(
    cell: Cell,
    found: DryRun,
    taken: Mapping[str, _Taken],
    ceilings: Ceilings,
    run_cell: Callable[[Cell], Awaitable[CellT]],
    told: Callable[[Cell, CellT], MatrixCell],
) -> MatrixCell:
    others = [amounts for name, amounts in taken.items() if name != cell.name]
    left, why = _left(ceilings, others)
    if left is None and found.forecast.n_to_run:
        return bare_row(cell, exit_code=4, stopped=why)
    try:
        return told(cell, await run_cell(replace(cell, request=replace(cell.request, ceilings=left or Ceilings()))))
    except SkilltrialError as error:
        return _failed(cell, error)


def row_of(cell: Cell, result: RunResult) -> MatrixCell:
    """The row of a whole run."""
    benchmark, lift = result.benchmark, result.benchmark.lift
    row = bare_row(cell, exit_code=3 if not result.complete else 4 if result.stopped else 0)
    told = {
        "iteration": result.iteration,
        "n_excluded": len(benchmark.excluded),
        "invalid": tuple(dict.fromkeys(each.code for each in benchmark.findings if each.severity == "invalid")),
        "stopped": benchmark.stop.message if benchmark.stop and result.stopped else "",
    }
    if lift is not None:
        rates = {name: config.overall_pass_rate for name, config in benchmark.configs.items()}
        told |= {name: getattr(lift, name) for name in _OF_THE_LIFT}
        told |= {"treatment_rate": rates.get(lift.treatment), "baseline_rate": rates.get(lift.baseline)}
    return row.model_copy(update=told)


def bare_row(cell: Cell, *, exit_code: int, error: str = "", stopped: str = "") -> MatrixCell:
    """A row without figures."""
    return MatrixCell(
        name=cell.name,
        harness=cell.request.harness,
        model=cell.request.model,
        workspace=str(cell.request.workspace),
        exit_code=exit_code,
        error=error,
        stopped=stopped,
    )


def _failed(cell: Cell, error: SkilltrialError) -> MatrixCell:
    return bare_row(cell, exit_code=error.exit_code, error=str(error))


def _left(ceilings: Ceilings, others: Sequence[_Taken]) -> tuple[Ceilings | None, str]:
    """What the other cells leave; None and why where that is nothing, or nobody can tell."""
    update: dict[str, float | int] = {}
    for name, option, taken in (
        ("max_cost_usd", "--max-cost", [other.cost_usd for other in others]),
        ("max_tokens", "--max-tokens", [other.tokens for other in others]),
        ("max_trials", "--max-trials", [other.trials for other in others]),
    ):
        ceiling = getattr(ceilings, name)
        if ceiling is None:
            continue
        amounts = [amount for amount in taken if amount is not None]
        if len(amounts) < len(taken):
            return None, f"{option} cannot be held over all cells: what another one took is unknown."
        rest = ceiling - sum(amounts)
        if rest <= _TINY:
            return None, f"{option} {ceiling:g} is reached by the other cells."
        update[name] = rest if name == "max_cost_usd" else int(rest)
    return ceilings.model_copy(update=update), ""


def _taken(found: DryRun) -> _Taken:
    """Of the iteration that the cell works on; nothing where it has another plan, or none yet."""
    if not found.workspace.is_dir():
        return _Taken()
    store = wiring.open_store(found.workspace, write=False)
    if found.iteration not in iterations(store):
        return _Taken()
    plan: Plan = read_plan(store, found.iteration)
    if plan.digest != found.plan.digest:
        return _Taken()
    trials = [trial for trial in read_trials(store, plan, found.iteration) if trial.reused_from is None]
    tries = [attempt for trial in trials for attempt in trial.attempts]
    costs = [attempt.spent_usd(free=found.forecast.free) for attempt in tries]
    begun = len(store.find(f"{layout.iteration_dir(found.iteration)}/{layout.BEGUN}/*"))
    return _Taken(
        cost_usd=_held(costs, begun),
        tokens=_held([attempt.spent_tokens for attempt in tries], begun),
        trials=len(trials) + begun,
        told_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _held(amounts: Sequence[float | None], n_interrupted: int) -> float | None:
    told = [amount for amount in amounts if amount is not None]
    n_unknown = len(amounts) - len(told) + n_interrupted
    if n_unknown and not told:
        return None
    return sum(told) + n_unknown * max(told, default=0.0)


def _sum(parts: Sequence[Estimate | None]) -> Estimate | None:
    """Without a range: the cells have not the same spread, and share none."""
    known = [part for part in parts if part is not None]
    return Estimate(mean=sum(part.mean for part in known)) if len(known) == len(parts) else None
