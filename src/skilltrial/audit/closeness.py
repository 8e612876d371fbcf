"""How far a written figure may be from the right one without being wrong: half of the last digit that people write."""

from __future__ import annotations

from skilltrial.audit.claims import Metric

_SLACK = 1e-9
_TOLERANCES: dict[Metric, float] = {"pass_rate": 0.005, "time_seconds": 0.05, "tokens": 0.5}
SHARE = 0.001
"""Of times and tokens, which people round to a few digits."""
SPREAD_SHARE = 0.005
"""Of their spreads, which are worked out from rounded times and tokens."""


def close(metric: Metric, old: float, right: float, *, share: float = SHARE) -> bool:
    """Whether `old` is `right`, rounded. Rates are fractions of 1, times seconds; `share` is allowed of times and tokens."""
    tolerance = _TOLERANCES.get(metric, 0.0)
    if metric in ("time_seconds", "tokens"):
        tolerance = max(tolerance, share * abs(right))
    return abs(old - right) <= tolerance + _SLACK
