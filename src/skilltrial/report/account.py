"""What a report says, whatever its format: every sentence and table, in order, with harmless texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.record import Severity
from skilltrial.records.trial import HarnessFacts
from skilltrial.report.assertion_table import assertion_table, assertion_words, notable_assertions
from skilltrial.report.calibration import calibration_notes
from skilltrial.report.case_words import case_words
from skilltrial.report.comparisons import comparison_table, ratio_sentences
from skilltrial.report.figures import dollars, plural
from skilltrial.report.headline import Headline, arm_names, headline
from skilltrial.report.next_step import next_step
from skilltrial.report.plain_text import line, natural_key
from skilltrial.report.tables import Cell, Table, arm_table, case_table, effort_table

_SENTENCE = 600
_FACT = 600
_EXAMPLES = 3
_SEVERITIES: tuple[Severity, ...] = ("invalid", "warning", "info")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A finding about the trial as a measurement."""

    severity: Severity
    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Things left out for one reason."""

    number: int
    what: str
    reason: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The parts of a report in their order."""

    skill: str
    iteration: int
    headline: Headline
    notices: tuple[str, ...]
    where: tuple[Cell, ...]
    """Cases that got better and worse, and how many others there are."""
    cases: Table
    comparisons: Table | None
    """Every arm against the baseline, where there are several."""
    arms: Table | None
    """All arms, where they are too many for columns."""
    effort: Table
    ratios: tuple[str, ...]
    """How many times as much the arms take."""
    judge_bill: str | None
    """What judges took, apart from the trials; None where none was asked."""
    assertion_words: str
    """How many of them help, hurt and so on; empty where that is not known."""
    assertions: Table | None
    """All of them; None where it is not known whether they tell the arms apart."""
    notable: Table | None
    """A few of those that hurt or are flaky."""
    findings: tuple[Remark, ...]
    n_results: int
    """Assertions over all graded or gradable trials, with or without a verdict."""
    n_ungraded: int
    ungraded: tuple[Group, ...]
    n_trials: int
    n_excluded: int
    excluded: tuple[Group, ...]
    notes: tuple[str, ...]
    next_step: str
    facts: tuple[tuple[str, str], ...]
    """What was tried with what: names, versions, digests."""


def account(benchmark: Benchmark) -> Account:
    """Everything that the reports of a benchmark say."""
    return Account(
        skill=line(benchmark.metadata.skill_name, 80),
        iteration=benchmark.iteration,
        headline=headline(benchmark),
        notices=tuple(line(notice, _SENTENCE) for notice in _notices(benchmark)),
        where=case_words(benchmark),
        cases=case_table(benchmark),
        comparisons=comparison_table(benchmark),
        arms=arm_table(benchmark),
        effort=effort_table(benchmark),
        ratios=ratio_sentences(benchmark),
        judge_bill=_judge_bill(benchmark),
        assertion_words=assertion_words(benchmark),
        assertions=assertion_table(benchmark),
        notable=notable_assertions(benchmark),
        findings=_remarks(benchmark),
        n_results=sum(benchmark.verdict_counts.values()),
        n_ungraded=sum(entry.count for entry in benchmark.ungraded),
        ungraded=_ungraded(benchmark),
        n_trials=len(benchmark.runs) + len(benchmark.excluded),
        n_excluded=len(benchmark.excluded),
        excluded=_excluded(benchmark),
        notes=tuple(line(note, _SENTENCE) for note in (*benchmark.notes, *calibration_notes(benchmark.calibration))),
        next_step=next_step(benchmark),
        facts=_facts(benchmark),
    )


def _notices(benchmark: Benchmark) -> tuple[str, ...]:
    found = benchmark.calibration
    banner = (found.banner,) if found is not None and found.banner else ()
    return (*benchmark.notices, *_stopped(benchmark), *banner)


def _stopped(benchmark: Benchmark) -> tuple[str, ...]:
    if benchmark.stop is None:
        return ()
    left = sum(entry.outcome == "not_run" for entry in benchmark.excluded)
    decided = benchmark.stop.decision
    if decided is not None:
        rounds = f"Stopped early after {decided.round} of {decided.max_rounds} rounds ({decided.why})"
        needed = f"{plural(left, 'trial')} of the plan {'was' if left == 1 else 'were'} not needed"
        return (f"{rounds}: the interval may {decided.bias} the lift. {needed}.",)
    return (f"{plural(left, 'trial')} of the plan {'was' if left == 1 else 'were'} not run: {benchmark.stop.message}",)


def _remarks(benchmark: Benchmark) -> tuple[Remark, ...]:
    ordered = sorted(benchmark.findings, key=lambda finding: _SEVERITIES.index(finding.severity))
    return tuple(
        Remark(
            severity=finding.severity,
            code=line(finding.code, 40),
            text=line(finding.message, _SENTENCE) + _named([str(key) for key in finding.trials]),
        )
        for finding in ordered
    )


