"""Trials that took far more than the others of their arm, and arms that change while the trials run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from statistics import median

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census, Entry
from skilltrial.stats.summary import summarise

FAR = 3.5
"""Robust standard deviations from the median, of logarithms (Iglewicz & Hoaglin 1993, *How to detect and handle outliers*)."""
_ENOUGH = 8
"""Trials of an arm."""
_OF_NORMAL = 1.4826
"""Times the median distance from the median, this is the standard deviation of a normal distribution."""
_TWICE = 2.0
"""What is less than this times the median is not worth a word, however alike the others are."""
_ENOUGH_IN_TIME = 20
_STANDARD_ERRORS = 3.0


def outliers(census: Census, sides: Contest) -> Iterator[str]:
    """A sentence each for time and tokens, with the farthest trial."""
    measures: tuple[tuple[str, str, Callable[[Entry], float | None]], ...] = (
        ("time", "{:,.1f} s", lambda entry: entry.seconds),
        ("tokens", "{:,.0f}", lambda entry: entry.tokens),
    )
    for what, form, measure in measures:
        far: list[tuple[float, str]] = []
        n = 0
        for arm in sides.arms:
            own = [
                (number, entry) for entry in census.counted if entry.arm.name == arm.name and (number := measure(entry))
            ]
            n += len(own)
            middle, limit = _limits([number for number, _ in own])
            far += [
                (number / middle, f"{entry.key} {form.format(number)}, median {form.format(middle)}")
                for number, entry in own
                if number > limit
            ]
        if far:
            yield (
                f"Outliers of {what}, over {FAR:g} robust deviations and twice the median of their arm: {len(far)} of {n} "
                f"trials; the farthest is {max(far)[1]}."
            )


def drift(census: Census, sides: Contest) -> Iterator[str]:
    """A sentence where the later half of the trials scores otherwise than the earlier half, case by case and arm by arm."""
    names = {arm.name for arm in sides.arms}
    own = [entry for entry in census.counted if entry.arm.name in names and entry.trial.reused_from is None]
    groups: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for entry in own:
        groups[entry.case.id, entry.arm.name].append(entry.score or 0.0)
    apart: list[tuple[datetime, float]] = []
    for entry in own:
        scores, started = groups[entry.case.id, entry.arm.name], _moment(entry.trial.started_at)
        if len(scores) > 1 and started is not None:
            apart.append((started, (entry.score or 0.0) - math.fsum(scores) / len(scores)))
    apart.sort(key=lambda each: each[0])
    half = len(apart) // 2
    if len(apart) < _ENOUGH_IN_TIME or apart[half - 1][0] == apart[half][0]:
        return
    early, late = (summarise(score for _, score in part) for part in (apart[:half], apart[half:]))
    if early.mean is None or late.mean is None or early.sd is None or late.sd is None:
        return
    change = late.mean - early.mean
    error = math.sqrt(early.sd**2 / early.n + late.sd**2 / late.n)
    if abs(change) > _STANDARD_ERRORS * error and abs(change) > 0:
        yield (
            f"Drift: within cases and arms, the later half of {len(apart)} trials scores {abs(change) * 100:.0f} points "
            f"{'higher' if change > 0 else 'lower'} than the earlier half (standard error {error * 100:.0f})."
        )


def _limits(numbers: Sequence[float]) -> tuple[float, float]:
    """The median, and what lies far above it; infinite where few numbers or no spread tell nothing."""
    if len(numbers) < _ENOUGH:
        return 1.0, math.inf
    logs = [math.log(number) for number in numbers]
    middle = median(logs)
    spread = _OF_NORMAL * median(abs(log - middle) for log in logs)
    return math.exp(middle), math.exp(middle + max(FAR * spread, math.log(_TWICE)))


def _moment(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found
