"""Numbers as findings say them."""

from __future__ import annotations

import math

from skilltrial.records.json_value import Json

_LARGE = 1000
"""From here on decimals say nothing."""


def signed(value: float) -> str:
    """A difference with its sign: `+0.2037`, `+12,891`."""
    return f"{value:+,.0f}" if abs(value) >= _LARGE else f"{value:+.4g}"


def json_value(value: Json) -> Json:
    """A value that JSON can hold: NaN and infinities as texts."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
