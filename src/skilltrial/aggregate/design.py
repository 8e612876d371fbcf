"""Variances -> what a design of so many cases and repeats could find, and how large one has to be."""

from __future__ import annotations

import math

from skilltrial.records.benchmark import ArmSummary, Benchmark
from skilltrial.records.design import Design, Payoff, Rate, Sight, Wanted
from skilltrial.records.pilot import Pilot
from skilltrial.stats.planner import (
    USUAL_SPREAD,
    Repeats,
    Spread,
    cases_needed,
    cheapest_repeats,
    power,
    repeats_needed,
    smallest_lift,
)

_CASES = (5, 8, 12, 20, 30, 50, 100)
_REPEATS = (1, 2, 3, 5, 10)
_CASE_IN_TRIALS = (5, 20, 100)
_FEWEST = 2
USUAL = Pilot(
    between=USUAL_SPREAD.between,
    treatment=USUAL_SPREAD.treatment,
    baseline=USUAL_SPREAD.baseline,
    n_cases=0,
    assumed=("between", "within"),
    why="there are no trials to tell them.",
)


def design(wanted: Wanted, *, pilot: Pilot | None = None, source: str = "", rate: Rate | None = None) -> Design:
    """All answers; without a pilot by the usual variances. Raises ValueError for shares and lifts that are none."""
    known = pilot or USUAL
    spread = Spread(between=known.between, treatment=known.treatment, baseline=known.baseline)
    repeats, n_cases = Repeats(wanted.repeats, wanted.repeats), wanted.n_cases
    enough = n_cases is not None and n_cases >= _FEWEST
    shown = tuple(sorted({*_REPEATS, wanted.repeats}))
    rows: set[int] = {*_CASES, *([n_cases] if n_cases is not None and enough else [])}
    return Design(
        wanted=wanted,
        pilot=known,
        source=source,
        cases_needed=cases_needed(wanted.lift, repeats=repeats, spread=spread, alpha=wanted.alpha, power=wanted.power),
        repeats_needed=repeats_needed(
            wanted.lift, n_cases=n_cases, spread=spread, alpha=wanted.alpha, power=wanted.power
        )
        if n_cases is not None and enough
        else None,
        smallest_lift=_smallest(n_cases, wanted.repeats, spread, wanted) if n_cases is not None and enough else None,
        power_here=power(wanted.lift, n_cases=n_cases, repeats=repeats, spread=spread, alpha=wanted.alpha)
        if n_cases is not None and enough
        else None,
        repeats=shown,
        table=tuple(
            Sight(n_cases=n, lifts=tuple(_smallest(n, r, spread, wanted) for r in shown)) for n in sorted(rows)
        ),
        payoffs=tuple(_payoff(spread, size) for size in _CASE_IN_TRIALS),
        rate=rate or Rate(usd=None, seconds=None),
    )


def rate_of(benchmark: Benchmark) -> Rate:
    """What one case takes in the two compared arms, by the means over their trials."""
    lift = benchmark.lift
    names = [lift.treatment, lift.baseline] if lift else []
    arms = [arm for name in names if isinstance(arm := benchmark.run_summary.get(name), ArmSummary)]
    costs = [arm.cost_usd.mean for arm in arms]
    times = [arm.time_seconds.mean for arm in arms]
    return Rate(usd=_sum(costs), seconds=_sum(times))


def _sum(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if known and len(known) == len(values) else None


def _smallest(n_cases: int, repeats: int, spread: Spread, wanted: Wanted) -> float:
    return smallest_lift(
        n_cases=n_cases, repeats=Repeats(repeats, repeats), spread=spread, alpha=wanted.alpha, power=wanted.power
    )


def _payoff(spread: Spread, size: int) -> Payoff:
    # A repeat is a trial in each arm.
    best = cheapest_repeats(spread, case_cost=size, run_cost=1)
    return Payoff(case_in_trials=size, repeats=None if best is None else max(1, math.ceil(best)))
