"""How much scores vary between cases and within them, with the usual values for what too few trials cannot say."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.aggregate.scores import CaseScores, usable
from skilltrial.records.pilot import Pilot
from skilltrial.stats.permutation import Stratum
from skilltrial.stats.pilot import pilot_spread
from skilltrial.stats.planner import USUAL_SPREAD

ENOUGH_CASES = 10
"""Below, the variance between cases comes out as 0 too often to be planned with."""


def pilot(scores: Sequence[CaseScores]) -> Pilot | None:
    """The variances of an iteration's comparison; None where no case has a comparable score in both arms."""
    return pilot_of([row.stratum for row in usable(scores)])


def pilot_of(strata: Sequence[Stratum]) -> Pilot | None:
    """The same of the trials' scores by case."""
    if not strata:
        return None
    spread = pilot_spread(strata)
    if spread is None:
        lacking = "one case has no other beside it" if len(strata) == 1 else "no case has two graded runs in each arm"
        return _usual(len(strata), f"{lacking}.")
    if spread.between + spread.treatment + spread.baseline == 0:
        return _usual(len(strata), "nothing varies in these trials, which others cannot count on.")
    measured = Pilot(between=spread.between, treatment=spread.treatment, baseline=spread.baseline, n_cases=len(strata))
    if spread.between >= USUAL_SPREAD.between or len(strata) >= ENOUGH_CASES:
        return measured
    why = f"{len(strata)} cases say too little of how much lifts differ."
    return measured.model_copy(update={"between": USUAL_SPREAD.between, "assumed": ("between",), "why": why})


def _usual(n_cases: int, why: str) -> Pilot:
    return Pilot(
        between=USUAL_SPREAD.between,
        treatment=USUAL_SPREAD.treatment,
        baseline=USUAL_SPREAD.baseline,
        n_cases=n_cases,
        assumed=("between", "within"),
        why=why,
    )
