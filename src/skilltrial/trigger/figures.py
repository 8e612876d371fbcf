"""Recall, precision, F1 and accuracy over queries, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from skilltrial.records.trigger_results import QueryResult, Share, TriggerFigures
from skilltrial.stats.interval import Interval
from skilltrial.stats.mean_rate import mean_rate

_LEVEL = 0.95
_BOTH = 1 - (1 - _LEVEL) / 2
"""Two intervals at this level hold together with at least `_LEVEL` (Bonferroni)."""

_Formula = Callable[[float, float, tuple[int, int]], float | None]


def trigger_figures(queries: Sequence[QueryResult]) -> TriggerFigures:
    """Over the queries with a result, canaries left out.

    R and F are means over queries, with the interval of `stats.mean_rate`. With P queries that should load the skill and N that
    should not, the rest are functions of both that rise with R and fall with F:

        precision = P R / (P R + N F)      F1 = 2 P R / (P + P R + N F)      accuracy = (P R + N (1 - F)) / (P + N)

    Their intervals go from the worst corner of the two intervals at 97.5 % to the best, so that they hold at least as often as they
    say. None where a class has no query; a single query has no interval.
    """
    decided = [each for each in queries if each.kind == "query" and each.rate.estimate is not None]
    wanted = [each.rate.estimate or 0.0 for each in decided if each.should_trigger]
    unwanted = [each.rate.estimate or 0.0 for each in decided if not each.should_trigger]
    both = (len(wanted), len(unwanted))
    r, f = _Mean(wanted), _Mean(unwanted)
    return TriggerFigures(
        recall=_mean(wanted),
        false_positives=_mean(unwanted),
        precision=_share(_precision, r, f, both),
        f1=_share(_f1, r, f, both),
        accuracy=_share(_accuracy, r, f, both),
        n_passed=sum(each.passes is True for each in decided),
        n_decided=len(decided),
    )


class _Mean:
    """A mean rate and its interval at the level of two."""

    def __init__(self, rates: Sequence[float]) -> None:
        found = mean_rate(rates, level=_BOTH)
        self.estimate = found.estimate
        self.interval = found.interval


def _mean(rates: Sequence[float]) -> Share:
    found = mean_rate(rates, level=_LEVEL)
    low, high = _ends(found.interval)
    return Share(estimate=found.estimate, low=low, high=high, n=len(rates))


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _share(formula: _Formula, r: _Mean, f: _Mean, both: tuple[int, int]) -> Share:
    n = sum(both)
    if r.estimate is None or f.estimate is None:
        return Share(estimate=None, n=n)
    estimate = formula(r.estimate, f.estimate, both)
    if estimate is None or r.interval is None or f.interval is None:
        return Share(estimate=estimate, n=n)
    low = formula(r.interval.low, f.interval.high, both)
    high = formula(r.interval.high, f.interval.low, both)
    return Share(estimate=estimate, low=low or 0.0, high=1.0 if high is None else high, n=n)


def _precision(r: float, f: float, both: tuple[int, int]) -> float | None:
    hits, misses = both[0] * r, both[1] * f
    return hits / (hits + misses) if hits + misses else None


def _f1(r: float, f: float, both: tuple[int, int]) -> float | None:
    return 2 * both[0] * r / (both[0] + both[0] * r + both[1] * f)


def _accuracy(r: float, f: float, both: tuple[int, int]) -> float | None:
    return (both[0] * r + both[1] * (1 - f)) / sum(both)
