"""Plan, benchmark and trials -> the figures that later versions are held to."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from skilltrial.aggregate.census import eval_id
from skilltrial.errors import SpecError
from skilltrial.plan.plan import case_facts
from skilltrial.records.benchmark import Benchmark, BenchmarkRun
from skilltrial.records.json_value import Json
from skilltrial.records.plan import Arm, Plan
from skilltrial.records.promoted import PromotedArm, PromotedBaseline, PromotedCase
from skilltrial.records.suite import Case
from skilltrial.records.trial import Trial

_AROUND = {"written": True, "setup_files": {"__all__": {"source"}}, "golden_file": {"source"}}
"""Of an assertion: what decides nothing of its verdict."""


def promoted_baseline(plan: Plan, benchmark: Benchmark, trials: Sequence[Trial]) -> PromotedBaseline:
    """The figures of every arm with a graded trial. No outputs, no texts, no paths. The same files give the same bytes."""
    arms = {arm.name: _arm(arm, plan, benchmark, trials) for arm in plan.arms}
    return PromotedBaseline(
        skill=plan.skill.name,
        skill_fingerprint=plan.skill.fingerprint,
        suite_digest=plan.suite.digest,
        plan_digest=plan.digest,
        iteration=benchmark.iteration,
        timestamp=plan.created_at,
        skilltrial_version=plan.skilltrial_version,
        judges=tuple(sorted(filter(None, (benchmark.metadata.analyzer_model or "").split(", ")))),
        arms={name: arm for name, arm in arms.items() if arm.cases},
    )


def require_treatment(promoted: PromotedBaseline, *, where: str) -> None:
    """Raise `SpecError` where no treatment arm has a graded trial: there is nothing to hold others to."""
    if not any(arm.role == "treatment" for arm in promoted.arms.values()):
        hint = "Run and grade it first: `skilltrial run`, `skilltrial grade`."
        raise SpecError("no trial of a treatment arm has a verdict here.", where=where, hint=hint)


def _arm(arm: Arm, plan: Plan, benchmark: Benchmark, trials: Sequence[Trial]) -> PromotedArm:
    mine = [trial.harness for trial in trials if trial.key.arm == arm.name]
    chosen = plan.harness_of(arm.name)
    versions = sorted({facts.version for facts in mine if facts.version})
    served = sorted({facts.model_served for facts in mine if facts.model_served})
    runs: defaultdict[str | int, list[BenchmarkRun]] = defaultdict(list)
    for run in benchmark.runs:
        if run.configuration == arm.name:
            runs[run.eval_id].append(run)
    rows = zip(plan.suite.cases, benchmark.cases, strict=True)
    found = {case.id: _case(case, runs[eval_id(case)], plan, family=row.family) for case, row in rows}
    return PromotedArm(
        role=arm.role,
        skill_fingerprint=arm.skill.fingerprint if arm.skill else None,
        harness=chosen.name,
        harness_version=", ".join(versions) or chosen.version,
        models=tuple(served) or ((chosen.model,) if chosen.model else ()),
        cases={case_id: case for case_id, case in found.items() if case is not None},
    )


def _case(case: Case, runs: Sequence[BenchmarkRun], plan: Plan, *, family: str | None) -> PromotedCase | None:
    if not runs:
        return None
    codebase = plan.codebase(case.id)
    return PromotedCase(
        passed=sum(run.result.failed == 0 for run in runs),
        n=len(runs),
        score=fmean(run.result.pass_rate for run in runs),
        digest=_digest(case, codebase.digest if codebase else None),
        answered=_answered(runs, case),
        seconds=_mean([run.result.time_seconds for run in runs]),
        tokens=_mean([run.result.tokens for run in runs]),
        cost_usd=_mean([run.cost_usd for run in runs]),
        family=family,
    )


def _answered(runs: Sequence[BenchmarkRun], case: Case) -> tuple[str, ...]:
    found = {each.get("id") for run in runs for each in run.expectations}
    return tuple(assertion.id for assertion in case.assertions if assertion.id in found)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _digest(case: Case, codebase: str | None) -> str:
    assertions: list[Json] = [each.model_dump(mode="json", exclude=_AROUND) for each in case.assertions]
    text = json.dumps([case_facts(case, codebase), assertions], sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"
