"""How many more cases or repeats would settle an undecided comparison?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from statistics import fmean

from skilltrial.aggregate.pilot import pilot_of
from skilltrial.gate.comparison import Comparison
from skilltrial.report.figures import plural, points
from skilltrial.stats.lift_interval import lift_interval
from skilltrial.stats.permutation import Stratum
from skilltrial.stats.planner import USUAL_SPREAD, Spread, cases_needed, repeats_needed
from skilltrial.stats.planner import Repeats as PlannedRepeats

_MOST = 2_000
"""More cases than this is no advice."""
_MOST_REPEATS = 50
_POWER = 0.8


def settling(compared: Comparison, threshold: float) -> str:
    """One sentence of what would most likely decide it if the true difference is the one that was observed.

    The planner at a power of 80 %; of cases also at least as many as the interval takes when it sees these cases again and
    again, since it keeps a width where all cases agree.
    """
    if compared.estimate is None or compared.n_clusters < 1:
        return "Nothing is known of the difference yet; two cases with a verdict in both are the least."
    distance = min(abs(compared.estimate - threshold), 1.0)
    found = pilot_of(compared.strata)
    spread = USUAL_SPREAD
    if found is not None:
        spread = Spread(between=found.between, treatment=found.treatment, baseline=found.baseline)
    repeats = max(compared.repeats[0], 1)
    ways: list[str] = []
    like_these = ""
    if distance > 0:
        alpha = (1 - compared.level) / 2
        planned = cases_needed(
            distance, repeats=PlannedRepeats(repeats, repeats), spread=spread, alpha=alpha, power=_POWER
        )
        least = _seen_again(compared.strata, threshold, compared.level) if compared.strata else None
        wanted = None if planned is None else max(planned, least or 0, compared.n_clusters + 1)
        ways.append(_cases(compared.n_clusters, wanted, at=plural(repeats, "repeat")))
        if _repeats_can(compared, threshold):
            ways.append(_repeats(compared, distance, spread, repeats))
        if least is not None and (wanted is None or least < wanted) and _all_alike(compared.strata):
            like_these = f" {least:,} cases in all are enough if every trial comes out like these."
    said = " or ".join(way for way in ways if way)
    stays = f"If the true difference is {points(compared.estimate)}, as observed"
    if not said:
        return f"{stays}, it is so close to {points(threshold)} that no sensible number of cases tells them apart.{like_these}"
    return f"{stays}, {said} would settle it with a chance of 80 %.{like_these}"


def _cases(n: int, wanted: int | None, *, at: str) -> str:
    if wanted is None or wanted > _MOST:
        return ""
    return f"about {wanted:,} cases in all ({wanted - n:,} more) at {at}"


def _all_alike(strata: Sequence[Stratum]) -> bool:
    """Every trial of an arm has the same score, in all cases."""
    return (
        len({score for each in strata for score in each.treatment})
        == 1
        == len({score for each in strata for score in each.baseline})
    )


def _repeats(compared: Comparison, distance: float, spread: Spread, repeats: int) -> str:
    if compared.n_clusters < 2 or spread.treatment + spread.baseline == 0:  # noqa: PLR2004 - no interval
        return ""
    alpha = (1 - compared.level) / 2
    needed = repeats_needed(distance, n_cases=compared.n_clusters, spread=spread, alpha=alpha, power=_POWER)
    if needed is None or not repeats < needed <= _MOST_REPEATS:
        return ""
    return f"{plural(needed, 'repeat')} of the {compared.n_clusters:,} cases"


def _repeats_can(compared: Comparison, threshold: float) -> bool:
    """Whether the interval of these cases would be decided if all of them agreed: more is not to be had by repeating them."""
    if not compared.strata:
        return False
    new = fmean(fmean(each.treatment) for each in compared.strata)
    old = fmean(fmean(each.baseline) for each in compared.strata)
    n = compared.n_clusters
    return _decided([new] * n, [old] * n, threshold, compared.level)


def _decided(treatment: Sequence[float], baseline: Sequence[float], threshold: float, level: float) -> bool:
    found = lift_interval(treatment, baseline, level=level)
    return found.low is not None and found.high is not None and not found.low <= threshold <= found.high


def _seen_again(strata: Sequence[Stratum], threshold: float, level: float) -> int | None:
    """The fewest cases, these repeated in turn, of which the whole interval lies on one side; None above `_MOST`."""
    pairs = [(fmean(each.treatment), fmean(each.baseline)) for each in strata]

    def decided(n: int) -> bool:
        repeated = list(islice(cycle(pairs), n))
        return _decided([new for new, _ in repeated], [old for _, old in repeated], threshold, level)

    return _first(decided, max(2, len(pairs)))


def _first(holds: Callable[[int], bool], start: int) -> int | None:
    low, high = start - 1, start
    while not holds(high):
        if high > _MOST:
            return None
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
