"""What each grading says of itself, held against its own criteria."""

from __future__ import annotations

import math
from collections.abc import Iterator

from skilltrial.audit.rules import (
    COUNTS_ALONE,
    NO_VERDICT,
    NOT_A_NUMBER,
    PERCENT,
    SUMMARY,
    SUMMARY_MISSING,
    UNREADABLE,
    inside,
)
from skilltrial.audit.scores import Round, Score
from skilltrial.records.audit import AuditFinding
from skilltrial.records.foreign import ForeignGrading, Statement, Tally

RATE_TOLERANCE = 0.005
"""Half of the second decimal, which is what rates are written with."""
SLACK = 1e-9


def grading_findings(found: Round) -> Iterator[AuditFinding]:
    """Summaries that contradict their criteria, counts that nobody can check, verdicts that are none."""
    for score in found.scores:
        grading = score.run.grading
        if grading is None:
            continue
        if grading.fault:
            yield UNREADABLE.at(
                grading.place, f"The grading cannot be read ({grading.fault}), and the run is in no rate."
            )
        elif grading.statements is None:
            yield COUNTS_ALONE.at(grading.place, "There are counts, but no criteria that they could be checked by.")
        else:
            yield from _verdicts(grading, grading.statements)
            yield from _tally(score, grading, family=found.family)


def is_percentage(rate: float) -> bool:
    """Whether a rate can be meant in per cent only. NaN is nothing."""
    return 1 + RATE_TOLERANCE < rate <= 100  # noqa: PLR2004 - per cent


def as_fraction(rate: float) -> float:
    """A rate as a fraction of 1, whichever scale it is written in."""
    return rate / 100 if is_percentage(rate) else rate


def _verdicts(grading: ForeignGrading, statements: tuple[Statement, ...]) -> Iterator[AuditFinding]:
    for number, statement in enumerate(statements):
        if statement.passed is None:
            place = inside(grading.place, f"expectations[{number}]")
            yield NO_VERDICT.at(place, f"No verdict for {statement.text[:120]!r} that can be read as yes or no.")


def _tally(score: Score, grading: ForeignGrading, *, family: str) -> Iterator[AuditFinding]:
    tally = grading.tally
    if tally is None:
        if family == "skill-creator" and grading.statements:
            rate = score.rate
            yield SUMMARY_MISSING.at(
                inside(grading.place, "summary"), "There is no summary; the criteria have the verdicts.", right=rate
            )
        return
    rate = tally.pass_rate
    if rate is not None and not math.isfinite(rate):
        place = inside(grading.place, "summary.pass_rate")
        yield NOT_A_NUMBER.at(place, "The pass rate is no number.", old=rate, right=score.rate)
    elif rate is not None and is_percentage(rate):
        place = inside(grading.place, "summary.pass_rate")
        yield PERCENT.at(place, "The pass rate is in per cent.", old=rate, right=score.rate)
    yield from _contradictions(score, grading.place, tally)


def _contradictions(score: Score, place: str, tally: Tally) -> Iterator[AuditFinding]:
    """One finding a grading: the rate where it is wrong, else the first count that is."""
    total = score.passed + score.failed
    if not total:
        return
    rights = {"passed": score.passed, "failed": score.failed, "total": total}
    wrong = [
        name
        for name, right in rights.items()
        if (old := getattr(tally, name)) is not None
        and math.isfinite(old)
        and abs(old - right) > SLACK
        and not (name == "total" and old == score.n_criteria)
    ]
    rate, right_rate = tally.pass_rate, score.passed / total
    if rate is not None and math.isfinite(rate) and abs(as_fraction(rate) - right_rate) > RATE_TOLERANCE + SLACK:
        yield SUMMARY.at(
            inside(place, "summary.pass_rate"),
            f"The summary says {rate:g}; {score.passed} of {total} criteria passed.",
            old=rate,
            right=right_rate,
        )
    elif wrong:
        name = wrong[0]
        old: float = getattr(tally, name)
        yield SUMMARY.at(
            inside(place, f"summary.{name}"),
            f"The summary says {name} {old:g}; {score.passed} of {total} criteria passed.",
            old=old,
            right=rights[name],
        )
