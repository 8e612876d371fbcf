"""What a plan will probably take: from earlier trials, before anything is started."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skilltrial.records.budget import Estimate, Forecast
from skilltrial.records.grading import Grading, JudgeFacts
from skilltrial.records.plan import HarnessChoice, Plan
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.stats.student_t import t_quantile

_UPPER = 0.975
_FEWEST = 3
"""So many earlier trials at least say something about their spread."""
_Agent = tuple[object, ...]
_Name = tuple[object, ...]
_AGENT_HAD_ITS_CHANCE = frozenset({"completed", "timed_out", "agent_failed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Trials made before with the same agent program and model, and their gradings."""

    trials: tuple[Trial, ...] = ()
    gradings: tuple[Grading, ...] = ()

    @property
    def largest(self) -> tuple[float | None, float | None]:
        """The most that one trial cost (US dollars), and the most tokens that one took."""
        costs = [cost for trial in self.trials if (cost := trial.spent_usd()) is not None]
        tokens = [total for trial in self.trials if (total := trial.spent_tokens) is not None]
        return max(costs, default=None), max(tokens, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pool:
    n: int
    mean: float
    variance: float | None
    """None where there are too few."""


def is_alike(earlier: Plan, plan: Plan) -> bool:
    """Whether some trials of an earlier plan tell something about this one: see `tells`."""
    return not _agents(earlier).isdisjoint(_agents(plan))


def tells(trial: Trial, earlier: Plan, plan: Plan) -> bool:
    """Whether one of its trials counts: of an agent program, model, endpoint and arguments that an arm of this plan has too.

    A copy is counted where it was run, a time-out says nothing of another limit.
    """
    cut = trial.outcome == "timed_out" and earlier.timeout_s != plan.timeout_s
    alike = _agent(earlier.harness_of(trial.key.arm)) in _agents(plan)
    return alike and trial.reused_from is None and not cut


def _agents(plan: Plan) -> set[tuple[object, ...]]:
    return {_agent(arm.harness or plan.harness) for arm in plan.arms}


def _agent(used: HarnessChoice) -> tuple[object, ...]:
    return used.name, used.described, used.model, used.base_url, used.args


def make_forecast(
    plan: Plan,
    missing: Sequence[TrialKey],
    past: Past,
    *,
    concurrency: int,
    free: frozenset[str] = frozenset(),
    n_finished: int = 0,
    n_beyond: int = 0,
    unjudged: Sequence[TrialKey] = (),
) -> Forecast:
    """What the `missing` trials will take, and judging them and the `unjudged`. Retries after errors of tools are not foreseen.

    `free` are arms whose agents cost no money; the model that plays their user does. A trial is expected to take the mean of the
    earlier ones of its agent program, model and arguments, case and arm; where there are none, of its arm; else of all with that
    agent. A figure is None where no earlier trial tells it. The range is that of a sum of independent trials with the spread of
    the earlier ones, each mean itself being uncertain: n s² + n² s² / m for n trials from m earlier ones, whose spread is
    estimated too (Student's t with the degrees of freedom of Satterthwaite 1946, *An approximate distribution of estimates of
    variance components*). There is none where fewer than 3 earlier trials are known.
    """
    ended = [trial for trial in past.trials if trial.outcome in _AGENT_HAD_ITS_CHANCE]
    judged = [grading for grading in past.gradings if grading.judge and grading.judge.model == plan.judge]
    prose = {case.id for case in plan.suite.cases if any(item.type == "llm_judge" for item in case.assertions)}
    to_judge = [key for key in (*missing, *unjudged) if plan.judge and key.case_id in prose]
    played = {case.id for case in plan.suite.cases if case.responder}
    all_free = not played and all(arm.name in free for arm in plan.arms)
    free_agents = {_of_arm(plan, arm) for arm in free}
    due = [(_of_arm(plan, key.arm), key) for key in missing]
    told = [(_of_trial(trial), trial) for trial in ended]
    paid = [(agent, key) for agent, key in due if key.arm not in free or key.case_id in played]
    seconds = _sum(due, [(a, t.key, None if t.duration_ms is None else t.duration_ms / 1000) for a, t in told])
    return Forecast(
        n_planned=len(plan.trials),
        n_finished=n_finished,
        n_to_run=len(missing),
        n_beyond=n_beyond,
        tokens=_sum(due, [(agent, trial.key, trial.spent_tokens) for agent, trial in told]),
        cost_usd=Estimate(mean=0.0)
        if all_free
        else _sum(paid, [(a, t.key, t.spent_usd(free=a in free_agents)) for a, t in told]),
        seconds=None if seconds is None else _scaled(seconds, 1 / max(1, min(concurrency, len(missing)))),
        judge_usd=_sum(
            [((), key) for key in to_judge],
            [((), item.key, _judging_usd(item.judge, plan) if item.judge else None) for item in judged],
        ),
        judge=plan.judge,
        n_to_judge=len(to_judge),
        n_judge_calls=sum(_n_calls(plan, key.case_id) for key in to_judge),
        basis=len(ended),
        free=all_free,
    )


def _judging_usd(facts: JudgeFacts, plan: Plan) -> float | None:
    """What the same judges would have cost with as many samples as planned."""
    return None if facts.cost_usd is None else facts.cost_usd * plan.judge_samples / max(1, facts.samples)


def _n_calls(plan: Plan, case_id: str) -> int:
    """Of judges about one trial: each of the panel once, and each that only assertions name, for every sample."""
    prose = [each for each in plan.case(case_id).assertions if each.type == "llm_judge"]
    panel = set((plan.judge or "").split(",")) if any(each.model is None for each in prose) else set[str]()
    return len(panel | {each.model for each in prose if each.model}) * plan.judge_samples


def _of_arm(plan: Plan, arm: str) -> _Agent:
    used = plan.harness_of(arm)
    return (used.name, used.model, used.args)


def _of_trial(trial: Trial) -> _Agent:
    return (trial.harness.name, trial.harness.model_asked, trial.harness.args)


def _sum(
    missing: Sequence[tuple[_Agent, TrialKey]], told: Iterable[tuple[_Agent, TrialKey, float | None]]
) -> Estimate | None:
    known = [(agent, key, value) for agent, key, value in told if value is not None]
    if not missing:
        return Estimate(mean=0.0, low=0.0, high=0.0)
    pools = _pools(known)
    n_from: Counter[tuple[_Name, _Name | None]] = Counter()
    for (agent, case_id, arm), n in Counter((agent, key.case_id, key.arm) for agent, key in missing).items():
        near = [name for name in ((agent, case_id, arm), (agent, arm), (agent,)) if name in pools]
        if not near:
            return None
        n_from[near[0], next((name for name in near if pools[name].variance is not None), None)] += n
    mean = sum(n * pools[source].mean for (source, _), n in n_from.items())
    parts: dict[_Name, float] = defaultdict(float)
    for (source, spread), n in n_from.items():
        if spread is None:
            return Estimate(mean=mean)
        parts[spread] += (pools[spread].variance or 0.0) * (n + n**2 / pools[source].n)
    half = _half({name: (variance, pools[name].n - 1) for name, variance in parts.items()}.values())
    return Estimate(mean=mean, low=max(0.0, mean - half), high=mean + half)


def _half(parts: Iterable[tuple[float, int]]) -> float:
    """Half of the range of a sum, from the variance of each part and its degrees of freedom."""
    varied = [(variance, df) for variance, df in parts if variance > 0]
    if not varied:
        return 0.0
    total = sum(variance for variance, _ in varied)
    df = total**2 / sum(variance**2 / df for variance, df in varied)
    return t_quantile(_UPPER, df) * math.sqrt(total)


def _pools(known: Sequence[tuple[_Agent, TrialKey, float]]) -> Mapping[_Name, _Pool]:
    """By agent, case and arm, by agent and arm, and by agent."""
    values: dict[_Name, list[float]] = defaultdict(list)
    for agent, key, value in known:
        for name in ((agent, key.case_id, key.arm), (agent, key.arm), (agent,)):
            values[name].append(value)
    return {
        name: _Pool(
            n=len(pool),
            mean=statistics.fmean(pool),
            variance=statistics.variance(pool) if len(pool) >= _FEWEST else None,
        )
        for name, pool in values.items()
    }


def _scaled(estimate: Estimate, by: float) -> Estimate:
    low, high = estimate.low, estimate.high
    return Estimate(
        mean=estimate.mean * by, low=None if low is None else low * by, high=None if high is None else high * by
    )
