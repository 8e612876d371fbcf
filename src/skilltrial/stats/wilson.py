"""The interval for one rate: how far passes / n could be off from the chance of a pass."""

from __future__ import annotations

import math
from statistics import NormalDist

from skilltrial.stats.domain import check_share
from skilltrial.stats.interval import Interval


def wilson(passes: int, n: int, *, level: float = 0.95) -> Interval:
    """Score interval for the chance of a pass, from `passes` of `n` independent trials; within [0, 1].

    Wilson 1927, *Probable inference, the law of succession, and statistical inference*. Of no trials it is all of [0, 1].
    Trials of several cases are not independent: one case and arm at a time. Raises ValueError unless 0 <= passes <= n
    and 0 < level < 1.
    """
    if not 0 <= passes <= n:
        raise ValueError(f"passes have to be from 0 to n = {n!r}, not {passes!r}")
    check_share(level, "a level")
    if n == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (passes + z * z / 2) / (n + z * z)
    half_width = z * math.sqrt(passes * (n - passes) / n + z * z / 4) / (n + z * z)
    return Interval(
        low=0.0 if passes == 0 else centre - half_width,
        high=1.0 if passes == n else centre + half_width,
    )
