"""Where things stand in the drawings of the page, in per cent of their width; the page's template draws them.

Scales are fixed, so that pages can be compared: −100 to +100 points for a difference, 0 to 100 % for a rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skilltrial.records.benchmark import CaseRow
from skilltrial.records.estimate import Lift
from skilltrial.report.figures import percent, points, signed_points
from skilltrial.report.plain_text import line

_EDGE = 3.0
"""Room on both sides, so that a dot at the end of the scale is whole."""
_TOP, _TICKS = 6, 24
_ALONE, _ROW, _LABEL = 34, 56, 16
"""Pixels of a lift that is alone, of one with a label over it, and down to that label's feet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalMark:
    """One lift with its interval. `y` is in pixels."""

    label: str
    """Empty where the drawing has one lift alone."""
    label_y: int
    y: int
    low: str
    high: str
    estimate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Lifts with their intervals on the scale of all differences, one below the other."""

    height: int
    floor: int
    """Where the axis is; `floor` and `height` are in pixels."""
    marks: tuple[IntervalMark, ...]
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


def forest(lifts: Sequence[Lift]) -> Forest | None:
    """The drawing of lifts; None where none has an interval. Those without one are not in it."""
    told = [(lift, *span) for lift in lifts if (span := _span(lift))]
    if not told:
        return None
    alone = len(lifts) == 1
    step = _ALONE if alone else _ROW
    floor = _TOP + step * len(told)
    margin = told[0][0].margin
    return Forest(
        height=floor + _TICKS,
        floor=floor,
        marks=tuple(
            IntervalMark(
                label="" if alone else f"{line(lift.treatment, 32)} {signed_points(estimate)}, {lift.word}",
                label_y=_TOP + step * row + _LABEL,
                y=_TOP + step * (row + 1) - _ALONE // 2,
                low=_at(low, -1),
                high=_at(high, -1),
                estimate=_at(estimate, -1),
            )
            for row, (lift, estimate, low, high) in enumerate(told)
        ),
        zero=_at(0, -1),
        margin_start=_at(-margin, -1),
        margin_width=_long(2 * margin, 2),
        ticks=tuple(
            (_at(value, -1), signed_points(value), "start" if value < 0 else "end" if value > 0 else "middle")
            for value in (-1.0, 0.0, 1.0)
        ),
        description=" ".join((*(_told(lift, alone=alone) for lift, *_ in told), _scale(margin))),
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


def _span(lift: Lift) -> tuple[float, float, float] | None:
    if lift.estimate is None or lift.low is None or lift.high is None:
        return None
    return lift.estimate, lift.low, lift.high


def _told(lift: Lift, *, alone: bool) -> str:
    whose = "Difference" if alone else f"{line(lift.treatment, 40)}:"
    return f"{whose} {points(lift.estimate)}, interval from {signed_points(lift.low)} to {signed_points(lift.high)}."


def _scale(margin: float) -> str:
    return f"The scale goes from −100 to +100; the shaded band is the margin of {signed_points(margin)} around 0."


def _at(value: float, start: float) -> str:
    """A place on the scale from `start` to 1."""
    share = (min(max(value, start), 1) - start) / (1 - start)
    return f"{_EDGE + share * (100 - 2 * _EDGE):.1f}%"


def _long(length: float, scale: float) -> str:
    return f"{length / scale * (100 - 2 * _EDGE):.1f}%"
