"""The first page: the sentence, the figures behind it, what stands against it, and what to do next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from skilltrial.records.benchmark import ArmSummary, Benchmark, Excluded, Finding
from skilltrial.records.plan import Plan
from skilltrial.records.trial import TrialKey
from skilltrial.report.case_words import case_words
from skilltrial.report.comparisons import ratio_sentences
from skilltrial.report.headline import arm_names, headline
from skilltrial.report.next_step import next_step
from skilltrial.review.cases import NOTHING_SAID, in_natural_order, said_by_case
from skilltrial.review.numbers import Sources, benchmark_of, excluded_by_people, figures_now, sources_of
from skilltrial.review.plans import plan_of
from skilltrial.review.subject import Query, Subject

_NAMED = 20
"""So many trials of one reason are named."""
_SEVERITIES = ("invalid", "warning", "info")


def overview(subject: Subject, query: Query) -> object:
    """Of an iteration; with `wait=1` only once the figures are those of the files. Runs of queries have theirs on another page."""
    iteration = query.iteration(subject)
    plan = plan_of(subject, iteration)
    if query.number("wait", 0):
        benchmark, fresh = benchmark_of(subject, iteration), True
        sources = sources_of(subject, plan, iteration)
    else:
        benchmark, fresh, sources = figures_now(subject, iteration)
    excluded = excluded_by_people(subject, iteration)
    answer: dict[str, object] = {
        "iteration": iteration,
        "fresh": fresh,
        "progress": _progress(plan, sources),
        "notices": list(dict.fromkeys([*plan.notices, *subject.notices])),
        "byPeople": _by_people(plan, excluded),
        "nextUnreviewed": _next_unreviewed(subject, plan, iteration),
    }
    if plan.until_loaded:
        return {**answer, "fresh": True, "queries": True}
    if benchmark is None:
        return answer
    answer["figures"] = _figures(benchmark)
    answer["remarks"] = _remarks(benchmark)
    if excluded and query.number("wait", 0):
        answer["adjusted"] = _figures(benchmark_of(subject, iteration, adjusted=True))
    return answer


def _progress(plan: Plan, sources: Sources) -> object:
    return {"planned": len(plan.trials), "finished": sources.n_finished, "graded": sources.n_graded}


def _next_unreviewed(subject: Subject, plan: Plan, iteration: int) -> object:
    """The first case of which the one who looks has reviewed nothing."""
    said = said_by_case(subject, iteration)
    left = next((case for case in in_natural_order(plan) if not said.get(case.id, NOTHING_SAID)["reviewed"]), None)
    return None if left is None else {"id": left.id, "title": left.name or left.id}


def _figures(benchmark: Benchmark) -> dict[str, object]:
    told = headline(benchmark)
    lift = benchmark.lift
    return {
        "headline": {
            "word": told.word,
            "tone": told.tone,
            "sentence": told.sentence,
            "details": list(told.details),
        },
        "lift": None
        if lift is None
        else {
            "treatment": lift.treatment,
            "baseline": lift.baseline,
            "estimate": lift.estimate,
            "low": lift.low,
            "high": lift.high,
            "level": lift.level,
            "margin": lift.margin,
            "cases": lift.n_cases,
        },
        "arms": [_arm(benchmark, name) for name in arm_names(benchmark)],
        "ratios": list(ratio_sentences(benchmark)),
        "where": [{"text": cell.text, "tone": cell.tone} for cell in case_words(benchmark)],
        "verdicts": dict(benchmark.verdict_counts),
    }


def _arm(benchmark: Benchmark, name: str) -> object:
    summary, config = benchmark.run_summary[name], benchmark.configs.get(name)
    assert isinstance(summary, ArmSummary)  # noqa: S101 - `arm_names` leaves out the others
    return {
        "name": name,
        "rate": config.overall_pass_rate if config else None,
        "passed": summary.trials_passed,
        "graded": summary.trials_graded,
        "planned": summary.trials_planned,
        "usd": summary.cost_usd.mean,
        "seconds": summary.time_seconds.mean,
        "tokens": summary.tokens.mean,
        "models": list(summary.models),
    }


def _remarks(benchmark: Benchmark) -> object:
    ordered = sorted(benchmark.findings, key=lambda finding: _SEVERITIES.index(finding.severity))
    return {
        "findings": [_finding(finding) for finding in ordered],
        "ungraded": [
            {"count": entry.count, "reason": entry.reason, "examples": list(entry.examples)}
            for entry in benchmark.ungraded
        ],
        "excluded": _groups(benchmark.excluded),
        "notes": list(benchmark.notes),
        "next": next_step(benchmark),
        "stop": benchmark.stop.message if benchmark.stop else None,
        "calibration": benchmark.calibration.banner if benchmark.calibration else None,
    }


def _finding(finding: Finding) -> object:
    return {
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.message,
        "count": len(finding.trials),
        "trials": _named(finding.trials),
    }


def _groups(excluded: Iterable[Excluded]) -> list[object]:
    groups: defaultdict[tuple[str, str], list[TrialKey]] = defaultdict(list)
    for entry in excluded:
        groups[entry.outcome, entry.reason].append(entry.key)
    return [
        {
            "outcome": outcome,
            "reason": reason,
            "count": len(keys),
            "arms": Counter(key.arm for key in keys),
            "trials": _named(keys),
        }
        for (outcome, reason), keys in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]


def _named(keys: Iterable[TrialKey]) -> list[object]:
    return [{"case": key.case_id, "arm": key.arm, "repeat": key.repeat} for key in list(keys)[:_NAMED]]


def _by_people(plan: Plan, excluded: Mapping[TrialKey, str]) -> object:
    """Trials that people took out, how many of each arm, and whether that may tilt the comparison."""
    arms = {arm.name: sum(key.arm == arm.name for key in excluded) for arm in plan.arms}
    return {
        "count": len(excluded),
        "arms": arms,
        "unbalanced": len(set(arms.values())) > 1,
        "trials": [
            {"case": key.case_id, "arm": key.arm, "repeat": key.repeat, "reason": reason}
            for key, reason in list(excluded.items())[:_NAMED]
        ],
    }
