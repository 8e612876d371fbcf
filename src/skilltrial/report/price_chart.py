"""What the arms cost against what they reach: a numbered dot for each on the page, with a key that says the same in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from skilltrial.records.benchmark import ArmSummary, Benchmark
from skilltrial.records.estimate import Stat
from skilltrial.report import figures
from skilltrial.report.headline import arm_names, arm_title
from skilltrial.report.tables import overall_rate

_LEFT, _RIGHT = 12.0, 6.0
"""Room for the labels of the rates, and for dots at the end; in per cent of the width."""
_TOP, _DEEP = 14.0, 150.0
"""Pixels over the best rate, and from there down to 0 %."""
_FEWEST = 2
_NICE = (1, 2, 2.5, 5, 10)

Unit = Callable[[float | None], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """An arm. `x` is in per cent, `y` in pixels."""

    number: int
    x: str
    y: str
    words: str
    """Name, rate and cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceChart:
    """Rates over cost, or over tokens or time where no arm's cost is known."""

    measure: str
    dots: tuple[Dot, ...]
    rates: tuple[tuple[str, str], ...]
    """Place and label of the lines across."""
    end: float
    """What the scale ends at."""
    most: str
    """Label at the right end."""
    missing: tuple[str, ...]
    """Arms without the figure or without a rate."""


def price_chart(benchmark: Benchmark) -> PriceChart | None:
    """The drawing; None where fewer than two arms have both figures."""
    for measure, unit, stat_of in _MEASURES:
        known = _known(benchmark, stat_of)
        if len(known) >= _FEWEST and any(taken for _, _, taken in known):
            return _chart(benchmark, known, measure=measure, unit=unit)
    return None


def round_end(most: float) -> float:
    """The end of a scale that holds this: the next round figure above 0."""
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in _NICE if step * power >= most * (1 - 1e-9))


def _chart(benchmark: Benchmark, known: list[tuple[str, float, float]], *, measure: str, unit: Unit) -> PriceChart:
    end = round_end(max(taken for _, _, taken in known))
    drawn = {name for name, _, _ in known}
    return PriceChart(
        measure=measure,
        dots=tuple(
            Dot(
                number=number,
                x=f"{_LEFT + taken / end * (100 - _LEFT - _RIGHT):.1f}%",
                y=_height(rate),
                words=f"{arm_title(benchmark, name)}: {figures.percent(rate)}, {unit(taken)} a trial",
            )
            for number, (name, rate, taken) in enumerate(known, 1)
        ),
        rates=tuple((_height(rate), figures.percent(rate)) for rate in (1.0, 0.5, 0.0)),
        end=end,
        most=unit(end),
        missing=tuple(arm_title(benchmark, name) for name in arm_names(benchmark) if name not in drawn),
    )


def _known(benchmark: Benchmark, stat_of: Callable[[ArmSummary], Stat]) -> list[tuple[str, float, float]]:
    found: list[tuple[str, float, float]] = []
    for name in arm_names(benchmark):
        rate, summary = overall_rate(benchmark, name), benchmark.run_summary[name]
        taken = stat_of(summary).mean if isinstance(summary, ArmSummary) else None
        if rate is not None and taken is not None and 0 <= taken < math.inf:
            found.append((name, rate, taken))
    return found


def _cost(arm: ArmSummary) -> Stat:
    return arm.cost_usd


def _tokens(arm: ArmSummary) -> Stat:
    return arm.tokens


def _time(arm: ArmSummary) -> Stat:
    return arm.time_seconds


_MEASURES: tuple[tuple[str, Unit, Callable[[ArmSummary], Stat]], ...] = (
    ("cost", figures.dollars, _cost),
    ("tokens", lambda value: figures.count(value) + " tokens", _tokens),
    ("time", figures.seconds, _time),
)


def _height(rate: float) -> str:
    return f"{_TOP + (1 - rate) * _DEEP:.1f}"
