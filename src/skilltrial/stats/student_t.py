"""Student's t distribution and its quantiles, from the regularised incomplete beta function."""

from __future__ import annotations

import math
from functools import lru_cache

_TINY = 1e-300
_MAX_TERMS = 10_000
_BISECTIONS = 60
_CENTRE = 0.5


def incomplete_beta(a: float, b: float, *, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a, b > 0 and 0 <= x <= 1.

    Continued fraction evaluated by the method of Lentz (Press et al. 2007, *Numerical Recipes*, 6.4).
    """
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - incomplete_beta(b, a, x=1 - x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) * _fraction(a, b, x) / a


def t_probability(t: float, df: float) -> float:
    """P(T <= `t`) at `df` degrees of freedom. Raises ValueError unless df > 0 and t is a number."""
    if not (df > 0 and not math.isnan(t)):
        raise ValueError(f"no t distribution at {t!r} with {df!r} degrees of freedom")
    if math.isinf(t):
        return float(t > 0)
    if t * t < df:
        return 0.5 + math.copysign(incomplete_beta(0.5, df / 2, x=t * t / (df + t * t)) / 2, t)
    beyond = incomplete_beta(df / 2, 0.5, x=df / (df + t * t)) / 2
    return beyond if t < 0 else 1 - beyond


@lru_cache(maxsize=256)
def t_quantile(probability: float, df: float) -> float:
    """The t with P(T <= t) = `probability` at `df` degrees of freedom.

    Raises ValueError unless 0 < probability < 1 and df > 0.
    """
    if not (0 < probability < 1 and df > 0):
        raise ValueError(f"no t quantile for probability {probability!r} at {df!r} degrees of freedom")
    if probability == _CENTRE:
        return 0.0
    if probability < _CENTRE:
        return -_upper_quantile(1 - 2 * probability, 2 * probability, df)
    return _upper_quantile(2 * probability - 1, 2 * (1 - probability), df)


def _upper_quantile(inside: float, outside: float, df: float) -> float:
    """The t > 0 with P(|T| <= t) = inside = 1 - outside. The smaller of the two is compared, so that no digits are lost."""

    def too_far(t: float) -> bool:
        if inside < outside:
            return incomplete_beta(0.5, df / 2, x=t * t / (df + t * t)) > inside
        return incomplete_beta(df / 2, 0.5, x=df / (df + t * t)) < outside

    high = 1.0
    while not too_far(high):
        high *= 2
    while too_far(high / 2):
        high /= 2
    low = high / 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if too_far(middle) else (middle, high)
    return (low + high) / 2


def _fraction(a: float, b: float, x: float) -> float:
    ratio = 1.0
    inverse = 1 / _nonzero(1 - (a + b) * x / (a + 1))
    value = inverse
    for m in range(1, _MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            inverse = 1 / _nonzero(1 + term * inverse)
            ratio = _nonzero(1 + term / ratio)
            step = inverse * ratio
            value *= step
        if abs(step - 1) < 1e-15:  # noqa: PLR2004 (the precision of a float)
            break
    return value


def _nonzero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
