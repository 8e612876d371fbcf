"""Does the skill help? The lift, its interval, and one of four words with its reason."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.scores import CaseScores, usable
from skilltrial.records.benchmark import Finding, Lift, Word
from skilltrial.stats.lift_interval import LiftInterval, lift_interval
from skilltrial.stats.permutation import exact_p, shuffled_p

LEVEL = 0.95


def measure_lift(
    sides: Contest, scores: Sequence[CaseScores], *, findings: Sequence[Finding], margin: float, seed: int
) -> Lift | None:
    """The lift over the cases with a comparable score in both arms, cases weighted equally; None without both arms.

    `seed` is for the shuffles that give the p of graded scores.
    """
    if sides.treatment is None or sides.baseline is None:
        return None
    rows = usable(scores)
    every_score = [score for row in rows for score in row.treatment + row.baseline]
    binary = all(score in (0, 1) for score in every_score)
    interval = lift_interval(
        [mean for row in rows if (mean := row.treatment_mean) is not None],
        [mean for row in rows if (mean := row.baseline_mean) is not None],
        binary=binary,
        level=LEVEL,
    )
    strata = [row.stratum for row in rows]
    p_value = exact_p(strata) if binary else shuffled_p(strata, np.random.default_rng(abs(seed)))
    repeats = [len(trials) for row in rows for trials in (row.treatment, row.baseline)]
    word, reason = _judge(interval, margin, [finding for finding in findings if finding.severity == "invalid"])
    figures = _figures(interval, sides.treatment.name, sides.baseline.name, repeats)
    return Lift(
        treatment=sides.treatment.name,
        baseline=sides.baseline.name,
        estimate=interval.estimate,
        low=interval.low,
        high=interval.high,
        level=LEVEL,
        n_cases=interval.n_cases,
        repeats_min=min(repeats, default=0),
        repeats_max=max(repeats, default=0),
        word=word,
        why=f"{figures}: {reason}." if figures else f"{reason[0].upper()}{reason[1:]}.",
        margin=margin,
        p_value=p_value,
        visible=interval.half_width,
        method=interval.method,
    )


def _judge(interval: LiftInterval, margin: float, invalid: Sequence[Finding]) -> tuple[Word, str]:
    if invalid:
        codes = ", ".join(dict.fromkeys(finding.code for finding in invalid))
        return "cannot tell", f"the trial does not answer the question ({codes}; see the findings)"
    if interval.n_cases == 0:
        return "cannot tell", "no case has a graded trial in both arms, so there is nothing to compare"
    if interval.low is None or interval.high is None:
        return "cannot tell", "one case says nothing about others; an interval needs two"
    return _place(interval.low, interval.high, margin)


def _place(low: float, high: float, margin: float) -> tuple[Word, str]:
    if low > 0:
        return "better", "the whole interval is above 0"
    if high < 0:
        return "worse", "the whole interval is below 0"
    if -margin < low and high < margin:
        return "no difference beyond the margin", f"the whole interval is within {_points(margin)} points of 0"
    return "cannot tell", f"the interval holds 0 and reaches beyond the margin of {_points(margin)} points"


def _figures(interval: LiftInterval, treatment: str, baseline: str, repeats: Sequence[int]) -> str:
    if interval.estimate is None:
        return ""
    points = _points(abs(interval.estimate))
    if points == "0":
        contrast = f"{treatment} and {baseline} pass at the same rate on these cases"
    else:
        more = "more" if interval.estimate > 0 else "less"
        contrast = f"{treatment} passes {points} points {more} than {baseline} on these cases"
    span = "no interval"
    if interval.low is not None and interval.high is not None:
        low, high = _points(interval.low, sign="+"), _points(interval.high, sign="+")
        span = f"{LEVEL * 100:.0f} % interval for cases like these {low} to {high}"
    return f"{contrast} ({span}; {_design(interval.n_cases, repeats)})"


def _design(n_cases: int, repeats: Sequence[int]) -> str:
    cases = f"{n_cases} case{'s' * (n_cases != 1)}"
    low, high = min(repeats), max(repeats)
    return f"{cases}, {low} repeat{'s' * (low != 1)}" if low == high else f"{cases}, {low} to {high} repeats"


def _points(rate: float, *, sign: str = "") -> str:
    """Hundredths with at most one decimal; no sign at zero."""
    rounded = round(rate * 100, 1)
    return f"{rounded:{sign}.1f}".removesuffix(".0") if rounded else "0"
