"""Benchmarks made by hand, for every kind of verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

import pytest

from skilltrial.records.benchmark import (
    ArmSummary,
    AssertionRow,
    Benchmark,
    BenchmarkMetadata,
    BenchmarkRun,
    CaseRow,
    CaseWord,
    ConfigEval,
    ConfigSummary,
    Excluded,
    Finding,
    RunResult,
    Ungraded,
)
from skilltrial.records.estimate import Lift, Measure, OverCases, Ratio, Reliability, Stat
from skilltrial.records.trial import HarnessFacts, SkillEvidence, TrialKey

WITH, WITHOUT, OLD = "with_skill", "without_skill", "old_skill"
Verdicts = Sequence[Sequence[bool]]
"""Of one arm of a case: one sequence a run, one verdict an assertion."""


def _stat(values: Sequence[float]) -> Stat:
    if not values:
        return Stat(mean=None, stddev=None, min=None, max=None, n=0)
    spread = stdev(values) if len(values) > 1 else None
    return Stat(mean=fmean(values), stddev=spread, min=min(values), max=max(values), n=len(values))


def _run_of(case: str | int, name: str, arm: str, number: int, verdicts: Sequence[bool], **fields: Any) -> BenchmarkRun:
    expectations = tuple(
        {
            "id": f"a{i}",
            "text": f"assertion {i} of {name}",
            "passed": passed,
            "verdict": "PASS" if passed else "FAIL",
            "evidence": fields.get("evidence") or ("found at line 1" if passed else "nothing matches"),
            "grader": "code",
        }
        for i, passed in enumerate(verdicts, 1)
    )
    passed = sum(verdicts)
    return BenchmarkRun(
        eval_id=case,
        eval_name=name,
        configuration=arm,
        run_number=number,
        result=RunResult(
            pass_rate=passed / len(verdicts),
            passed=passed,
            failed=len(verdicts) - passed,
            total=len(verdicts),
            time_seconds=fields.get("seconds", 10.0),
            tokens=fields.get("tokens"),
            tool_calls=3,
            errors=0,
        ),
        expectations=expectations,
        outcome=fields.get("outcome", "completed"),
        ungraded=fields.get("ungraded", 0),
        cost_usd=fields.get("cost"),
        skill=SkillEvidence(loaded=arm == WITH),
    )


def _summary_of(runs: Sequence[BenchmarkRun], planned: int) -> ArmSummary:
    return ArmSummary(
        pass_rate=_stat([run.result.pass_rate for run in runs]),
        time_seconds=_stat([run.result.time_seconds for run in runs]),
        tokens=_stat([run.result.tokens for run in runs if run.result.tokens is not None]),
        cost_usd=_stat([run.cost_usd for run in runs if run.cost_usd is not None]),
        trials_passed=sum(run.result.failed == 0 for run in runs),
        trials_graded=len(runs),
        trials_planned=planned,
    )


def _config_of(runs: Sequence[BenchmarkRun], cases: Sequence[CaseRow]) -> ConfigSummary:
    evals: list[ConfigEval] = []
    for case in cases:
        mine = [run.result for run in runs if run.eval_id == case.eval_id]
        evals.append(
            ConfigEval(
                eval_id=case.eval_id,
                pass_rate=fmean(one.pass_rate for one in mine) if mine else None,
                pass_count=sum(one.passed for one in mine),
                fail_count=sum(one.failed for one in mine),
                tokens=None,
                duration_ms=None,
            )
        )
    rates = [one.pass_rate for one in evals if one.pass_rate is not None]
    return ConfigSummary(
        overall_pass_rate=fmean(rates) if rates else None,
        total_tokens_mean=None,
        total_tokens_stddev=None,
        duration_ms_mean=None,
        duration_ms_stddev=None,
        evals=tuple(evals),
    )


def _case_of(case: str | int, name: str, runs: Sequence[BenchmarkRun]) -> CaseRow:
    rates = {arm: [run.result.pass_rate for run in runs if run.configuration == arm] for arm in (WITH, WITHOUT)}
    new, old = (fmean(rates[arm]) if rates[arm] else None for arm in (WITH, WITHOUT))
    return CaseRow(
        eval_id=case,
        eval_name=name,
        treatment=new,
        baseline=old,
        difference=None if new is None or old is None else new - old,
        n_treatment=len(rates[WITH]),
        n_baseline=len(rates[WITHOUT]),
        ungraded=sum(run.ungraded for run in runs),
    )


def _assertions_of(runs: Sequence[BenchmarkRun]) -> tuple[AssertionRow, ...]:
    rows: dict[tuple[str, str], tuple[str | int, str, dict[str, int], dict[str, int]]] = {}
    for run in runs:
        for result in run.expectations:
            key = (str(run.eval_id), result["id"])
            _, _, passed, graded = rows.setdefault(key, (run.eval_id, result["text"], {}, {}))
            passed[run.configuration] = passed.get(run.configuration, 0) + result["passed"]
            graded[run.configuration] = graded.get(run.configuration, 0) + 1
    return tuple(
        AssertionRow(
            eval_id=eval_id,
            assertion_id=key[1],
            text=text,
            type="answer_matches",
            passed=passed,
            graded=graded,
            ungraded={},
        )
        for key, (eval_id, text, passed, graded) in rows.items()
    )


def _lift_of(cases: Sequence[CaseRow], **fields: Any) -> Lift:
    differences = [case.difference for case in cases if case.difference is not None]
    graded = [n for case in cases for n in (case.n_treatment, case.n_baseline) if n]
    values: dict[str, Any] = {
        "treatment": WITH,
        "baseline": WITHOUT,
        "estimate": fmean(differences) if differences else None,
        "low": None,
        "high": None,
        "n_cases": len(differences),
        "repeats_min": min(graded, default=0),
        "repeats_max": max(graded, default=0),
        "word": "cannot tell",
        "why": "The interval reaches over 0.",
        "margin": 0.1,
        "p_value": None,
        "visible": None,
        "method": "regularised paired cluster-t over cases",
    }
    return Lift(**(values | fields))


def benchmark_of(
    outcomes: Mapping[tuple[str | int, str], Mapping[str, Verdicts]], lift: Mapping[str, Any] | None, **fields: Any
) -> Benchmark:
    """A benchmark of (case id, case name) → arm → runs; what is not given is worked out from the runs."""
    took = fields.pop("took", {})
    runs = [
        _run_of(case, name, arm, number, verdicts, **took.get(arm, {}))
        for (case, name), arms in outcomes.items()
        for arm, repeats in arms.items()
        for number, verdicts in enumerate(repeats, 1)
    ]
    cases = [_case_of(case, name, [run for run in runs if run.eval_id == case]) for case, name in outcomes]
    arms = sorted({run.configuration for run in runs})
    mine = {arm: [run for run in runs if run.configuration == arm] for arm in arms}
    graded = sum(run.result.total for run in runs)
    passed = sum(run.result.passed for run in runs)
    ungraded = fields.get("ungraded", ())
    values: dict[str, Any] = {
        "metadata": _metadata_of(**fields.pop("meta", {})),
        "runs": tuple(runs),
        "run_summary": {arm: _summary_of(mine[arm], fields.get("planned", len(mine[arm]))) for arm in arms},
        "notes": (),
        "iteration": 1,
        "timestamp": "2026-01-02T03:04:05Z",
        "configs": {arm: _config_of(mine[arm], cases) for arm in arms},
        "comparison": None,
        "lift": None if lift is None else _lift_of(cases, **lift),
        "cases": tuple(cases),
        "assertions": _assertions_of(runs),
        "findings": (),
        "excluded": (),
        "ungraded": (),
        "notices": (),
        "verdict_counts": {
            "PASS": passed,
            "FAIL": graded - passed,
            "UNGRADED": sum(entry.count for entry in ungraded),
        },
    }
    fields.pop("planned", None)
    return Benchmark(**(values | fields))


def _metadata_of(**fields: Any) -> BenchmarkMetadata:
    values: dict[str, Any] = {
        "skill_name": "commit-style",
        "skill_path": "examples/commit-style",
        "executor_model": "Qwen2.5-Coder-1.5B",
        "timestamp": "2026-01-02T03:04:05Z",
        "evals_run": (),
        "runs_per_configuration": 2,
        "harness": HarnessFacts(name="builtin", version="0.1.0", facts={"engine": "xllamacpp 2026.10", "threads": "2"}),
        "skill_fingerprint": "sha256:" + "1a" * 32,
        "suite_digest": "sha256:" + "2b" * 32,
        "plan_digest": "sha256:" + "3c" * 32,
        "skilltrial_version": "0.1.0",
        "seed": 20260102,
    }
    return BenchmarkMetadata(**(values | fields))


Y, N = True, False


@pytest.fixture
def make() -> Callable[..., Benchmark]:
    """The maker itself, for benchmarks of a test's own."""
    return benchmark_of


