"""What the old benchmark should have said: each arm's figures, their differences, and the paired lift."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from skilltrial.aggregate.words import LEVEL, word, worded_lift
from skilltrial.audit.scores import Round, Score
from skilltrial.records.audit import ArmFigures
from skilltrial.records.estimate import Lift, Stat
from skilltrial.records.foreign import ForeignArm
from skilltrial.stats.lift_interval import lift_interval
from skilltrial.stats.summary import mean, summarise

FIGURES = ("pass_rate", "pass_rate_if_ungraded_is_zero", "time_seconds", "tokens")
MARGIN = 0.10


def arm_figures(found: Round) -> tuple[ArmFigures, ...]:
    """Every arm, in the iteration's order: rates over graded runs, times and tokens over all runs that have them."""
    return tuple(_figures(arm, found.by_arm.get(arm.name, ())) for arm in found.iteration.arms)


def graded_stat(scores: Sequence[Score], name: str) -> Stat:
    """Times or tokens over runs with a grading alone, as aggregators have them that look at gradings first."""
    graded = [score for score in scores if score.run.grading is not None and not score.run.grading.fault]
    return stat(score.tokens if name == "tokens" else score.seconds for score in graded)


def differences(found: Round, figures: Sequence[ArmFigures]) -> Mapping[str, float | None] | None:
    """Treatment minus baseline of the means over runs; None without both roles."""
    if found.treatment is None or found.baseline is None:
        return None
    by_arm = {figure.arm.name: figure for figure in figures}
    sides = by_arm[found.treatment.name], by_arm[found.baseline.name]
    return {name: _less(*(_stat_of(side, name).mean for side in sides)) for name in FIGURES}


def paired_lift(found: Round) -> Lift | None:
    """Mean over cases of treatment minus baseline, cases weighted equally; None without both roles.

    A run's score is the share of its criteria that passed. Other tools' criteria have no ids that hold across runs, so that
    all with a verdict count, also those that were answered in one arm alone. No permutation test is made.
    """
    if found.treatment is None or found.baseline is None:
        return None
    high = _rates_by_case(found.by_arm.get(found.treatment.name, ()))
    low = _rates_by_case(found.by_arm.get(found.baseline.name, ()))
    shared = [case for case in high if case in low]
    interval = lift_interval(_means(high, shared), _means(low, shared), level=LEVEL)
    return worded_lift(
        interval,
        word(interval, MARGIN),
        treatment=found.treatment.name,
        baseline=found.baseline.name,
        repeats=[len(rates[case]) for case in shared for rates in (high, low)],
        margin=MARGIN,
        p_value=None,
    )


def stat(values: Iterable[float | None]) -> Stat:
    """Over the values that are known."""
    found = summarise(value for value in values if value is not None)
    return Stat(mean=found.mean, stddev=found.sd, min=found.min, max=found.max, n=found.n)


def _figures(arm: ForeignArm, scores: Sequence[Score]) -> ArmFigures:
    rates = [score.rate for score in scores]
    return ArmFigures(
        arm=arm,
        n_runs=len(scores),
        n_graded=sum(rate is not None for rate in rates),
        pass_rate=stat(rates),
        pass_rate_if_ungraded_is_zero=stat(rate or 0.0 for rate in rates),
        time_seconds=stat(score.seconds for score in scores),
        tokens=stat(score.tokens for score in scores),
    )


def _stat_of(figures: ArmFigures, name: str) -> Stat:
    match name:
        case "pass_rate":
            return figures.pass_rate
        case "time_seconds":
            return figures.time_seconds
        case "tokens":
            return figures.tokens
        case _:
            return figures.pass_rate_if_ungraded_is_zero


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _rates_by_case(scores: Sequence[Score]) -> dict[str, list[float]]:
    rates: defaultdict[str, list[float]] = defaultdict(list)
    for score in scores:
        if (rate := score.rate) is not None:
            rates[score.run.case].append(rate)
    return dict(rates)


def _means(rates: Mapping[str, Sequence[float]], cases: Sequence[str]) -> list[float]:
    return [value for case in cases if (value := mean(rates[case])) is not None]
