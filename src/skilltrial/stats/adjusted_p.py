"""p values of several tests, adjusted for there being several. Each is compared with alpha as if it were the only one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted for the chance of even one false rejection, whatever their dependence; in the order given. For gates.

    Holm 1979, *A simple sequentially rejective multiple test procedure*. Raises ValueError at a p outside [0, 1] or NaN.
    """
    order = _ascending(p_values)
    m = len(order)
    raised = accumulate((min(1.0, (m - rank) * p_values[i]) for rank, i in enumerate(order)), max)
    return _restored(order, list(raised))


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted for the expected share of false ones among the rejected (independent or positively dependent). For displays.

    Benjamini & Hochberg 1995, *Controlling the false discovery rate*. In the order given. Raises ValueError at a p outside
    [0, 1] or NaN.
    """
    order = _ascending(p_values)[::-1]
    m = len(order)
    lowered = accumulate((min(1.0, m / (m - rank) * p_values[i]) for rank, i in enumerate(order)), min)
    return _restored(order, list(lowered))


def _ascending(p_values: Sequence[float]) -> list[int]:
    for position, p in enumerate(p_values):
        if not 0 <= p <= 1:
            raise ValueError(f"p value {position} is {p!r}; it is from 0 to 1")
    return sorted(range(len(p_values)), key=lambda i: p_values[i])


def _restored(order: Sequence[int], adjusted: Sequence[float]) -> list[float]:
    found = dict(zip(order, adjusted, strict=True))
    return [found[i] for i in range(len(order))]