@pytest.fixture
def better() -> Benchmark:
    """Six cases, two runs: clearly better; prose assertions without a judge; cost known."""
    graded = benchmark_of(
        {
            (1, "plain-fix"): {WITH: [[Y, Y], [Y, Y]], WITHOUT: [[N, Y], [N, N]]},
            (2, "new-feature"): {WITH: [[Y, Y], [Y, Y]], WITHOUT: [[N, N], [N, N]]},
            (3, "breaking-change"): {WITH: [[Y, Y], [Y, Y]], WITHOUT: [[N, Y], [N, Y]]},
            (4, "docs-only"): {WITH: [[Y, Y], [N, Y]], WITHOUT: [[N, N], [N, N]]},
            (5, "revert-of-an-earlier-commit-with-a-reason"): {WITH: [[Y, Y], [Y, N]], WITHOUT: [[Y, Y], [N, Y]]},
            (10, "two-things-at-once"): {WITH: [[Y, Y], [Y, N]], WITHOUT: [[N, N], [N, N]]},
        },
        {
            "word": "better",
            "low": 0.397,
            "high": 0.934,
            "p_value": 0.0004,
            "visible": 0.27,
            "why": "The whole interval is above 0.",
        },
        took={
            WITH: {"tokens": 1834, "seconds": 9.4, "cost": 0.0},
            WITHOUT: {"tokens": 1210, "seconds": 7.1, "cost": 0.0},
        },
        ungraded=(
            Ungraded(
                reason="No judge was named; --judge MODEL grades assertions in prose. The embedded model is no judge.",
                count=24,
                examples=("The subject line is in the imperative mood.", "The body says why."),
            ),
        ),
        findings=(
            Finding(
                code="few-cases",
                severity="info",
                message="Below 8 cases only large effects are visible; add cases before repeats.",
            ),
        ),
        notices=(
            (
                "Runs by a small local model (Qwen2.5-Coder-1.5B). It can follow short format rules; it is far weaker than the "
                "agents your skill is for, and gets facts wrong. Use an agent of your own before you draw conclusions about the "
                "skill."
            ),
        ),
        notes=("with_skill takes 52 % more tokens a trial than without_skill.",),
    )
    prose = AssertionRow(
        eval_id=10,
        assertion_id="p1",
        text="The subject line is in the imperative mood.",
        type="llm_judge",
        passed={},
        graded={},
        ungraded={WITH: 12, WITHOUT: 12},
    )
    return graded.model_copy(update={"assertions": (*graded.assertions, prose)})


