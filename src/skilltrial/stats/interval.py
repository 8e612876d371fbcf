"""An interval, whatever it was made for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, both inside, in the units of what it is about."""

    low: float
    high: float
