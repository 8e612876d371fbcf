"""Does the skill help? The lift, its interval, and one of four words with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from skilltrial.aggregate.arms import Contest, contests
from skilltrial.aggregate.census import Census
from skilltrial.aggregate.findings import find
from skilltrial.aggregate.scores import CaseScores, case_scores, usable
from skilltrial.aggregate.words import LEVEL, word, worded_lift
from skilltrial.records.benchmark import Finding
from skilltrial.records.estimate import Lift, Word
from skilltrial.records.plan import Plan
from skilltrial.stats.adjusted_p import benjamini_hochberg
from skilltrial.stats.families import by_family
from skilltrial.stats.lift_interval import LiftInterval, lift_interval
from skilltrial.stats.permutation import exact_p, shuffled_p


def measure_lift(
    sides: Contest, scores: Sequence[CaseScores], *, findings: Sequence[Finding], margin: float, seed: int
) -> Lift | None:
    """The lift over the cases with a comparable score in both arms, cases weighted equally; None without both arms.

    Cases of one family are one observation, with the mean of its cases. `seed` is for the shuffles that give the p of
    graded scores.
    """
    if sides.treatment is None or sides.baseline is None:
        return None
    rows = usable(scores)
    families = [row.case.family for row in rows]
    interval = lift_interval(
        by_family([mean for row in rows if (mean := row.treatment_mean) is not None], families),
        by_family([mean for row in rows if (mean := row.baseline_mean) is not None], families),
        level=LEVEL,
    )
    lift = worded_lift(
        interval,
        _judge(interval, margin, rows, [finding for finding in findings if finding.severity == "invalid"]),
        treatment=sides.treatment.name,
        baseline=sides.baseline.name,
        repeats=[len(trials) for row in rows for trials in (row.treatment, row.baseline)],
        margin=margin,
        p_value=_p_value(rows, seed),
    )
    return replace(lift, n_cases=len(rows), n_clusters=interval.n_cases)


def measure_lifts(plan: Plan, census: Census, lift: Lift | None) -> tuple[Lift, ...]:
    """Of every other arm against the baseline, each with its own findings; the first is `lift`, with its p adjusted too."""
    if lift is None:
        return ()
    lifts = [lift]
    for sides in contests(plan)[1:]:
        scores = case_scores(plan, census, sides)
        findings = find(plan, census, sides, scores=scores)
        other = measure_lift(sides, scores, findings=findings, margin=lift.margin, seed=plan.seed)
        lifts += [] if other is None else [other]
    return _adjusted(lifts)


def _adjusted(lifts: Sequence[Lift]) -> tuple[Lift, ...]:
    tested = [place for place, lift in enumerate(lifts) if lift.p_value is not None]
    if len(lifts) == 1 or not tested:
        return tuple(lifts)
    found = dict(zip(tested, benjamini_hochberg([p for lift in lifts if (p := lift.p_value) is not None]), strict=True))
    return tuple(replace(lift, p_adjusted=found.get(place)) for place, lift in enumerate(lifts))


def _p_value(rows: Sequence[CaseScores], seed: int) -> float | None:
    strata = [row.stratum for row in rows]
    if all(score in (0, 1) for row in rows for score in row.treatment + row.baseline):
        return exact_p(strata)
    return shuffled_p(strata, np.random.default_rng(abs(seed)))


def _judge(
    interval: LiftInterval, margin: float, rows: Sequence[CaseScores], invalid: Sequence[Finding]
) -> tuple[Word, str]:
    if invalid:
        codes = ", ".join(dict.fromkeys(finding.code for finding in invalid))
        return "cannot tell", f"The comparison itself is not valid ({codes}); see the findings."
    if interval.n_cases == 1 < len(rows):
        return "cannot tell", "All cases are of one family, and that cannot speak for others: an interval needs two."
    return word(interval, margin)
