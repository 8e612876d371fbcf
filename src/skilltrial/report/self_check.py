"""What a baseline that was run against itself says: what was seen, and what it means."""

from __future__ import annotations

from skilltrial.records.self_check import SelfCheck
from skilltrial.report.figures import plural, points, signed_points, size_in_points


def sentence(check: SelfCheck) -> str:
    """What was seen."""
    size = f"{plural(check.n_cases, 'case')} × {_runs(check)}"
    if check.low is None or check.high is None:
        return f"Cannot tell: with {size} the difference of the baseline from itself has no interval."
    seen = f"the baseline differs from itself by {points(check.estimate)}"
    interval = f"{check.level * 100:g} % interval {signed_points(check.low)} to {signed_points(check.high)}; {size}"
    if check.word == "cannot tell":
        return f"Cannot tell: {seen} ({interval}), and no difference at all would give an alarm with so few cases."
    if check.word == "false alarm":
        return f"False alarm: {seen} ({interval}), and the interval does not hold 0."
    return f"No false alarm: {seen} ({interval}), and the interval holds 0, as it should."


def meaning(check: SelfCheck) -> str:
    """What follows from it."""
    if check.word == "cannot tell":
        return "Give at least four cases with verdicts in both arms; eight or more say something."
    if check.word == "false alarm":
        return (
            "By chance about 1 of 20 such checks does so. Do it again with --iteration new: if it happens twice, something "
            "beside the skill differs between the arms (the service, the order, the judge), and lifts measured like this are "
            "not to be trusted."
        )
    reach = ""
    if check.visible is not None and check.visible >= 1:
        reach = " With so few cases not even the largest lift could be told from it."
    elif check.visible is not None:
        reach = f" Lifts below about {size_in_points(check.visible)} cannot be told from it."
    return f"So much is noise of agent, cases and judge.{reach}"


def _runs(check: SelfCheck) -> str:
    if check.repeats_min == check.repeats_max:
        return plural(check.repeats_max, "run")
    return f"{check.repeats_min}–{check.repeats_max} runs"
