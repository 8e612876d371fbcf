"""A promoted baseline, and what has become of it, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skilltrial.records.promoted import CaseChange, CaseDrift, Drift, PromotedArm, PromotedBaseline
from skilltrial.report.figures import NOTHING, dollars, percent, plural, points, seconds, signed_points
from skilltrial.report.plain_text import line

_ORDER: dict[CaseChange, int] = {"worse": 0, "better": 1, "same": 2, "not compared": 3}
_CASE = 24
"""Columns of a case's id."""


def promoted_headline(promoted: PromotedBaseline) -> str:
    """Which figures these are."""
    judges = f"; judged by {', '.join(promoted.judges)}" if promoted.judges else "; no judge"
    return f"{promoted.skill}, iteration {promoted.iteration}, planned {promoted.timestamp}{judges}."


def arm_headline(name: str, arm: PromotedArm) -> str:
    """Who did it."""
    program = f"{arm.harness} {arm.harness_version or ''}".strip()
    return f"{name} ({arm.role}): {program}, {', '.join(arm.models) or 'model unknown'}."


def arm_rows(arm: PromotedArm) -> Iterator[str]:
    """A line a case, of 80 columns."""
    yield f"  {'score':>6}  {'passed':>8}  {'time':>10}  {'cost':>9}  case"
    for case_id, case in arm.cases.items():
        took = f"{seconds(case.seconds):>10}  {dollars(case.cost_usd):>9}"
        yield f"  {percent(case.score):>6}  {f'{case.passed} of {case.n}':>8}  {took}  {line(case_id, 37)}"


def drift_headline(drift: Drift) -> str:
    """How far the treatment arm is from the promoted one, and in how many cases."""
    if drift.estimate is None:
        return f"{drift.skill}: no case can be compared with the promoted {drift.arm_then}."
    counts = Counter(case.change for case in drift.cases)
    interval = "no interval below two cases"
    if drift.low is not None and drift.high is not None:
        interval = f"95 % interval {signed_points(drift.low)} to {signed_points(drift.high)}"
    return (
        f"{drift.arm_now} is at {points(drift.estimate)} from the promoted {drift.arm_then} ({interval}, "
        f"{plural(drift.n_cases, 'case')}): {counts['better']} better, {counts['worse']} worse, {counts['same']} the same."
    )


def drift_rows(drift: Drift) -> Iterator[str]:
    """A line a case, of 80 columns, the worse ones first; the ranges are Wilson's, of the share of passed trials."""
    compared = [case for case in drift.cases if case.change != "not compared"]
    if compared:
        yield f"  {'':<6}  {'case':<{_CASE}}  {'score':>14}  {'passed then':<12} {'passed now':<12}".rstrip()
        yield from (_row(case) for case in sorted(compared, key=lambda case: _ORDER[case.change]))
    for case in drift.cases:
        if case.change == "not compared":
            yield f"  not compared: {line(case.case_id, _CASE)} ({case.why})"


def _row(case: CaseDrift) -> str:
    scores = f"{percent(case.then)} → {percent(case.now)}"
    then = _range(case.passed_then, case.n_then, case.low_then, case.high_then)
    now = _range(case.passed_now, case.n_now, case.low_now, case.high_now)
    return f"  {case.change:<6}  {line(case.case_id, _CASE):<{_CASE}}  {scores:>14}  {then:<12} {now}".rstrip()


def _range(passed: int, n: int, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return NOTHING
    return f"{passed}/{n} {percent(low).removesuffix(' %')}–{percent(high)}"
