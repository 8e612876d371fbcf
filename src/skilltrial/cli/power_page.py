"""What a design can find, in front of a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skilltrial import wiring
from skilltrial.aggregate.design import design, rate_of
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.single_workspace import single_iteration
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError
from skilltrial.pipeline import summarise
from skilltrial.records.design import Design, Rate, Wanted
from skilltrial.records.estimate import Lift
from skilltrial.records.pilot import Pilot
from skilltrial.report.figures import chance, dollars, percent, plural, size_in_points
from skilltrial.report.plain_text import encodable

_USUAL_REPEATS = 3
_FEW_CASES = 8
_TWO_SIDED = 0.025
_INDENT = "  "
_COLUMN = 7


class Asked(NamedTuple):
    """What a person says; None: as the workspace has it."""

    lift: float
    n_cases: int | None
    repeats: int | None
    power: float
    alpha: float


class _Known(NamedTuple):
    """What a workspace tells."""

    pilot: Pilot | None = None
    lift: Lift | None = None
    source: str = ""
    rate: Rate | None = None


def plan_and_print(workspace: Path | None, asked: Asked, *, iteration: int | None, as_json: bool) -> None:
    """Read, compute, print. Raises `SpecError` and `StoreError` for a folder that is no workspace, and for bad numbers."""
    _check(asked)
    known = _Known() if workspace is None else _read(workspace, iteration)
    lift = known.lift
    there = (lift.n_clusters or lift.n_cases) if lift else 0
    wanted = Wanted(
        lift=asked.lift,
        power=asked.power,
        alpha=asked.alpha,
        n_cases=asked.n_cases or there or None,
        repeats=asked.repeats or (lift.repeats_max if lift and lift.repeats_max else _USUAL_REPEATS),
    )
    made = design(wanted, pilot=known.pilot, source=known.source, rate=known.rate)
    if as_json:
        put(made.model_dump_json(indent=2, ensure_ascii=True) + "\n")
        return
    console = Screen()
    text = "".join(f"{row}\n" for row in _lines(made, min(console.width, 80)))
    put(encodable(text, console.encoding))


def _check(asked: Asked) -> None:
    if not 0 < asked.lift <= 1:
        raise SpecError(f"--lift is {asked.lift:g}.", hint="Give a fraction above 0 and at most 1: 0.2 are 20 points.")
    if not 0 < asked.alpha < asked.power < 1:
        raise SpecError(
            f"--alpha is {asked.alpha:g} and --power {asked.power:g}.",
            hint="Both are fractions between 0 and 1, and the power is the larger one.",
        )


def _read(workspace: Path, iteration: int | None) -> _Known:
    store = wiring.open_store(workspace, write=False)
    number = single_iteration(store, iteration)
    benchmark = summarise(store, number)
    return _Known(benchmark.pilot, benchmark.lift, f"iteration {number} of {workspace}", rate_of(benchmark))


def _lines(made: Design, width: int) -> Iterator[str]:
    wanted = made.wanted
    yield paragraph(
        f"To find a lift of {size_in_points(wanted.lift)} with a chance of {percent(wanted.power)} (one-sided test at "
        f"{chance(wanted.alpha)}) it takes",
        width,
    )
    yield from (paragraph(text, width, indent=_INDENT, further=_INDENT * 2) for text in _needed(made))
    if made.smallest_lift is not None and made.power_here is not None:
        yield ""
        yield paragraph(_sight(made, made.smallest_lift, made.power_here), width)
    yield ""
    yield paragraph(f"Smallest lift that is found with a chance of {percent(wanted.power)}, in points", width)
    yield from _table(made)
    yield ""
    yield from (paragraph(text, width, indent="- ", further=_INDENT) for text in _remarks(made))


def _needed(made: Design) -> Iterator[str]:
    wanted = made.wanted
    runs = f"{plural(wanted.repeats, 'run')} in each arm"
    if made.cases_needed is None:
        yield f"more than a million cases with {runs}"
    else:
        yield f"{plural(made.cases_needed, 'case')} with {runs}: {_effort(made, made.cases_needed, wanted.repeats)}"
    if wanted.n_cases is None or made.smallest_lift is None or made.smallest_lift <= wanted.lift:
        return
    if made.repeats_needed is None:
        yield f"with {plural(wanted.n_cases, 'case')} no number of runs is enough: their lifts differ too much"
    else:
        effort = _effort(made, wanted.n_cases, made.repeats_needed)
        cases = plural(wanted.n_cases, "case")
        yield f"or, with {cases}, {plural(made.repeats_needed, 'run')} in each arm: {effort}"


def _effort(made: Design, n_cases: int, repeats: int) -> str:
    n_pairs = n_cases * repeats
    parts = [plural(2 * n_pairs, "trial")]
    if made.rate.usd is not None:
        parts.append(f"about {dollars(made.rate.usd * n_pairs)}")
    if made.rate.seconds is not None:
        parts.append(f"{_span(made.rate.seconds * n_pairs)} of agents' time")
    return ", ".join(parts)


def _span(seconds: float) -> str:
    minutes = seconds / 60
    return f"{minutes / 60:,.1f} h" if minutes >= 100 else f"{max(1, round(minutes))} min"  # noqa: PLR2004 - as people say it


def _sight(made: Design, smallest: float, chance_here: float) -> str:
    wanted = made.wanted
    here = f"{plural(wanted.n_cases or 0, 'case')} × {plural(wanted.repeats, 'run')}"
    if smallest > 1:
        return f"{here} cannot find any lift with that chance, not even one of 100 points."
    find = f"{here} find a lift from {size_in_points(smallest)} on with that chance"
    return f"{find}, and one of {size_in_points(wanted.lift)} with a chance of {percent(chance_here)}."


def _table(made: Design) -> Iterator[str]:
    heads = [plural(number, "run") for number in made.repeats]
    yield f"{_INDENT}{'cases':>{_COLUMN}}" + "".join(f"{head:>{_COLUMN + 2}}" for head in heads)
    for row in made.table:
        cells = ("–" if lift > 1 else size_in_points(lift).split()[0] for lift in row.lifts)
        mark = " <" if row.n_cases == made.wanted.n_cases else ""
        yield f"{_INDENT}{row.n_cases:>{_COLUMN}}" + "".join(f"{cell:>{_COLUMN + 2}}" for cell in cells) + mark


def _remarks(made: Design) -> Iterator[str]:
    pilot = made.pilot
    figures = (
        f"variance of the lift between cases {pilot.between:.3f}, of a case's runs {pilot.treatment:.3f} with the treatment "
        f"and {pilot.baseline:.3f} with the baseline"
    )
    if not made.source or not pilot.n_cases:
        where = f"{made.source} has no case to compare, so these" if made.source else "Without a workspace these"
        yield f"{where} are usual values: {figures}."
    else:
        yield f"From {plural(pilot.n_cases, 'case')} in {made.source}: {figures}."
        if pilot.assumed:
            what = "All of it is" if "within" in pilot.assumed else "The first is"
            yield f"{what} the usual value: {pilot.why}"
    yield f"Below {_FEW_CASES} cases only all-or-nothing effects are visible."
    yield "At the same number of trials more cases find more than more runs do."
    if all(each.repeats is not None for each in made.payoffs):
        best = ", ".join(f"{each.repeats} if it costs as much as {each.case_in_trials} trials" for each in made.payoffs)
        yield f"How many runs pay best depends on what it takes to write another case: {best}."
    if made.wanted.alpha > _TWO_SIDED:
        yield f"The report's interval is two-sided and asks for more: --alpha {_TWO_SIDED} plans for its word 'better'."
