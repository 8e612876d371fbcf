"""What numbers estimators take: a NaN must not pass through a formula and come out as a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence


def check_finite(values: Sequence[float], what: str) -> None:
    """Raises ValueError at the first of `values` that is NaN or infinite; `what` names them in the message."""
    for position, value in enumerate(values):
        if not math.isfinite(value):
            raise ValueError(f"{what} {position} is {value!r}, not a number; leave out what is unknown")


def check_scores(values: Sequence[float], what: str) -> None:
    """Raises ValueError at the first of `values` outside [0, 1]; NaN is outside."""
    for position, value in enumerate(values):
        if not 0 <= value <= 1:
            raise ValueError(f"{what} {position} is {value!r}; a score is from 0 to 1")


def check_share(value: float, what: str) -> None:
    """Raises ValueError unless 0 < `value` < 1; `what` names it in the message."""
    if not 0 < value < 1:
        raise ValueError(f"{what} is between 0 and 1, not {value!r}")
