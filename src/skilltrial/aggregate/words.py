"""One of four words for an interval, with its reason."""

from __future__ import annotations

from skilltrial.records.benchmark import Word
from skilltrial.stats.lift_interval import LiftInterval


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
