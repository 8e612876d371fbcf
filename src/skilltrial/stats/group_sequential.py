"""Stop early, and still be wrong at most one time in twenty: looks after whole rounds, up to a number fixed before.

A round runs every case once in each arm. The null is sharp: on these cases the arm makes no difference, so each pair of a case
whose scores differ falls to either arm like a fair coin. Given how many differ, the joint distribution of the sums at all looks is
a random walk, computed exactly by convolution with the paths that have stopped taken out; no normal approximation. By the end
of round r of R the chance to have stopped for an effect under the null is at most alpha (r / R)^1.5 (Kim & DeMets 1987, *Design
and analysis of group sequential tests based on the type I error spending rate function*). One-sided: evidence that treatment is
better. With effects that average to zero it rejects more often than alpha: it answers for these cases, not for cases like these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from skilltrial.stats.domain import check_share

Verdict = Literal["effect", "futile", "no effect found", "go on"]
FIRST_LOOK = 2
"""No stop before each case has run twice."""
_SPENDING_POWER = 1.5
_FUTILE = 0.10
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Round:
    """Pairs of one round in which treatment's score was higher, and in which it was lower. The others do not count."""

    wins: int
    losses: int


@dataclass(frozen=True, slots=True)
class Boundary:
    """Of one look."""

    net: int | None
    """The least wins less losses so far that stop for an effect; None where none can."""
    spent: float
    """The chance under the null to have stopped for an effect by now; at most alpha."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is seen after a round."""

    net: int
    """Wins less losses so far."""
    boundary: Boundary
    conditional_power: float | None
    """The chance to reach the end with an effect if the trend goes on; None before any pair differed, and in the last round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialTest:
    """Where it stands. `verdict` is of the last look: looks after a stop are not made."""

    verdict: Verdict
    looks: tuple[Look, ...]


def group_sequential(rounds: Sequence[Round], *, max_rounds: int, alpha: float = 0.05) -> SequentialTest:
    """Look after each of `rounds`, in order, of at most `max_rounds`; stop at the first look that decides.

    "effect": the boundary is reached. "futile": from round 2 on, before the last, conditional power under the trend so far is
    below 10 % (normal approximation), or no pair has differed in three rounds. The rule is non-binding: going on regardless
    does not raise the error. "no effect found": all rounds are over. Raises ValueError with more rounds than `max_rounds`, at
    negative counts, or at an alpha outside (0, 1).
    """
    if any(min(one.wins, one.losses) < 0 for one in rounds):
        raise ValueError(f"counts are 0 or more, not {tuple(rounds)!r}")
    edges = boundaries([one.wins + one.losses for one in rounds], max_rounds=max_rounds, alpha=alpha)
    looks: list[Look] = []
    for r, boundary in enumerate(edges, start=1):
        seen = rounds[:r]
        look = Look(
            net=sum(one.wins - one.losses for one in seen),
            boundary=boundary,
            conditional_power=_conditional_power(seen, max_rounds, alpha),
        )
        looks.append(look)
        verdict = _verdict(look, r, max_rounds)
        if verdict != "go on":
            return SequentialTest(verdict=verdict, looks=tuple(looks))
    return SequentialTest(verdict="go on", looks=tuple(looks))


def boundaries(pairs: Sequence[int], *, max_rounds: int, alpha: float = 0.05) -> tuple[Boundary, ...]:
    """The boundary after each round, from how many `pairs` differed in it; who won them does not matter to it.

    What a look does not spend, since whole pairs fit no share exactly, is left to the next. Raises ValueError as
    `group_sequential`.
    """
    check_share(alpha, "alpha")
    if not len(pairs) <= max_rounds:
        raise ValueError(f"{len(pairs)} rounds are more than the {max_rounds!r} that were planned")
    walk, spent = np.ones(1), 0.0
    found: list[Boundary] = []
    for r, m in enumerate(pairs, start=1):
        walk = np.convolve(walk, _steps(m))
        target = alpha * (r / max_rounds) ** _SPENDING_POWER if r >= min(FIRST_LOOK, max_rounds) else 0.0
        net = _boundary(walk, target - spent)
        if net is not None:
            stopped = len(walk) // 2 + net
            spent += float(walk[stopped:].sum())
            walk[stopped:] = 0
        found.append(Boundary(net, spent))
    return tuple(found)


def _steps(m: int) -> npt.NDArray[np.float64]:
    """Chances of the net of a round from -m to m, where m pairs differ and each is a fair coin."""
    chances = np.zeros(2 * m + 1)
    chances[::2] = [math.comb(m, k) / 2**m for k in range(m + 1)]
    return chances


def _boundary(walk: npt.NDArray[np.float64], allowed: float) -> int | None:
    """The least net whose tail has at most the chance `allowed`; None where the walk cannot get there."""
    if allowed <= 0:
        return None
    tails = np.cumsum(walk[::-1])[::-1]
    fits = np.flatnonzero((walk > 0) & (tails <= allowed + _ROUNDING))
    return int(fits[0]) - len(walk) // 2 if len(fits) else None


def _conditional_power(seen: Sequence[Round], max_rounds: int, alpha: float) -> float | None:
    """That the net at the end is beyond a fixed design's boundary, if pairs go on to differ, and to fall, as they did."""
    pairs = sum(one.wins + one.losses for one in seen)
    if pairs == 0 or len(seen) == max_rounds:
        return None
    net = sum(one.wins - one.losses for one in seen)
    to_come = pairs / len(seen) * (max_rounds - len(seen))
    needed = NormalDist().inv_cdf(1 - alpha) * math.sqrt(pairs + to_come)
    return 1 - NormalDist().cdf((needed - net - net / pairs * to_come) / math.sqrt(to_come))


def _verdict(look: Look, r: int, max_rounds: int) -> Verdict:
    if look.boundary.net is not None and look.net >= look.boundary.net:
        return "effect"
    if r == max_rounds:
        return "no effect found"
    if look.conditional_power is None:
        return "futile" if r > FIRST_LOOK else "go on"
    return "futile" if r >= FIRST_LOOK and look.conditional_power < _FUTILE else "go on"
