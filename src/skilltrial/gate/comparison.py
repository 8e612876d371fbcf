"""What the primary rule is about: a treatment arm against the baseline arm, or against what was promoted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.estimate import Lift
from skilltrial.records.plan import Plan
from skilltrial.records.promoted import Drift
from skilltrial.stats.permutation import Stratum


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A difference of pass rates over cases, as a fraction of 1, with its interval at 95 %; None is unknown."""

    about: str
    estimate: float | None
    low: float | None
    high: float | None
    half_width: float | None
    """Before the interval is clipped."""
    n_cases: int
    n_clusters: int
    """Independent observations."""
    repeats: tuple[int, int]
    """The fewest of a case and the most."""
    strata: tuple[Stratum, ...] = ()
    """Trials' scores by case, in treatment and baseline; empty where those of the one side are not known."""
    level: float = 0.95


def against_arm(plan: Plan, benchmark: Benchmark) -> list[Comparison]:
    """Of every treatment arm with the baseline arm; none where there is no baseline arm."""
    treatments = {arm.name for arm in plan.arms if arm.role == "treatment"}
    lifts = benchmark.lifts or ((benchmark.lift,) if benchmark.lift else ())
    return [_of_lift(lift, benchmark) for lift in lifts if lift.treatment in treatments]


def against_promoted(drifts: Sequence[Drift]) -> list[Comparison]:
    """Of the treatment arms with what was promoted."""
    return [_of_drift(drift) for drift in drifts]


def _of_lift(lift: Lift, benchmark: Benchmark) -> Comparison:
    return Comparison(
        about=f"{lift.treatment} vs {lift.baseline}",
        estimate=lift.estimate,
        low=lift.low,
        high=lift.high,
        half_width=lift.visible,
        n_cases=lift.n_cases,
        n_clusters=lift.n_cases if lift.n_clusters is None else lift.n_clusters,
        repeats=(lift.repeats_min, lift.repeats_max),
        strata=_strata(benchmark, lift.treatment, lift.baseline),
        level=lift.level,
    )


def _strata(benchmark: Benchmark, treatment: str, baseline: str) -> tuple[Stratum, ...]:
    """Of whole trials: with one-armed assertions a little beside the scores that are compared, which a forecast can bear."""
    scores: defaultdict[str, dict[str, list[float]]] = defaultdict(lambda: {treatment: [], baseline: []})
    for run in benchmark.runs:
        if run.configuration in {treatment, baseline}:
            scores[str(run.eval_id)][run.configuration].append(run.result.pass_rate)
    both = (arms for arms in scores.values() if arms[treatment] and arms[baseline])
    return tuple(Stratum(tuple(arms[treatment]), tuple(arms[baseline])) for arms in both)


def _of_drift(drift: Drift) -> Comparison:
    compared = [case for case in drift.cases if case.change != "not compared"]
    repeats = [n for case in compared for n in (case.n_then, case.n_now)]
    return Comparison(
        about=f"{drift.arm_now} vs promoted {drift.arm_then}",
        estimate=drift.estimate,
        low=drift.low,
        high=drift.high,
        half_width=drift.half_width,
        n_cases=drift.n_cases,
        n_clusters=drift.n_clusters,
        repeats=(min(repeats, default=0), max(repeats, default=0)),
    )