def _named(keys: list[str]) -> str:
    if not keys:
        return ""
    shown = ", ".join(line(key, 80) for key in keys[:_EXAMPLES])
    more = f" and {len(keys) - _EXAMPLES:,} more" if len(keys) > _EXAMPLES else ""
    return f" [{shown}{more}]"


def _ungraded(benchmark: Benchmark) -> tuple[Group, ...]:
    ordered = sorted(benchmark.ungraded, key=lambda entry: -entry.count)
    return tuple(
        Group(
            number=entry.count,
            what=plural(entry.count, "assertion"),
            reason=line(entry.reason, _SENTENCE),
            examples=tuple(line(example, 100) for example in entry.examples[:_EXAMPLES]),
        )
        for entry in ordered
    )


def _excluded(benchmark: Benchmark) -> tuple[Group, ...]:
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    arms: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for entry in benchmark.excluded:
        kind = (entry.outcome, entry.reason)
        groups[kind].append(str(entry.key))
        arms[kind][entry.key.arm] += 1
    result: list[Group] = []
    for (outcome, reason), keys in sorted(groups.items(), key=lambda item: -len(item[1])):
        split = ", ".join(f"{n} {line(arm, 40)}" for arm, n in arms[outcome, reason].items())
        shown = tuple(line(key, 100) for key in sorted(keys, key=natural_key)[:_EXAMPLES])
        what = f"{plural(len(keys), 'trial')} ({outcome.replace('_', ' ')}; {split})"
        result.append(Group(number=len(keys), what=what, reason=line(reason, _SENTENCE), examples=shown))
    return tuple(result)


def _arm_skills(benchmark: Benchmark) -> list[tuple[str, str]]:
    """Which skill each arm had, where it is not just the skill under trial or none."""
    meta = benchmark.metadata
    refs = [(arm.name, arm.skill) for arm in meta.arms if arm.skill is not None]
    if all(ref.fingerprint == meta.skill_fingerprint for _, ref in refs):
        return []
    return [(f"skill of {name}", f"{ref.origin or ref.folder}; {ref.fingerprint}") for name, ref in refs]


def _arm_agents(benchmark: Benchmark) -> list[tuple[str, str]]:
    """Which agent program and model each arm had, where one has its own."""
    chosen = [(arm.name, arm.harness) for arm in benchmark.metadata.arms if arm.harness]
    told = [(name, (used.name, used.version, used.model, *used.args)) for name, used in chosen]
    return [(f"agent of {name}", " ".join(part for part in parts if part)) for name, parts in told]


def _judge_bill(benchmark: Benchmark) -> str | None:
    meta = benchmark.metadata
    if not meta.judge_calls:
        return None
    return f"{meta.judge_calls}, {'cost unknown' if meta.judge_usd is None else dollars(meta.judge_usd)}"


def _agent(harness: HarnessFacts) -> list[tuple[str, str | None]]:
    return [
        ("agent program", f"{harness.name} {harness.version or '(version unknown)'}"),
        ("arguments", " ".join(harness.args) or None),
        ("model asked for", harness.model_asked),
    ]


def _beside(benchmark: Benchmark) -> str | None:
    """Where all arms have the same; what only some have is said where the arms differ."""
    alike = {tuple(ref.name for ref in arm.beside) for arm in benchmark.metadata.arms}
    return ", ".join(alike.pop()) or None if len(alike) == 1 else None


def _facts(benchmark: Benchmark) -> tuple[tuple[str, str], ...]:
    meta = benchmark.metadata
    harness = meta.harness
    facts: list[tuple[str, str | None]] = [
        ("skill", meta.skill_path),
        ("skill fingerprint", meta.skill_fingerprint),
        ("suite digest", meta.suite_digest),
        ("plan digest", meta.plan_digest),
        *(_arm_agents(benchmark) or _agent(harness)),
        ("model that served", harness.model_served or "unknown"),
        ("how the skill was found", harness.discovery),
        *((name, value) for name, value in sorted(harness.facts.items())),
        ("isolation", meta.isolation),
        ("judge", meta.analyzer_model or "none"),
        ("the judge's calls, apart from the trials", _judge_bill(benchmark)),
        ("arms", ", ".join(arm_names(benchmark))),
        ("skills beside, in every arm", _beside(benchmark)),
        *_arm_skills(benchmark),
        ("runs in each arm and case", str(meta.runs_per_configuration)),
        ("seed", str(meta.seed)),
        ("method", benchmark.lift.method if benchmark.lift else None),
        ("made", f"{meta.timestamp} by skilltrial {meta.skilltrial_version}"),
    ]
    return tuple((line(name, 60), line(value, _FACT)) for name, value in facts if value is not None)
