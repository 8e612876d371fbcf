"""How much scores vary between cases and within them, with the usual values for what too few trials cannot say."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.aggregate.scores import CaseScores, usable
from skilltrial.records.pilot import Pilot
from skilltrial.stats.pilot import pilot_spread
from skilltrial.stats.planner import USUAL_SPREAD

ENOUGH_CASES = 10
"""Below, the variance between cases comes out as 0 too often to be planned with."""


def pilot(scores: Sequence[CaseScores]) -> Pilot | None:
    """The variances of an iteration's comparison; None where no case has a comparable score in both arms."""
    rows = usable(scores)
    if not rows:
        return None
    spread = pilot_spread([row.stratum for row in rows])
    if spread is None:
        lacking = "one case has no other beside it" if len(rows) == 1 else "no case has two graded runs in each arm"
        return _usual(rows, f"{lacking}.")
    if spread.between + spread.treatment + spread.baseline == 0:
        return _usual(rows, "nothing varies in these trials, which others cannot count on.")
    measured = Pilot(between=spread.between, treatment=spread.treatment, baseline=spread.baseline, n_cases=len(rows))
    if spread.between >= USUAL_SPREAD.between or len(rows) >= ENOUGH_CASES:
        return measured
    why = f"{len(rows)} cases say too little of how much lifts differ."
    return measured.model_copy(update={"between": USUAL_SPREAD.between, "assumed": ("between",), "why": why})


def _usual(rows: Sequence[CaseScores], why: str) -> Pilot:
    return Pilot(
        between=USUAL_SPREAD.between,
        treatment=USUAL_SPREAD.treatment,
        baseline=USUAL_SPREAD.baseline,
        n_cases=len(rows),
        assumed=("between", "within"),
        why=why,
    )
