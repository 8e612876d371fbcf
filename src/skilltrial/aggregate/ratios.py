"""How many times as much does an arm take as the baseline? Seconds, tokens and cost."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census, Entry
from skilltrial.records.estimate import Measure, Ratio
from skilltrial.stats.families import by_family
from skilltrial.stats.geometric_ratio import geometric_ratio

Families = Mapping[str, str | None]

LEVEL = 0.95
_MEASURES: tuple[Measure, ...] = ("seconds", "tokens", "cost_usd")


def ratios(census: Census, contests: Sequence[Contest]) -> tuple[Ratio, ...]:
    """Every measure for every comparison. A case counts where both arms have the figure; its trials that lack it are left out.

    A trial that took nothing has no ratio, and to leave it out would flatter its arm: then there is none for the comparison.
    """
    by_arm: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in census.counted:
        by_arm[entry.arm.name].append(entry)
    return tuple(ratio for sides in contests for ratio in _of(sides, by_arm))


def _of(sides: Contest, by_arm: defaultdict[str, list[Entry]]) -> Iterator[Ratio]:
    if sides.treatment is None or sides.baseline is None:
        return
    names = sides.treatment.name, sides.baseline.name
    families = {entry.case.id: entry.case.family for name in names for entry in by_arm[name]}
    for measure in _MEASURES:
        new, old = (_by_case(by_arm[name], measure) for name in names)
        shared = [case for case in new if case in old]
        taken = [number for case in shared for number in new[case] + old[case]]
        whole = all(number > 0 for number in taken)
        shared = shared if whole else []
        found = geometric_ratio(*(_by_family(taken_by, shared, families) for taken_by in (new, old)), level=LEVEL)
        yield Ratio(
            treatment=names[0],
            baseline=names[1],
            measure=measure,
            estimate=found.estimate,
            low=found.interval and found.interval.low,
            high=found.interval and found.interval.high,
            level=LEVEL,
            n_cases=found.n_cases,
        )


def _by_case(entries: Sequence[Entry], measure: Measure) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for entry in entries:
        number: float | None = getattr(entry, measure)
        if number is not None and math.isfinite(number):
            found.setdefault(entry.case.id, []).append(number)
    return found


def _by_family(taken: Mapping[str, Sequence[float]], cases: Sequence[str], families: Families) -> list[float]:
    """Geometric means of cases, and of those of one family their geometric mean: it is one observation."""
    logs = [math.fsum(map(math.log, taken[case])) / len(taken[case]) for case in cases]
    return [math.exp(mean) for mean in by_family(logs, [families[case] for case in cases])]
