"""What a plan will probably take: from earlier trials, before anything is started."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skilltrial.records.budget import Estimate, Forecast
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Plan
from skilltrial.records.trial import Trial, TrialKey

_Z = 1.96
"""Half of the range, in standard deviations of the sum."""
_AGENT_HAD_ITS_CHANCE = frozenset({"completed", "timed_out", "agent_failed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Trials made before with the same agent program and model, and their gradings."""

    trials: tuple[Trial, ...] = ()
    gradings: tuple[Grading, ...] = ()

    @property
    def largest(self) -> tuple[float | None, float | None]:
        """The most that one trial cost (US dollars), and the most tokens that one took."""
        costs = [trial.cost_usd for trial in self.trials if trial.cost_usd is not None]
        tokens = [total for trial in self.trials if (total := trial.usage.total_tokens) is not None]
        return max(costs, default=None), max(tokens, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pool:
    n: int
    mean: float
    variance: float | None
    """None of a single trial."""


def is_alike(earlier: Plan, plan: Plan) -> bool:
    """Whether trials of an earlier plan tell something about this one: same agent program, model and endpoint."""
    first, second = earlier.harness, plan.harness
    return (first.name, first.model, first.base_url) == (second.name, second.model, second.base_url)


def make_forecast(
    plan: Plan,
    missing: Sequence[TrialKey],
    past: Past,
    *,
    concurrency: int,
    free: bool,
    n_finished: int = 0,
    n_beyond: int = 0,
) -> Forecast:
    """What the `missing` trials will take. Retries after errors of tools are not foreseen.

    A trial is expected to take the mean of the earlier ones of its case and arm; where there are none, of its arm; else of
    all. A figure is None where no earlier trial tells it. The range is that of a sum of independent trials with the spread of
    the earlier ones, each mean itself being uncertain: n s² + n² s² / m for n trials from m earlier ones.
    """
    ended = [trial for trial in past.trials if trial.outcome in _AGENT_HAD_ITS_CHANCE]
    judged = [grading for grading in past.gradings if grading.judge and grading.judge.model == plan.judge]
    seconds = _sum(missing, [(t.key, None if t.duration_ms is None else t.duration_ms / 1000) for t in ended])
    return Forecast(
        n_planned=len(plan.trials),
        n_finished=n_finished,
        n_to_run=len(missing),
        n_beyond=n_beyond,
        tokens=_sum(missing, [(trial.key, trial.usage.total_tokens) for trial in ended]),
        cost_usd=Estimate(mean=0.0) if free else _sum(missing, [(trial.key, trial.cost_usd) for trial in ended]),
        seconds=None if seconds is None else _scaled(seconds, 1 / max(1, min(concurrency, len(missing)))),
        judge_usd=_sum(missing, [(item.key, item.judge.cost_usd if item.judge else None) for item in judged]),
        judge=plan.judge,
        basis=len(ended),
        free=free,
    )


def _sum(missing: Sequence[TrialKey], told: Iterable[tuple[TrialKey, float | None]]) -> Estimate | None:
    known = [(key, value) for key, value in told if value is not None]
    if not missing:
        return Estimate(mean=0.0, low=0.0, high=0.0)
    if not known:
        return None
    pools = _pools(known)
    mean, variance, is_sure = 0.0, 0.0, True
    for (case_id, arm), n in Counter((key.case_id, key.arm) for key in missing).items():
        near = [pool for name in ((case_id, arm), (arm,), ()) if (pool := pools.get(name))]
        spread = next((pool for pool in near if pool.variance is not None), None)
        mean += n * near[0].mean
        is_sure = is_sure and spread is not None
        variance += (spread.variance or 0.0 if spread else 0.0) * (n + n**2 / near[0].n)
    half = _Z * math.sqrt(variance)
    return Estimate(mean=mean, low=max(0.0, mean - half), high=mean + half) if is_sure else Estimate(mean=mean)


def _pools(known: Sequence[tuple[TrialKey, float]]) -> Mapping[tuple[str, ...], _Pool]:
    """By case and arm, by arm, and all together."""
    values: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for key, value in known:
        for name in ((key.case_id, key.arm), (key.arm,), ()):
            values[name].append(value)
    return {
        name: _Pool(
            n=len(pool),
            mean=statistics.fmean(pool),
            variance=statistics.variance(pool) if len(pool) > 1 else None,
        )
        for name, pool in values.items()
    }


def _scaled(estimate: Estimate, by: float) -> Estimate:
    low, high = estimate.low, estimate.high
    return Estimate(
        mean=estimate.mean * by, low=None if low is None else low * by, high=None if high is None else high * by
    )
