"""Which of two outputs was preferred: the share won by treatment, ties counted as half."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.stats.case_mean import CaseMean
from skilltrial.stats.domain import check_scores
from skilltrial.stats.interval import Interval
from skilltrial.stats.lift_interval import lift_interval


def win_rate(scores: Sequence[float], *, level: float = 0.95) -> CaseMean:
    """Mean over cases of the share won, from one score a case in [0, 1]: 1 won, 0 lost, 1/2 a tie; their mean over repeats.

    The interval is that of the lift with d = 2 s - 1, where a case won is one that passes in treatment alone, and a tie one
    that does not differ; so it has width also where all cases are won. A half is no preference. None without a case, no
    interval from one. Raises ValueError at a score outside [0, 1] or NaN.
    """
    check_scores(scores, "score")
    differences = [2 * score - 1 for score in scores]
    lift = lift_interval([max(d, 0.0) for d in differences], [max(-d, 0.0) for d in differences], level=level)
    return CaseMean(
        estimate=None if lift.estimate is None else (1 + lift.estimate) / 2,
        interval=None if lift.low is None or lift.high is None else Interval((1 + lift.low) / 2, (1 + lift.high) / 2),
        n_cases=lift.n_cases,
    )
