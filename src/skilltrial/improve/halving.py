"""Sequential halving: all candidates a little, the better half of them more."""

from __future__ import annotations

import math
from collections.abc import Sequence

from skilltrial.records.improvement import Standing


def rungs(n_candidates: int, runs: int) -> tuple[int, ...]:
    """How many repeats of each case those that are left have had after each step; the last step has all `runs`.

    ceil(log2 K) steps for K candidates (Karnin, Koren & Somekh 2013, *Almost optimal exploration in multi-armed bandits*),
    each with about twice as many repeats as the one before, and no step without a further repeat.
    """
    n_steps = max(1, math.ceil(math.log2(n_candidates)))
    every = [max(1, runs // 2**left) for left in range(n_steps - 1, -1, -1)]
    return tuple(dict.fromkeys(every))


def kept(standings: Sequence[Standing], *, is_last: bool) -> tuple[str, ...]:
    """The better half, rounded up, in their order; after the last step the best. Of equals the earlier. Unknown comes last."""
    n = 1 if is_last else math.ceil(len(standings) / 2)
    ranked = sorted(standings, key=lambda each: -math.inf if each.estimate is None else each.estimate, reverse=True)
    best = {each.version for each in ranked[:n]}
    return tuple(each.version for each in standings if each.version in best)
