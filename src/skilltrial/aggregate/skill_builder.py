"""The part of `benchmark.json` that skill-builder's reader knows: `configs` and `comparison`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census, Entry, eval_id
from skilltrial.records.benchmark import AssertionRow, Comparison, ConfigEval, ConfigSummary
from skilltrial.records.estimate import Lift
from skilltrial.records.plan import Arm, Plan
from skilltrial.records.suite import Case
from skilltrial.stats.summary import mean, summarise


def configs(plan: Plan, census: Census) -> Mapping[str, ConfigSummary]:
    """One entry an arm, treatment first, with the cases that were planned for it."""
    return {arm.name: _config(arm, plan, census) for arm in census.arms}


def comparison(
    summaries: Mapping[str, ConfigSummary], assertions: Sequence[AssertionRow], *, sides: Contest, lift: Lift | None
) -> Comparison | None:
    """Treatment against baseline; None without both arms. `pass_rate_delta` is the lift."""
    if sides.treatment is None or sides.baseline is None:
        return None
    treatment, baseline = summaries[sides.treatment.name], summaries[sides.baseline.name]
    return Comparison(
        pass_rate_delta=lift.estimate if lift else None,
        token_overhead_percent=_overhead(treatment.total_tokens_mean, baseline.total_tokens_mean),
        time_overhead_percent=_overhead(treatment.duration_ms_mean, baseline.duration_ms_mean),
        non_discriminating_assertions=tuple(dict.fromkeys(row.text for row in always(assertions, sides, passing=True))),
    )


def always(assertions: Sequence[AssertionRow], sides: Contest, *, passing: bool) -> list[AssertionRow]:
    """The assertions that hold (or fail) in every graded trial of both arms, each graded at least once."""
    names = [arm.name for arm in sides.arms]
    return [
        row
        for row in assertions
        if all(row.graded[name] > 0 and row.passed[name] == (row.graded[name] if passing else 0) for name in names)
    ]


def _config(arm: Arm, plan: Plan, census: Census) -> ConfigSummary:
    own = [entry for entry in census.counted if entry.arm.name == arm.name]
    by_case: dict[str, list[Entry]] = {key.case_id: [] for key in census.planned if key.arm == arm.name}
    for entry in own:
        by_case[entry.case.id].append(entry)
    rows = tuple(_config_eval(case, by_case[case.id]) for case in plan.suite.cases if case.id in by_case)
    tokens = summarise(entry.tokens for entry in own if entry.tokens is not None)
    duration = summarise(ms for entry in own if (ms := entry.trial.duration_ms) is not None)
    return ConfigSummary(
        overall_pass_rate=mean(row.pass_rate for row in rows if row.pass_rate is not None),
        total_tokens_mean=tokens.mean,
        total_tokens_stddev=tokens.sd,
        duration_ms_mean=duration.mean,
        duration_ms_stddev=duration.sd,
        evals=rows,
    )


def _config_eval(case: Case, entries: Sequence[Entry]) -> ConfigEval:
    return ConfigEval(
        eval_id=eval_id(case),
        pass_rate=mean(entry.score for entry in entries if entry.score is not None),
        pass_count=sum(entry.grading.n_passed for entry in entries),
        fail_count=sum(entry.grading.n_failed for entry in entries),
        tokens=mean(entry.tokens for entry in entries if entry.tokens is not None),
        duration_ms=mean(ms for entry in entries if (ms := entry.trial.duration_ms) is not None),
    )


def _overhead(treatment: float | None, baseline: float | None) -> float | None:
    if treatment is None or not baseline:
        return None
    return (treatment - baseline) / baseline * 100
