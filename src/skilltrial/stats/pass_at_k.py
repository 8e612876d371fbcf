"""Of k trials of a case, does at least one pass, or do all? The gap between the two is flakiness."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from skilltrial.stats.case_mean import CaseMean, case_mean
from skilltrial.stats.families import by_family
from skilltrial.stats.interval import Interval

Families = Sequence[Hashable | None]


def pass_at_k(
    passes: Sequence[int], runs: Sequence[int], *, k: int, families: Families | None = None, level: float = 0.95
) -> CaseMean:
    """The chance that at least one of `k` trials of a case passes, averaged over cases, t interval over cases within [0, 1].

    `passes[i]` of `runs[i]` trials of case i passed; cases of one of `families` (as in `by_family`) are one observation, and then
    `n_cases` counts those. A case's estimate is 1 - C(n - c, k) / C(n, k), unbiased for k <= n
    (Chen et al. 2021, *Evaluating large language models trained on code*). Raises ValueError where a case has fewer than k
    trials, since nothing unbiased can be said then, and at impossible counts.
    """
    _check(passes, runs, k)
    chances = [1 - math.comb(n - c, k) / math.comb(n, k) for c, n in zip(passes, runs, strict=True)]
    return _over_families(chances, families, level)


def pass_hat_k(
    passes: Sequence[int], runs: Sequence[int], *, k: int, families: Families | None = None, level: float = 0.95
) -> CaseMean:
    """The chance that all of `k` trials of a case pass (pass^k), averaged over cases, t interval over cases within [0, 1].

    Arguments and errors as in `pass_at_k`. A case's estimate is C(c, k) / C(n, k), unbiased for k <= n (Yao et al. 2024,
    *tau-bench: a benchmark for tool-agent-user interaction in real-world domains*).
    """
    _check(passes, runs, k)
    chances = [math.comb(c, k) / math.comb(n, k) for c, n in zip(passes, runs, strict=True)]
    return _over_families(chances, families, level)


def _check(passes: Sequence[int], runs: Sequence[int], k: int) -> None:
    if k < 1:
        raise ValueError(f"k is at least 1, not {k!r}")
    for position, (c, n) in enumerate(zip(passes, runs, strict=True)):
        if not 0 <= c <= n:
            raise ValueError(f"case {position} passed {c!r} of {n!r} trials")
        if k > n:
            raise ValueError(f"case {position} has {n!r} trials, too few for k = {k!r}")


def _over_families(chances: Sequence[float], families: Families | None, level: float) -> CaseMean:
    found = case_mean(chances if families is None else by_family(chances, families), level=level)
    if found.interval is None:
        return found
    interval = Interval(max(found.interval.low, 0.0), min(found.interval.high, 1.0))
    return CaseMean(estimate=found.estimate, interval=interval, n_cases=found.n_cases)
