"""Do the trials of one case agree? Passes of each case in each arm, and pass@k and pass^k over the cases of an arm."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from skilltrial.aggregate.census import Census
from skilltrial.records.estimate import OverCases, PassRate, Reliability
from skilltrial.stats.case_mean import CaseMean
from skilltrial.stats.pass_at_k import pass_at_k, pass_hat_k
from skilltrial.stats.wilson import wilson

_FEWEST = 2


def trial_passes(census: Census) -> Mapping[str, Mapping[str, PassRate]]:
    """By id of the case and name of the arm, where it has a graded trial; arms in their order."""
    counts: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for entry in census.counted:
        counts[entry.case.id, entry.arm.name].append(entry.grading.n_failed == 0)
    found: defaultdict[str, dict[str, PassRate]] = defaultdict(dict)
    for (case_id, arm), passed in counts.items():
        interval = wilson(sum(passed), len(passed))
        found[case_id][arm] = PassRate(passed=sum(passed), graded=len(passed), low=interval.low, high=interval.high)
    return found


def reliability(census: Census, passes: Mapping[str, Mapping[str, PassRate]]) -> Mapping[str, Reliability]:
    """Of every arm, over the cases with a graded trial in it; those of one family are one observation, as in the lift."""
    families = {entry.case.id: entry.case.family for entry in census.counted}
    return {arm.name: _of(*_rows_of(arm.name, passes, families)) for arm in census.arms}


def _rows_of(
    arm: str, passes: Mapping[str, Mapping[str, PassRate]], families: Mapping[str, str | None]
) -> tuple[list[PassRate], list[str | None]]:
    having = [case_id for case_id, row in passes.items() if arm in row]
    return [passes[case_id][arm] for case_id in having], [families[case_id] for case_id in having]


def _of(cases: list[PassRate], families: list[str | None]) -> Reliability:
    k = min((case.graded for case in cases), default=0)
    if k < _FEWEST:
        return Reliability(k=None, pass_at_k=None, pass_hat_k=None)
    passed, graded = [case.passed for case in cases], [case.graded for case in cases]
    return Reliability(
        k=k,
        pass_at_k=_over_cases(pass_at_k(passed, graded, k=k, families=families)),
        pass_hat_k=_over_cases(pass_hat_k(passed, graded, k=k, families=families)),
    )


def _over_cases(found: CaseMean) -> OverCases:
    interval = found.interval
    return OverCases(
        estimate=found.estimate,
        low=interval and interval.low,
        high=interval and interval.high,
        n_cases=found.n_cases,
    )