@pytest.fixture
def worse() -> Benchmark:
    """Two cases, one run each: the skill does harm; nothing is known of tokens and cost."""
    return benchmark_of(
        {
            ("a", "greeting"): {WITH: [[N]], WITHOUT: [[Y]]},
            ("b", "farewell"): {WITH: [[N]], WITHOUT: [[Y]]},
        },
        {"word": "worse", "low": -1.0, "high": -0.12, "why": "The whole interval is below 0.", "visible": 0.88},
        meta={"skill_name": "shouting"},
    )


@pytest.fixture
def unclear() -> Benchmark:
    """Invalid: the baseline had the skill; trials excluded, verdicts missing, one case never graded in the baseline."""
    return benchmark_of(
        {
            ("eval 2", "eval 2"): {WITH: [[Y, N], [Y, Y]], WITHOUT: [[Y, Y], [Y, N]]},
            ("eval 10", "eval 10"): {WITH: [[Y, N]], WITHOUT: []},
        },
        {"low": -0.3, "high": 0.5, "p_value": 1.0, "visible": 0.4, "why": "A finding makes the comparison invalid."},
        planned=4,
        findings=(
            Finding(
                code="baseline-had-skill",
                severity="invalid",
                message="2 of 2 baseline trials had the skill; remove it from the agent's own folders.",
                trials=tuple(TrialKey(case_id="eval 2", arm=WITHOUT, repeat=k) for k in (1, 2)),
            ),
            Finding(code="timeouts", severity="warning", message="1 of 5 trials ran out of time."),
        ),
        excluded=(
            Excluded(
                key=TrialKey(case_id="eval 10", arm=WITHOUT, repeat=1),
                outcome="harness_error",
                reason="429 from the service, 3 times",
            ),
            Excluded(
                key=TrialKey(case_id="eval 10", arm=WITHOUT, repeat=2),
                outcome="harness_error",
                reason="429 from the service, 3 times",
            ),
            Excluded(key=TrialKey(case_id="eval 10", arm=WITH, repeat=2), outcome="not_run", reason="interrupted"),
        ),
        meta={"analyzer_model": "claude-haiku", "executor_model": None},
    )


