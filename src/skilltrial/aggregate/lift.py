"""Does the skill help? The lift, its interval, and one of four words with its reason."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.scores import CaseScores, usable
from skilltrial.aggregate.words import LEVEL, word, worded_lift
from skilltrial.records.benchmark import Finding
from skilltrial.records.estimate import Lift, Word
from skilltrial.stats.lift_interval import LiftInterval, lift_interval
from skilltrial.stats.permutation import exact_p, shuffled_p


def measure_lift(
    sides: Contest, scores: Sequence[CaseScores], *, findings: Sequence[Finding], margin: float, seed: int
) -> Lift | None:
    """The lift over the cases with a comparable score in both arms, cases weighted equally; None without both arms.

    `seed` is for the shuffles that give the p of graded scores.
    """
    if sides.treatment is None or sides.baseline is None:
        return None
    rows = usable(scores)
    interval = lift_interval(
        [mean for row in rows if (mean := row.treatment_mean) is not None],
        [mean for row in rows if (mean := row.baseline_mean) is not None],
        level=LEVEL,
    )
    return worded_lift(
        interval,
        _judge(interval, margin, [finding for finding in findings if finding.severity == "invalid"]),
        treatment=sides.treatment.name,
        baseline=sides.baseline.name,
        repeats=[len(trials) for row in rows for trials in (row.treatment, row.baseline)],
        margin=margin,
        p_value=_p_value(rows, seed),
    )


def _p_value(rows: Sequence[CaseScores], seed: int) -> float | None:
    strata = [row.stratum for row in rows]
    if all(score in (0, 1) for row in rows for score in row.treatment + row.baseline):
        return exact_p(strata)
    return shuffled_p(strata, np.random.default_rng(abs(seed)))


def _judge(interval: LiftInterval, margin: float, invalid: Sequence[Finding]) -> tuple[Word, str]:
    if invalid:
        codes = ", ".join(dict.fromkeys(finding.code for finding in invalid))
        return "cannot tell", f"The comparison itself is not valid ({codes}); see the findings."
    return word(interval, margin)
