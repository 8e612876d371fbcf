"""How often a version that is no better is accepted: the whole rule, without agents."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from skilltrial.improve.halving import kept, rungs
from skilltrial.improve.verdict import is_worth_a_look, result_of, standing_of
from skilltrial.records.improvement import ScorePair, Standing

ROUNDS, CANDIDATES, PATIENCE, RUNS = 3, 3, 2, 3
N = 500
SPREAD = 0.3
"""Half of the cases go up by it and half go down, by chance: effects that cancel out."""
Passes = list[list[bool]]
"""By case and repeat."""


def _standing(name: str, new: Passes, old: Passes, repeats: int) -> Standing:
    pairs = [
        ScorePair(case_id=str(n), version=sum(one[:repeats]) / repeats, incumbent=sum(other[:repeats]) / repeats)
        for n, (one, other) in enumerate(zip(new, old, strict=True))
    ]
    return standing_of(name, "incumbent", pairs, iteration=1, repeats=repeats)


def _passes(rng: random.Random, rates: Sequence[float], spread: float = 0.0) -> Passes:
    return [
        [rng.random() < rate for _ in range(RUNS)] for rate in (each + rng.choice((-spread, spread)) for each in rates)
    ]


def _accepts(rng: random.Random, n_select: int, n_holdout: int, spread: float) -> bool:
    """One improvement with versions that are as good as the incumbent on average, which runs anew beside them each time."""
    select, holdout = ([0.5] * n for n in (n_select, n_holdout))
    for _ in range(PATIENCE):  # so many rounds without an accepted version end it
        old_select, old_holdout = _passes(rng, select), _passes(rng, holdout)
        alive = {str(n): _passes(rng, select, spread) for n in range(CANDIDATES)}
        standings: list[Standing] = []
        for n, repeats in enumerate(steps := rungs(CANDIDATES, RUNS), 1):
            standings = [_standing(name, passes, old_select, repeats) for name, passes in alive.items()]
            left = kept(standings, is_last=n == len(steps))
            alive = {name: alive[name] for name in left}
        (best,) = (each for each in standings if each.version in alive)
        if not is_worth_a_look(best):
            continue
        if result_of(_standing("best", _passes(rng, holdout, spread), old_holdout, RUNS)) == "won":
            return True
    return False


@pytest.mark.parametrize("spread", [0, SPREAD])
@pytest.mark.parametrize(("n_select", "n_holdout"), [(2, 4), (9, 12), (18, 24)])
def test_what_is_no_better_is_hardly_ever_accepted(n_select: int, n_holdout: int, spread: float) -> None:
    """In at most 5 of 100 improvements, as the docs say; with cases enough it happens, so that the test can see it."""
    rng = random.Random(f"{n_select} {n_holdout} {spread}")
    share = sum(_accepts(rng, n_select, n_holdout, spread) for _ in range(N)) / N
    assert share <= 0.05
    assert share > 0 or n_holdout == 4
