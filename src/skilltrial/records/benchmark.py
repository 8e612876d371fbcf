"""`benchmark.json`: everything aggregated over the trials of an iteration.

One object holds three readers' worth of keys: skill-creator's (`metadata`, `runs`, `run_summary`, `notes`), skill-builder's
(`iteration`, `timestamp`, `configs`, `comparison`), and ours (the rest). Rates are fractions of 1. Differences are always
treatment minus baseline. None is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from skilltrial.records.budget import Stop
from skilltrial.records.calibration import Calibration
from skilltrial.records.estimate import Lift, PassRate, Ratio, Reliability, Stat
from skilltrial.records.grading import Verdict
from skilltrial.records.json_value import Json
from skilltrial.records.pilot import Pilot
from skilltrial.records.plan import Arm
from skilltrial.records.prose import Prose
from skilltrial.records.record import Record, Severity
from skilltrial.records.trial import HarnessFacts, Outcome, SkillEvidence, TrialKey


class BenchmarkMetadata(Record):
    """skill-creator's `metadata`, with real values, and ours beside."""

    skill_name: str
    skill_path: str
    executor_model: str | None
    analyzer_model: str | None = None
    """The judge."""
    judge_calls: int = 0
    judge_usd: float | None = None
    """What the judge cost, apart from the trials; None: no judge, or it does not tell."""
    timestamp: str
    evals_run: tuple[str | int, ...]
    runs_per_configuration: int | str
    """A number, or a range like `2-3` where the arms or cases differ."""
    harness: HarnessFacts
    isolation: str | None = None
    """How the trials were kept apart; None where there was none yet, or where it is not known."""
    skill_fingerprint: str
    suite_digest: str
    plan_digest: str
    skilltrial_version: str
    seed: int
    arms: tuple[Arm, ...] = ()
    """With the skill of each: which one, where from, and its fingerprint."""


class RunResult(Record):
    """skill-creator's `runs[].result`."""

    pass_rate: float
    passed: int
    failed: int
    total: int
    time_seconds: float | None
    tokens: int | None
    tool_calls: int | None
    errors: int | None


class BenchmarkRun(Record):
    """A trial that has at least one verdict."""

    eval_id: str | int
    eval_name: str
    configuration: str
    run_number: int
    result: RunResult
    expectations: tuple[Mapping[str, Json], ...]
    """Those with a verdict: other readers count everything in it."""
    notes: tuple[str, ...] = ()
    outcome: Outcome
    ungraded: int
    unanswered: tuple[Mapping[str, Json], ...] = ()
    """The assertions without a verdict, in the same shape; `passed` is null."""
    cost_usd: float | None = None
    skill: SkillEvidence


class ArmSummary(Record):
    """skill-creator's `run_summary.<arm>`, plus cost and whole-trial passes."""

    pass_rate: Stat
    time_seconds: Stat
    tokens: Stat
    cost_usd: Stat
    trials_passed: int
    """Trials in which every graded assertion holds."""
    trials_graded: int
    trials_planned: int
    models: tuple[str, ...] = ()
    """That served the graded trials; `metadata.arms` has the agent program of each arm where one has its own."""


class ConfigEval(Record):
    """skill-builder's row of one case in one arm."""

    eval_id: str | int
    pass_rate: float | None
    pass_count: int
    fail_count: int
    tokens: float | None
    duration_ms: float | None


class ConfigSummary(Record):
    """skill-builder's `configs.<arm>`."""

    overall_pass_rate: float | None
    """Mean over cases of the case's mean over repeats."""
    total_tokens_mean: float | None
    total_tokens_stddev: float | None
    duration_ms_mean: float | None
    duration_ms_stddev: float | None
    evals: tuple[ConfigEval, ...]


class Comparison(Record):
    """skill-builder's `comparison`."""

    pass_rate_delta: float | None
    token_overhead_percent: float | None
    time_overhead_percent: float | None
    non_discriminating_assertions: tuple[str, ...]


CaseWord = Literal["helps", "harms", "flaky", "both pass", "both fail", "cannot tell"]
"""What a case's trials say of it; what each word means is in docs/statistics.md."""


class CaseRow(Record):
    """One case, both arms side by side."""

    eval_id: str | int
    eval_name: str
    treatment: float | None
    """Mean score over graded repeats."""
    baseline: float | None
    difference: float | None
    n_treatment: int
    n_baseline: int
    ungraded: int
    """Assertions without a verdict, over all trials of the case."""
    passes: Mapping[str, PassRate] = Field(default_factory=dict)
    """By arm, those with a graded trial."""
    harm: float | None = None
    """The probability that a trial passes less often in treatment, from the trials of this case alone; None without both arms."""
    word: CaseWord | None = None
    """None: in files of older versions."""
    family: str | None = None
    """Cases of one family are one observation."""


Discrimination = Literal["always passes", "always fails", "helps", "hurts", "flaky", "no difference", "cannot tell"]
"""Whether an assertion tells the arms apart; what each word means is in docs/report.md."""


class AssertionRow(Record):
    """One assertion over all its trials, per arm."""

    eval_id: str | int
    assertion_id: str
    text: str
    type: str
    passed: Mapping[str, int]
    graded: Mapping[str, int]
    ungraded: Mapping[str, int]
    weight: float = 1
    required: bool = False
    discrimination: Discrimination | None = None
    """None: in files of older versions."""


class Finding(Record):
    """Something about the trial as a measurement. `invalid` means that the comparison answers no question about the skill."""

    code: str
    severity: Severity
    message: str
    trials: tuple[TrialKey, ...] = ()


class Excluded(Record):
    """A trial that is in no rate, and why."""

    key: TrialKey
    outcome: Outcome | Literal["not_run"]
    reason: str


class Ungraded(Record):
    """Assertions without a verdict, by reason."""

    reason: str
    count: int
    examples: tuple[str, ...]


class Benchmark(Record):
    """See the module."""

    schema_version: Literal[1] = 1
    metadata: BenchmarkMetadata
    runs: tuple[BenchmarkRun, ...]
    run_summary: Mapping[str, ArmSummary | Mapping[str, str]]
    """One entry an arm, treatment first, and `delta` (texts with a sign) where there are two arms with figures."""
    notes: tuple[str, ...]
    iteration: int
    timestamp: str
    configs: Mapping[str, ConfigSummary]
    comparison: Comparison | None
    lift: Lift | None
    """None where there is no baseline arm."""
    lifts: tuple[Lift, ...] = ()
    """Of every arm against that baseline, treatments first; the first is `lift`."""
    reliability: Mapping[str, Reliability] = Field(default_factory=dict)
    """By arm."""
    ratios: tuple[Ratio, ...] = ()
    """Of every arm against that baseline: of seconds, tokens and cost."""
    cases: tuple[CaseRow, ...]
    assertions: tuple[AssertionRow, ...]
    findings: tuple[Finding, ...]
    excluded: tuple[Excluded, ...]
    ungraded: tuple[Ungraded, ...]
    notices: tuple[str, ...]
    verdict_counts: Mapping[Verdict, int]
    stop: Stop | None = None
    """The ceiling or the decision that a part of the plan was not run for."""
    calibration: Calibration | None = None
    """Of the judges; None where no judge has a verdict, and in files of older versions."""
    pilot: Pilot | None = None
    """What a larger plan may count with; None without a comparison, and in files of older versions."""
    prose: Prose | None = None
    """What a model says of these figures; None where none was asked. No figure comes of it."""
