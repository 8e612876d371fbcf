"""One of four words for an interval, with its reason, and the lift that they make."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.records.estimate import Lift, Word
from skilltrial.stats.lift_interval import LiftInterval

LEVEL = 0.95
"""Of every interval of a lift."""


def word(interval: LiftInterval, margin: float) -> tuple[Word, str]:
    """The word for the lift, as a fraction of 1, and one sentence that gives the reason."""
    if interval.n_cases == 0:
        return (
            "cannot tell",
            "No case has a verdict on the same assertion in both arms, so there is nothing to compare.",
        )
    if interval.low is None or interval.high is None:
        return "cannot tell", "One case cannot speak for others: an interval needs at least two."
    return _place(interval.low, interval.high, margin)


def worded_lift(
    interval: LiftInterval,
    said: tuple[Word, str],
    *,
    treatment: str,
    baseline: str,
    repeats: Sequence[int],
    margin: float,
    p_value: float | None,
) -> Lift:
    """The lift at `LEVEL`, with its word and reason. `repeats`: how many runs each case has in each arm."""
    return Lift(
        treatment=treatment,
        baseline=baseline,
        estimate=interval.estimate,
        low=interval.low,
        high=interval.high,
        level=LEVEL,
        n_cases=interval.n_cases,
        repeats_min=min(repeats, default=0),
        repeats_max=max(repeats, default=0),
        word=said[0],
        why=said[1],
        margin=margin,
        p_value=p_value,
        visible=interval.half_width,
        method=interval.method,
    )


def _place(low: float, high: float, margin: float) -> tuple[Word, str]:
    if low > 0:
        return "better", "The whole interval is above 0."
    if high < 0:
        return "worse", "The whole interval is below 0."
    points = f"{round(margin * 100, 1):g} points"
    if -margin < low and high < margin:
        return "no difference beyond the margin", f"The whole interval is within {points} of 0."
    return (
        "cannot tell",
        f"The interval holds 0, and also differences beyond the margin of {points}: neither can be ruled out.",
    )