@pytest.fixture
def several() -> Benchmark:
    """Three arms with all that the newest version tells: lifts, ratios, reliability, words of cases."""
    outcomes: dict[tuple[str | int, str], dict[str, Verdicts]] = {
        (1, "plain-fix"): {WITH: [[Y], [Y]], WITHOUT: [[N], [N]], OLD: [[Y], [N]]},
        (2, "new-feature"): {WITH: [[Y], [Y]], WITHOUT: [[N], [N]], OLD: [[N], [N]]},
        (3, "revert"): {WITH: [[N], [N]], WITHOUT: [[Y], [Y]], OLD: [[Y], [Y]]},
        (4, "docs-only"): {WITH: [[Y], [Y]], WITHOUT: [[Y], [Y]], OLD: [[Y], [Y]]},
    }
    took = {
        WITH: {"tokens": 3000, "seconds": 12.0, "cost": 0.03},
        WITHOUT: {"tokens": 2000, "seconds": 10.0, "cost": 0.02},
        OLD: {"tokens": 2500, "seconds": 11.0},
    }
    lift = {"low": -1.0, "high": 1.0, "p_value": 0.5, "p_adjusted": 0.6}
    made = benchmark_of(outcomes, lift, took=took)
    assert made.lift is not None
    old = _lift_of(made.cases, treatment=OLD, estimate=0.125, low=-0.4, high=0.65, p_value=0.6, p_adjusted=0.6)
    words: list[tuple[CaseWord, float]] = [("helps", 0.02), ("helps", 0.01), ("harms", 0.98), ("both pass", 0.5)]
    cases = [
        row.model_copy(update={"word": word, "harm": harm}) for row, (word, harm) in zip(made.cases, words, strict=True)
    ]
    some = OverCases(estimate=0.75, low=0.1, high=1.0, n_cases=4)
    reliable = Reliability(k=2, pass_at_k=some, pass_hat_k=some)
    return made.model_copy(
        update={
            "lifts": (made.lift, old),
            "cases": tuple(cases),
            "reliability": {WITH: reliable, WITHOUT: Reliability(k=2, pass_at_k=some, pass_hat_k=None), OLD: reliable},
            "ratios": (
                _ratio_of(WITH, "seconds", 1.2, 1.1, 1.31),
                _ratio_of(WITH, "tokens", 1.5, 1.4, 1.61),
                _ratio_of(WITH, "cost_usd", 1.5, None, None),
                _ratio_of(OLD, "tokens", 1.25, 1.2, 1.3),
                _ratio_of(OLD, "cost_usd", None, None, None),
            ),
        }
    )


