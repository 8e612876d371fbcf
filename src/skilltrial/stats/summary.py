"""Mean, spread and range of a few numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_SAME = 1e-12
"""Scores are fractions of few assertions and repeats: nearer than this they are equal on paper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """None where the numbers do not say: all of nothing, the spread of one."""

    mean: float | None
    sd: float | None
    """Of the sample: divided by n - 1."""
    min: float | None
    max: float | None
    n: int


def summarise(values: Iterable[float]) -> Summary:
    """Mean, sample standard deviation, least and greatest of `values`, whatever their order."""
    numbers = list(values)
    centre = mean(numbers)
    if centre is None:
        return Summary(mean=None, sd=None, min=None, max=None, n=0)
    n = len(numbers)
    sd = math.sqrt(math.fsum((x - centre) ** 2 for x in numbers) / (n - 1)) if n > 1 else None
    return Summary(mean=centre, sd=sd, min=min(numbers), max=max(numbers), n=n)


def difference(new: float, old: float) -> float:
    """`new` less `old`, two means of scores; 0 where they differ by nothing but rounding, so that a sign always means something."""
    found = new - old
    return 0.0 if abs(found) < _SAME else found


def mean(values: Iterable[float]) -> float | None:
    """The arithmetic mean; None of nothing. Summed exactly, so that order does not matter."""
    numbers = list(values)
    return math.fsum(numbers) / len(numbers) if numbers else None
