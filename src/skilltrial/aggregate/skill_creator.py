"""The part of `benchmark.json` that skill-creator's reader knows: `metadata`, `runs`, `run_summary`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census, Entry, eval_id
from skilltrial.aggregate.likeness import served_models
from skilltrial.aggregate.stops import told
from skilltrial.aggregate.tables import eval_name
from skilltrial.grade.native import native_expectation
from skilltrial.records.benchmark import ArmSummary, BenchmarkMetadata, BenchmarkRun, RunResult
from skilltrial.records.estimate import Stat
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Arm, Plan
from skilltrial.records.trial import HarnessFacts
from skilltrial.stats.summary import summarise

_DECIMALS = {"pass_rate": 2, "time_seconds": 1, "tokens": 0}


def metadata(plan: Plan, census: Census, gradings: Iterable[Grading], *, now: str) -> BenchmarkMetadata:
    """Counted and observed, not asked for: models as they served, runs as they were graded."""
    judged = [grading.judge for grading in gradings if grading.judge is not None]
    judges = {facts.model for facts in judged}
    costs = [facts.cost_usd for facts in judged]
    known = [cost for cost in costs if cost is not None]
    models = served_models(census.trials)
    run = {entry.case.id for entry in census.counted}
    return BenchmarkMetadata(
        skill_name=plan.skill.name,
        skill_path=plan.skill.folder,
        executor_model=", ".join(models) or _models_asked(plan),
        analyzer_model=", ".join(sorted(judges)) or plan.judge,
        judge_calls=sum(facts.calls for facts in judged),
        judge_usd=sum(known) if known and len(known) == len(costs) else None,
        timestamp=now,
        evals_run=tuple(eval_id(case) for case in plan.suite.cases if case.id in run),
        runs_per_configuration=_runs_per_configuration(census),
        harness=_harness(plan, census, models),
        isolation="; ".join(dict.fromkeys(entry.trial.isolation for entry in census.entries)) or None,
        skill_fingerprint=plan.skill.fingerprint,
        suite_digest=plan.suite.digest,
        plan_digest=plan.digest,
        skilltrial_version=plan.skilltrial_version,
        seed=plan.seed,
        arms=_arms(plan, census),
    )


def benchmark_run(entry: Entry, score: float) -> BenchmarkRun:
    """A counted trial with its verdicts, and what has none beside them."""
    trial = entry.trial
    return BenchmarkRun(
        eval_id=eval_id(entry.case),
        eval_name=eval_name(entry.case),
        configuration=entry.arm.name,
        run_number=trial.key.repeat,
        result=RunResult(
            pass_rate=score,
            passed=entry.grading.n_passed,
            failed=entry.grading.n_failed,
            total=entry.grading.n_passed + entry.grading.n_failed,
            time_seconds=entry.seconds,
            tokens=entry.tokens,
            tool_calls=None if trial.tool_calls is None else sum(trial.tool_calls.values()),
            errors=trial.n_tool_errors,
        ),
        expectations=tuple(native_expectation(r) for r in entry.grading.results if r.verdict != "UNGRADED"),
        notes=tuple(_notes(entry)),
        outcome=trial.outcome,
        ungraded=entry.grading.n_ungraded,
        unanswered=tuple(
            {**native_expectation(r), "passed": None} for r in entry.grading.results if r.verdict == "UNGRADED"
        ),
        cost_usd=entry.cost_usd,
        skill=trial.evidence,
    )


def run_summary(census: Census, sides: Contest) -> Mapping[str, ArmSummary | Mapping[str, str]]:
    """One entry an arm, and `delta` where both compared arms have figures.

    As skill-creator does, means are over runs; cases with more runs weigh more. The lift weighs cases equally.
    """
    summary: dict[str, ArmSummary | Mapping[str, str]] = {}
    for arm in census.arms:
        planned = sum(key.arm == arm.name for key in census.planned)
        summary[arm.name] = _arm_summary([entry for entry in census.counted if entry.arm.name == arm.name], planned)
    if sides.treatment and sides.baseline:
        delta = _delta(summary[sides.treatment.name], summary[sides.baseline.name])
        if delta:
            summary.setdefault("delta", delta)
    return summary


def _runs_per_configuration(census: Census) -> int | str:
    counts = {(key.case_id, key.arm): 0 for key in census.planned}
    for entry in census.counted:
        counts[entry.case.id, entry.arm.name] += 1
    low, high = min(counts.values(), default=0), max(counts.values(), default=0)
    return low if low == high else f"{low}-{high}"


def _models_asked(plan: Plan) -> str | None:
    asked = dict.fromkeys(plan.harness_of(arm.name).model for arm in plan.arms)
    return ", ".join(model for model in asked if model) or None


def _arms(plan: Plan, census: Census) -> tuple[Arm, ...]:
    """Where one has an agent program of its own, that of every arm is said."""
    if not any(arm.harness for arm in census.arms):
        return tuple(census.arms)
    return tuple(arm.model_copy(update={"harness": plan.harness_of(arm.name)}) for arm in census.arms)


def _harness(plan: Plan, census: Census, models: Sequence[str]) -> HarnessFacts:
    first = census.arms[0].name if census.arms else ""
    chosen = plan.harness_of(first) if first else plan.harness
    observed = [*(entry.trial for entry in census.entries), *census.trials]
    own = [trial for trial in observed if trial.key.arm == first]
    facts = next((trial.harness for trial in own or observed), None) or HarnessFacts(
        name=chosen.name,
        version=chosen.version,
        model_asked=chosen.model,
        discovery=chosen.discovery,
        args=chosen.args,
    )
    return facts.model_copy(update={"model_served": ", ".join(models) or None})


def _notes(entry: Entry) -> list[str]:
    trial = entry.trial
    notes: list[str] = []
    if trial.reason is not None:
        notes.append(f"{trial.outcome}: {trial.reason.message}")
    elif trial.outcome != "completed":
        notes.append(trial.outcome)
    if trial.conversation is not None:
        notes.append(told(trial.conversation))
    if len(trial.attempts) > 1:
        notes.append(f"attempt {len(trial.attempts)}; earlier ones ended in errors outside the agent's doing")
    return [*notes, *_standing(entry.grading)]


def _standing(grading: Grading) -> Iterator[str]:
    """What stands beside the pass rate: required assertions that fail, a weighted score, and whether the skill stayed out."""
    if grading.required_failed:
        yield f"required, and does not hold: {', '.join(grading.required_failed)}"
    if grading.weighted_score is not None and any(result.weight != 1 for result in grading.results):
        yield f"weighted score {grading.weighted_score:.2f}"
    for result in grading.meta_results:
        if result.verdict == "FAIL":
            yield f"the skill should have stayed out of this task: {result.evidence}"


def _arm_summary(entries: Sequence[Entry], planned: int) -> ArmSummary:
    return ArmSummary(
        pass_rate=_stat(entry.score for entry in entries),
        time_seconds=_stat(entry.seconds for entry in entries),
        tokens=_stat(entry.tokens for entry in entries),
        cost_usd=_stat(entry.cost_usd for entry in entries),
        trials_passed=sum(entry.grading.n_failed == 0 for entry in entries),
        trials_graded=len(entries),
        trials_planned=planned,
        models=tuple(served_models(entry.trial for entry in entries)),
    )


def _stat(values: Iterable[float | None]) -> Stat:
    summary = summarise(value for value in values if value is not None)
    return Stat(mean=summary.mean, stddev=summary.sd, min=summary.min, max=summary.max, n=summary.n)


def _delta(treatment: ArmSummary | Mapping[str, str], baseline: ArmSummary | Mapping[str, str]) -> Mapping[str, str]:
    delta: dict[str, str] = {}
    if isinstance(treatment, ArmSummary) and isinstance(baseline, ArmSummary):
        for name, decimals in _DECIMALS.items():
            ours: Stat = getattr(treatment, name)
            theirs: Stat = getattr(baseline, name)
            if ours.mean is not None and theirs.mean is not None:
                delta[name] = signed(ours.mean - theirs.mean, decimals)
    return delta


def signed(difference: float, decimals: int) -> str:
    """A difference as text with its sign; zero is `+0`."""
    return f"{round(difference, decimals) + 0.0:+.{decimals}f}"
