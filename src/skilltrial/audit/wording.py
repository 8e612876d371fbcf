"""Numbers as findings say them."""

from __future__ import annotations

import math

_LARGE = 1000
"""From here on decimals say nothing."""


def signed(value: float) -> str:
    """A difference with its sign: `+0.2037`, `+12,891`."""
    return f"{value:+,.0f}" if abs(value) >= _LARGE else f"{value:+.4g}"


def json_number(value: float | None) -> float | str | None:
    """A number as JSON can hold it: `nan` and `inf` as texts."""
    return value if value is None or math.isfinite(value) else str(value)
