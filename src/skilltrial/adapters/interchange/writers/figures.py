"""Means and spreads as the targets have them, and differences with their sign."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, pstdev, stdev

from skilltrial.records.json_value import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Of known values only. `spread` is the sample's deviation (n − 1), 0 for one value, as the targets' own programs have it."""

    mean: float
    spread: float
    population_spread: float
    low: float
    high: float
    n: int


def figure(values: Iterable[float | None]) -> Figure | None:
    """None where no value is known."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return Figure(
        mean=fmean(known),
        spread=stdev(known) if len(known) > 1 else 0.0,
        population_spread=pstdev(known),
        low=min(known),
        high=max(known),
        n=len(known),
    )


def mean(values: Iterable[float | None]) -> float | None:
    """None where no value is known."""
    found = figure(values)
    return found.mean if found else None


def signed(difference: float, decimals: int) -> str:
    """A difference as text with its sign; zero is `+0`."""
    return f"{round(difference, decimals) + 0.0:+.{decimals}f}"


def without_unknown(fields: dict[str, Json]) -> dict[str, Json]:
    """The fields that are known: a target that has no place for null gets no key."""
    return {name: value for name, value in fields.items() if value is not None}
