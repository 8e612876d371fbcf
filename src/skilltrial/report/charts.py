"""Where things stand in the drawings of the page, in per cent of their width; the page's template draws them.

Scales are fixed, so that pages can be compared: −100 to +100 points for a difference, 0 to 100 % for a rate.
"""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.records.benchmark import CaseRow
from skilltrial.records.estimate import Lift
from skilltrial.report.figures import percent, points, signed_points
from skilltrial.report.plain_text import line

_EDGE = 3.0
"""Room on both sides, so that a dot at the end of the scale is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalChart:
    """The lift with its interval on the scale of all differences."""

    low: str
    high: str
    width: str
    estimate: str
    zero: str
    margin_start: str
    margin_width: str
    ticks: tuple[tuple[str, str, str], ...]
    """Position, label and anchor of each."""
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChart:
    """Both arms of a case on the scale of rates; None where nothing was graded."""

    baseline: str | None
    treatment: str | None
    description: str


def interval_chart(lift: Lift) -> IntervalChart | None:
    """The drawing of a lift; None where it has no interval."""
    if lift.estimate is None or lift.low is None or lift.high is None:
        return None
    return IntervalChart(
        low=_at(lift.low, -1),
        high=_at(lift.high, -1),
        width=_long(lift.high - lift.low, 2),
        estimate=_at(lift.estimate, -1),
        zero=_at(0, -1),
        margin_start=_at(-lift.margin, -1),
        margin_width=_long(2 * lift.margin, 2),
        ticks=tuple(
            (_at(value, -1), signed_points(value), "start" if value < 0 else "end" if value > 0 else "middle")
            for value in (-1.0, 0.0, 1.0)
        ),
        description=(
            f"Difference {points(lift.estimate)}, interval from {signed_points(lift.low)} to {signed_points(lift.high)}, "
            f"on a scale from −100 to +100; the shaded band is the margin of {signed_points(lift.margin)} around 0."
        ),
    )


def pair_chart(row: CaseRow, lift: Lift) -> PairChart:
    """The drawing of one case."""
    return PairChart(
        baseline=None if row.baseline is None else _at(row.baseline, 0),
        treatment=None if row.treatment is None else _at(row.treatment, 0),
        description=(
            f"{line(lift.treatment, 40)} {percent(row.treatment)}, {line(lift.baseline, 40)} {percent(row.baseline)}"
        ),
    )


def _at(value: float, start: float) -> str:
    """A place on the scale from `start` to 1."""
    share = (min(max(value, start), 1) - start) / (1 - start)
    return f"{_EDGE + share * (100 - 2 * _EDGE):.1f}%"


def _long(length: float, scale: float) -> str:
    return f"{length / scale * (100 - 2 * _EDGE):.1f}%"