def _ratio_of(arm: str, measure: Measure, estimate: float | None, low: float | None, high: float | None) -> Ratio:
    return Ratio(
        treatment=arm,
        baseline=WITHOUT,
        measure=measure,
        estimate=estimate,
        low=low,
        high=high,
        n_cases=0 if estimate is None else 4,
    )


@pytest.fixture
def one_arm() -> Benchmark:
    """No baseline."""
    return benchmark_of({("a", "a"): {WITH: [[Y, N], [Y, Y]]}, ("b", "b"): {WITH: [[Y, Y], [Y, Y]]}}, None)


HOSTILE = (
    "</script></title></style><script>document.documentElement.dataset.owned=1</script>"
    '"><img src=x onerror="document.documentElement.dataset.owned=1">'
    "\x1b[31m\x1b]0;title\x07\u202egnp.exe [red]markup[/red] [link=http://x]y[/link] `code` | pipe **bold** @someone "
    "[a](javascript:alert(1)) {{ 7 * 7 }} {% raw %}\n# heading\r\n- item\x00"
)


@pytest.fixture
def hostile_text() -> str:
    """Everything that has ever run, coloured or broken a report."""
    return HOSTILE


@pytest.fixture
def hostile() -> Benchmark:
    """Hostile in every field that an agent, an author or a service can write to, and very long."""
    text = HOSTILE + "x" * 100_000
    plain = benchmark_of({("id", "name"): {WITH: [[Y, N]], WITHOUT: [[N, N]]}}, {"why": text})
    run = plain.runs[0]
    key = TrialKey(case_id=text, arm=text, repeat=1)
    facts = HarnessFacts(name=text, version=text, model_served=text, args=(text,), facts={text: text})
    changes: dict[str, Any] = {
        "metadata": plain.metadata.model_copy(
            update={"skill_name": text, "skill_path": text, "executor_model": text, "harness": facts}
        ),
        "runs": (
            run.model_copy(
                update={
                    "eval_id": text,
                    "eval_name": text,
                    "configuration": text,
                    "notes": (text,),
                    "expectations": ({"id": text, "text": text, "verdict": "FAIL", "evidence": text},),
                }
            ),
        ),
        "run_summary": {text: plain.run_summary[WITH], WITHOUT: plain.run_summary[WITHOUT]},
        "configs": {text: plain.configs[WITH], WITHOUT: plain.configs[WITHOUT]},
        "lift": _lift_of(plain.cases, treatment=text, why=text),
        "cases": tuple(case.model_copy(update={"eval_id": text, "eval_name": text}) for case in plain.cases),
        "assertions": tuple(
            row.model_copy(update={"eval_id": text, "assertion_id": text, "text": text, "type": text})
            for row in plain.assertions[:1]
        ),
        "findings": (Finding(code=text, severity="warning", message=text, trials=(key,)),),
        "excluded": (Excluded(key=key, outcome="harness_error", reason=text),),
        "ungraded": (Ungraded(reason=text, count=1, examples=(text,)),),
        "notices": (text,),
        "notes": (text,),
    }
    return plain.model_copy(update=changes)


@pytest.fixture
def large() -> Benchmark:
    """2,000 runs of four assertions, with long evidence."""
    outcomes = {
        (number, f"case number {number}"): {WITH: [[Y, Y, N, Y]] * 10, WITHOUT: [[N, Y, N, Y]] * 10}
        for number in range(1, 101)
    }
    evidence = 'The final message says <so> at length, and "quotes" it, line after line.\n' * 50
    took = {arm: {"tokens": 12_345, "evidence": evidence, "cost": 0.0123} for arm in (WITH, WITHOUT)}
    return benchmark_of(
        outcomes, {"word": "better", "low": 0.2, "high": 0.3, "visible": 0.05, "p_value": 0.001}, took=took
    )
