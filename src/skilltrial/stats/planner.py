"""How many cases and repeats does it take, and what could a design of a given size see?

The lift over E cases, with r1 and r0 repeats of each in treatment and baseline, has the variance

    (between + treatment / r1 + baseline / r0) / E

and all functions use the same approximation of a one-sided t test of it (Miller 2024, *Adding error bars to evals*, with t in
place of normal quantiles):

    lift = (t(1 - alpha) + t(power)) sqrt(variance),    E - 1 degrees of freedom

Against the noncentral t that errs on the safe side: up to 7 points too little power with 5 cases, 2.5 with 10, 1 with 40.
The interval of the report is two-sided, and so asks for alpha = 0.025 at its level of 95 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from skilltrial.stats.domain import check_share
from skilltrial.stats.student_t import t_probability, t_quantile

_MOST_CASES = 1_000_000
_ROUNDING = 1e-9
"""So that 3.0000000000000004 repeats are three."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Variances of scores in [0, 1], none below 0."""

    between: float
    """Of the true lift, from case to case."""
    treatment: float
    """Of the scores of one case's trials, averaged over cases: of p (1 - p) where a trial passes or fails."""
    baseline: float

    def __post_init__(self) -> None:
        if not all(0 <= part < math.inf for part in (self.between, self.treatment, self.baseline)):
            raise ValueError(f"variances are 0 or more, not {self!r}")


@dataclass(frozen=True, slots=True)
class Repeats:
    """Of each case, by arm; at least one."""

    treatment: int
    baseline: int

    def __post_init__(self) -> None:
        if min(self.treatment, self.baseline) < 1:
            raise ValueError(f"each arm has at least one repeat, not {self!r}")


USUAL_SPREAD = Spread(between=0.03, treatment=0.17, baseline=0.17)
"""For want of a pilot: a lift of about 20 points that differs from case to case."""


def case_variance(spread: Spread, repeats: Repeats) -> float:
    """Of one case's observed difference: the variance of the lift over E cases is this over E."""
    return spread.between + spread.treatment / repeats.treatment + spread.baseline / repeats.baseline


def power(lift: float, *, n_cases: int, repeats: Repeats, spread: Spread, alpha: float = 0.05) -> float:
    """The chance that a one-sided test at `alpha` finds a true mean `lift` (in [-1, 1], above 0 for treatment better).

    Raises ValueError with fewer than two cases, without any variance, or at an alpha outside (0, 1).
    """
    check_share(alpha, "alpha")
    _check_cases(n_cases)
    error = math.sqrt(case_variance(spread, repeats) / n_cases)
    if error == 0:
        raise ValueError("without any variance there is nothing to plan")
    return t_probability(lift / error - t_quantile(1 - alpha, n_cases - 1), n_cases - 1)


def smallest_lift(*, n_cases: int, repeats: Repeats, spread: Spread, alpha: float = 0.05, power: float = 0.8) -> float:
    """The minimum detectable effect: the true lift that the test finds with the chance `power`. Above 1: none can be found.

    Raises ValueError with fewer than two cases, or unless 0 < alpha < power < 1.
    """
    return _quantiles(n_cases, alpha, power) * math.sqrt(case_variance(spread, repeats) / n_cases)


def cases_needed(
    lift: float, *, repeats: Repeats, spread: Spread, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """The fewest cases (at least 2) with which a true `lift` is found with the chance `power`; None above a million.

    Raises ValueError unless 0 < lift <= 1 and 0 < alpha < power < 1.
    """
    _check_lift(lift)

    def enough(n_cases: int) -> bool:
        return smallest_lift(n_cases=n_cases, repeats=repeats, spread=spread, alpha=alpha, power=power) <= lift

    low, high = 1, 2
    while not enough(high):
        if high > _MOST_CASES:
            return None
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def repeats_needed(lift: float, *, n_cases: int, spread: Spread, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """The fewest repeats, the same in both arms, with which a true `lift` is found with the chance `power`.

    None where no number of repeats suffices: what differs between cases is not averaged out by repeating them. Raises
    ValueError as `cases_needed`.
    """
    _check_lift(lift)
    room = n_cases * (lift / _quantiles(n_cases, alpha, power)) ** 2 - spread.between
    within = spread.treatment + spread.baseline
    if room < 0 or (room == 0 and within > 0):
        return None
    return max(1, math.ceil(within / room - _ROUNDING)) if within else 1


def cheapest_repeats(spread: Spread, *, case_cost: float, run_cost: float) -> float | None:
    """The repeats per arm that make the lift most exact for the money, sqrt(case / run (v1 + v0) / (2 between)); a fraction.

    `case_cost` is what another case costs by itself (writing it), `run_cost` what one trial costs, in the same unit. Round
    it up; below 1 it means 1. None without a spread between cases: then repeats are as good as cases, and need no writing.
    (The allocation of two-stage sampling: Cochran 1977, *Sampling Techniques*, 10.6.) Raises ValueError at costs that are
    not above 0.
    """
    if not (case_cost > 0 and run_cost > 0):
        raise ValueError(f"costs are above 0, not {case_cost!r} and {run_cost!r}")
    if spread.between == 0:
        return None
    return math.sqrt(case_cost / run_cost * (spread.treatment + spread.baseline) / (2 * spread.between))


def neyman_repeats(spread: Spread, n_runs: int) -> Repeats:
    """How to share `n_runs` trials of each case between the arms so that the lift is most exact: about as sqrt(v) to sqrt(v).

    Of shares that are equally good the most even one. Neyman 1934, *On the two different aspects of the representative
    method*. Raises ValueError with fewer than two trials.
    """
    if n_runs < 2:  # noqa: PLR2004 (one for each arm)
        raise ValueError(f"each arm needs a trial of a case, so {n_runs!r} are too few")
    shares = [Repeats(n, n_runs - n) for n in range(1, n_runs)]
    return min(shares, key=lambda r: (case_variance(spread, r), abs(r.treatment - r.baseline)))


def _quantiles(n_cases: int, alpha: float, power: float) -> float:
    _check_cases(n_cases)
    check_share(alpha, "alpha")
    check_share(power, "power")
    if power <= alpha:
        raise ValueError(f"power {power!r} is had without any lift at alpha = {alpha!r}")
    return t_quantile(1 - alpha, n_cases - 1) + t_quantile(power, n_cases - 1)


def _check_cases(n_cases: int) -> None:
    if n_cases < 2:  # noqa: PLR2004 (no degrees of freedom)
        raise ValueError(f"a test needs two cases, not {n_cases!r}")


def _check_lift(lift: float) -> None:
    if not 0 < lift <= 1:
        raise ValueError(f"the lift to find is above 0 and at most 1, not {lift!r}")
