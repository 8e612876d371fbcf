"""The drawing of lifts over iterations: places in per cent of the width and in pixels of the height."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.records.trend import Trend
from skilltrial.report.comparisons import interval_words
from skilltrial.report.figures import points
from skilltrial.report.history import shown_lift

HEIGHT = 200
"""From +100 points at the top to −100 at the bottom."""
_LEFT, _RIGHT, _TOP = 8.0, 98.0, 12
_MOST_LABELS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One iteration with a lift."""

    x: str
    y: str
    low: str | None
    high: str | None
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A line from one iteration to the next, which is comparable."""

    x1: str
    y1: str
    x2: str
    y2: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryChart:
    """Everything that is drawn."""

    marks: tuple[Mark, ...]
    links: tuple[Link, ...]
    breaks: tuple[str, ...]
    """Places between iterations that are not comparable."""
    labels: tuple[tuple[str, str], ...]
    """Place and number of iterations."""
    scale: tuple[tuple[str, str], ...]
    """Place and text of +100, 0 and −100."""


def history_chart(trend: Trend) -> HistoryChart | None:
    """The drawing; None where no iteration has a lift. Nothing is drawn where there is none: a gap."""
    n_points = len(trend.points)
    step = -(-n_points // _MOST_LABELS)
    marks: list[Mark] = []
    links: list[Link] = []
    last: Mark | None = None
    for number, point in enumerate(trend.points):
        lift = shown_lift(point)
        if lift is None or lift.estimate is None:
            last = None
            continue
        told = f"iteration {point.iteration}: {points(lift.estimate)}, interval {interval_words(lift)}, {lift.word}"
        x, y = _x(number, n_points), _y(lift.estimate)
        low, high = (None, None) if lift.low is None or lift.high is None else (_y(lift.low), _y(lift.high))
        mark = Mark(x=x, y=y, low=low, high=high, description=told)
        if last is not None and point.comparable:
            links.append(Link(x1=last.x, y1=last.y, x2=x, y2=y))
        marks.append(mark)
        last = mark
    if not marks:
        return None
    apart = [i for i, point in enumerate(trend.points) if i and point.row is not None and not point.comparable]
    return HistoryChart(
        marks=tuple(marks),
        links=tuple(links),
        breaks=tuple(_x(number - 0.5, n_points) for number in apart),
        labels=tuple((_x(i, n_points), str(point.iteration)) for i, point in enumerate(trend.points) if i % step == 0),
        scale=tuple((_y(value), text) for value, text in ((1.0, "+100"), (0.0, "0"), (-1.0, "−100"))),
    )


def _x(number: float, n_points: int) -> str:
    return f"{_LEFT + (number + 0.5) / n_points * (_RIGHT - _LEFT):.2f}%"


def _y(value: float) -> str:
    return f"{_TOP + (1 - min(max(value, -1.0), 1.0)) / 2 * HEIGHT:.1f}"
