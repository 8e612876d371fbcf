"""Several variants on one scale, from comparisons of two at a time that may end in a tie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skilltrial.stats.domain import check_share
from skilltrial.stats.interval import Interval

Array = npt.NDArray[np.float64]
_HALF = 0.5
_MOST_STEPS = 200
_LONGEST_STEP = 2.0
_PRECISION = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """Of one variant: the log of its strength, the mean of all variants being 0. No interval where all cases are alike."""

    log_strength: float
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Variants in the order given. Of two equal ones a share tie / (2 + tie) of comparisons is tied."""

    strengths: tuple[Strength, ...]
    tie: float
    n_cases: int


def bradley_terry(
    wins: npt.ArrayLike, ties: npt.ArrayLike, *, rng: np.random.Generator, level: float = 0.95, resamples: int = 1_000
) -> Ranking:
    """Strengths of K variants by Davidson's model, with percentile intervals from `resamples` bootstraps over cases.

    `wins[c, i, j]` counts how often i was preferred to j in case c; `ties[c, i, j]` ties of i and j, the same as
    `ties[c, j, i]`. Both are of shape (cases, K, K), with zeros on the diagonal. With p for strengths and v for the tie:

        P(i beats j) = p_i / (p_i + p_j + v sqrt(p_i p_j)),    P(tie) = v sqrt(p_i p_j) / (the same)

    (Davidson 1970, *On extending the Bradley-Terry model to accommodate ties in paired comparison experiments*), by maximum
    likelihood, with half of each of the three outcomes added for every pair that was compared: so a variant that never lost
    has a finite strength, and few comparisons pull strengths together. Raises ValueError at other shapes, negative counts,
    NaN, ties that do not mirror, or variants that no chain of comparisons links.
    """
    check_share(level, "a level")
    won, tied = _checked(np.asarray(wins, dtype=np.float64), np.asarray(ties, dtype=np.float64))
    n_cases, n_variants = len(won), won.shape[1]
    linked = _linked((won + tied).sum(axis=0))
    logs, tie = _fit(won.sum(axis=0)[None], tied.sum(axis=0)[None], linked)
    intervals: list[Interval | None] = [None] * n_variants
    if (won != won[0]).any() or (tied != tied[0]).any():
        weights = rng.multinomial(n_cases, np.full(n_cases, 1 / n_cases), size=resamples).astype(np.float64)
        drawn, _ = _fit(np.tensordot(weights, won, axes=1), np.tensordot(weights, tied, axes=1), linked)
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
        intervals = [Interval(float(a), float(b)) for a, b in zip(low, high, strict=True)]
    strengths = tuple(
        Strength(log_strength=float(log), interval=interval) for log, interval in zip(logs[0], intervals, strict=True)
    )
    return Ranking(strengths=strengths, tie=float(tie[0]), n_cases=n_cases)


def _checked(won: Array, tied: Array) -> tuple[Array, Array]:
    if won.ndim != 3 or won.shape != tied.shape or won.shape[1] != won.shape[2] or 0 in won.shape:  # noqa: PLR2004 (K by K a case)
        raise ValueError(f"wins and ties are of shape (cases, K, K), not {won.shape!r} and {tied.shape!r}")
    if not (np.isfinite(won).all() and np.isfinite(tied).all() and won.min() >= 0 and tied.min() >= 0):
        raise ValueError("wins and ties are counts, 0 or more")
    if not np.array_equal(tied, tied.transpose(0, 2, 1)):
        raise ValueError("a tie of i and j is one of j and i too; the ties do not mirror")
    if np.diagonal(won + tied, axis1=1, axis2=2).any():
        raise ValueError("a variant was compared with itself")
    return won, tied


def _linked(counts: Array) -> Array:
    """Which pairs were compared, as 0 and 1. Every variant is reached from the first one along such pairs."""
    compared = (counts + counts.T) > 0
    reached = np.zeros(len(compared), dtype=bool)
    reached[0] = True
    for _ in range(len(compared)):
        reached |= compared[reached].any(axis=0)
    if not reached.all():
        apart = [int(i) for i in np.flatnonzero(~reached)]
        raise ValueError(f"no chain of comparisons links variants {apart!r} to variant 0")
    return compared.astype(np.float64)


def _fit(won: Array, tied: Array, linked: Array) -> tuple[Array, Array]:
    """Log strengths (fits, K) and ties (fits,) of many data sets (fits, K, K) at once, by Newton's steps.

    The model is an exponential family in the log strengths and the log of the tie, so the likelihood has one summit, where
    the scores and the ties expected are those that were observed.
    """
    won, tied = won + _HALF * linked, tied + _HALF * linked
    met = won + won.transpose(0, 2, 1) + tied
    observed: Array = np.append((won + tied / 2).sum(axis=2), tied.sum(axis=(1, 2))[:, None] / 2, axis=1)
    found: Array = np.zeros(observed.shape)
    for _ in range(_MOST_STEPS):
        expected, information = _moments(met, found)
        step = np.linalg.solve(information, (observed - expected)[:, :, None])[:, :, 0]
        largest = np.abs(step).max()
        found += step * np.minimum(1.0, _LONGEST_STEP / np.abs(step).max(axis=1, keepdims=True).clip(_PRECISION))
        if largest < _PRECISION:
            logs = found[:, :-1]
            return logs - logs.mean(axis=1, keepdims=True), np.exp(found[:, -1])
    raise ArithmeticError(f"the strengths have not settled after {_MOST_STEPS} steps")


def _moments(met: Array, found: Array) -> tuple[Array, Array]:
    """Expected scores and ties (fits, K + 1) and their covariances, with the free scale of the strengths pinned."""
    half_lead = (found[:, :-1, None] - found[:, None, :-1]) / 2
    tie = np.exp(found[:, -1])[:, None, None]
    total = np.exp(half_lead) + np.exp(-half_lead) + tie
    win, draw = np.exp(half_lead) / total, tie / total
    score = win + draw / 2
    spread = met * (win + draw / 4 - score**2)
    n_variants = met.shape[1]
    information = np.zeros((len(met), n_variants + 1, n_variants + 1))
    information[:, :-1, :-1] = np.eye(n_variants) * spread.sum(axis=2)[:, None] - spread + 1 / n_variants
    with_ties = (met * (draw / 2 - score * draw)).sum(axis=2)
    information[:, :-1, -1] = information[:, -1, :-1] = with_ties
    information[:, -1, -1] = (met * draw * (1 - draw)).sum(axis=(1, 2)) / 2
    expected = np.append((met * score).sum(axis=2), (met * draw).sum(axis=(1, 2))[:, None] / 2, axis=1)
    return expected, information
