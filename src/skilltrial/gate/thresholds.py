"""The rules beside the primary one: floors, ceilings, golden cases, findings.

Floors and ceilings of one arm are about the trials that were run, without an interval; ratios of two arms have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from skilltrial.aggregate.census import eval_id
from skilltrial.gate.trigger_floors import trigger_rules
from skilltrial.records.benchmark import ArmSummary, Benchmark, Excluded
from skilltrial.records.estimate import Measure, Ratio, Stat
from skilltrial.records.gate import Rule, RuleOutcome, Unit
from skilltrial.records.plan import Plan
from skilltrial.records.settings import GateSettings
from skilltrial.records.suite import Case
from skilltrial.records.trigger_results import TriggerResults
from skilltrial.report.figures import dollars, percent, plural, seconds

Places = Callable[[str], str]
"""Where a key of `[gate]` is written."""


def threshold_rules(
    plan: Plan,
    benchmark: Benchmark,
    settings: GateSettings,
    *,
    place: Places,
    triggers: TriggerResults | None = None,
) -> Iterator[Rule]:
    """All that the settings ask for, in the order of docs/ci.md."""
    treatments = [arm.name for arm in plan.arms if arm.role == "treatment"]
    for arm in treatments:
        yield from _floor(arm, benchmark, settings, place("min_pass_rate"))
        yield from _ceilings(arm, benchmark, settings, place)
        yield from _ratios(arm, benchmark, settings, place)
        for case_id in settings.golden:
            about = case_id if len(treatments) == 1 else f"{case_id} ({arm})"
            yield _golden(plan.case(case_id), arm, benchmark, about=about, place=place("golden"))
    if settings.max_ungraded is not None:
        yield _ungraded(benchmark, settings.max_ungraded, place("max_ungraded"))
    if settings.trigger is not None:
        yield from trigger_rules(plan, triggers, settings.trigger, place=place)
    if settings.no_invalid_findings:
        yield _findings(benchmark, place("no_invalid_findings"))


def _floor(arm: str, benchmark: Benchmark, settings: GateSettings, place: str) -> Iterator[Rule]:
    floor = settings.min_pass_rate
    if floor is None:
        return
    config = benchmark.configs.get(arm)
    figure = config.overall_pass_rate if config else None
    if figure is None:
        said, outcome = "no trial has a verdict.", "undecided"
    else:
        outcome = "pass" if figure >= floor - 1e-12 else "fail"
        than = "at least" if outcome == "pass" else "below"
        shown, limit = _apart(figure, floor, percent)
        said = f"{shown} of assertions hold, mean over cases; {than} {limit}."
    yield _rule("min_pass_rate", arm, outcome, "share", figure, floor, said, place)


def _ceilings(arm: str, benchmark: Benchmark, settings: GateSettings, place: Places) -> Iterator[Rule]:
    summary = benchmark.run_summary.get(arm)
    stats = (summary.cost_usd, summary.time_seconds) if isinstance(summary, ArmSummary) else (None, None)
    graded = summary.trials_graded if isinstance(summary, ArmSummary) else 0
    asked: tuple[tuple[str, float | None, Stat | None, Unit, Callable[[float | None], str]], ...] = (
        ("max_cost_usd", settings.max_cost_usd, stats[0], "usd", dollars),
        ("max_seconds", settings.max_seconds, stats[1], "seconds", seconds),
    )
    for name, ceiling, stat, unit, words in asked:
        if ceiling is None:
            continue
        mean = stat.mean if stat else None
        outcome: RuleOutcome = "undecided"
        if stat is None or mean is None or stat.n < graded:
            said = f"known of {stat.n if stat else 0} of {plural(graded, 'graded trial')}."
        else:
            outcome = "pass" if mean <= ceiling else "fail"
            shown, limit = _apart(mean, ceiling, words)
            said = f"{shown} a trial on average; {'at most' if outcome == 'pass' else 'above'} {limit}."
        yield _rule(name, arm, outcome, unit, mean, ceiling, said, place(name))


def _ratios(arm: str, benchmark: Benchmark, settings: GateSettings, place: Places) -> Iterator[Rule]:
    asked: tuple[tuple[str, float | None, Measure], ...] = (
        ("max_cost_ratio", settings.max_cost_ratio, "cost_usd"),
        ("max_seconds_ratio", settings.max_seconds_ratio, "seconds"),
        ("max_tokens_ratio", settings.max_tokens_ratio, "tokens"),
    )
    for name, ceiling, measure in asked:
        if ceiling is not None:
            fits = (each for each in benchmark.ratios if each.treatment == arm and each.measure == measure)
            yield _ratio(name, arm, next(fits, None), ceiling, place(name))


def _ratio(name: str, arm: str, ratio: Ratio | None, ceiling: float, place: str) -> Rule:
    if ratio is None or ratio.estimate is None or ratio.n_cases < 2:  # noqa: PLR2004 - no interval
        said = "not known of both arms in two cases or more."
        return _rule(name, arm, "undecided", "ratio", ratio.estimate if ratio else None, ceiling, said, place)
    low, high = ratio.low, ratio.high
    if low is None or high is None:  # the same in every case
        low = high = ratio.estimate
    outcome: RuleOutcome = "pass" if high <= ceiling else "fail" if low > ceiling else "undecided"
    words = {"pass": "at most", "fail": "above", "undecided": "the interval holds"}
    digits = 2 if f"{ceiling:.2f}" not in {f"{low:.2f}", f"{high:.2f}"} else 4
    said = (
        f"{ratio.estimate:.2f} times the baseline's (95 % interval {low:.{digits}f} to {high:.{digits}f}, "
        f"{plural(ratio.n_cases, 'case')}); {words[outcome]} {ceiling:g}."
    )
    found = _rule(name, f"{arm} vs {ratio.baseline}", outcome, "ratio", ratio.estimate, ceiling, said, place)
    return found.model_copy(update={"low": low, "high": high})


def _golden(case: Case, arm: str, benchmark: Benchmark, *, about: str, place: str) -> Rule:
    runs = [run for run in benchmark.runs if run.configuration == arm and run.eval_id == eval_id(case)]
    failed = [run for run in runs if run.result.failed]
    missing = [each for each in without_result(benchmark) if each.key.case_id == case.id and each.key.arm == arm]
    unsure = sum(run.ungraded > 0 for run in runs if not run.result.failed)
    share = (len(runs) - len(failed)) / len(runs) if runs else None
    if failed:
        outcome, said = "fail", f"{len(failed)} of {plural(len(runs), 'trial')} failed."
    elif not runs:
        outcome, said = "undecided", "no trial has a verdict."
    elif missing or unsure:
        parts = [f"{plural(len(missing), 'trial')} without a result" if missing else ""]
        parts.append(f"{plural(unsure, 'trial')} with assertions that have no verdict" if unsure else "")
        outcome, said = "undecided", f"nothing failed, but there are {' and '.join(part for part in parts if part)}."
    else:
        outcome, said = "pass", f"all of {plural(len(runs), 'trial')} passed."
    return _rule("golden", about, outcome, "share", share, 1.0, said, place)


def _ungraded(benchmark: Benchmark, ceiling: float, place: str) -> Rule:
    counts = benchmark.verdict_counts
    total = sum(counts.values())
    if not total:
        return _rule("max_ungraded", "", "undecided", "share", None, ceiling, "no trial has been graded.", place)
    share = counts.get("UNGRADED", 0) / total
    outcome: RuleOutcome = "pass" if share <= ceiling else "fail"
    than = "at most" if outcome == "pass" else "above"
    shown, limit = _apart(share, ceiling, percent)
    said = f"{shown} of {plural(total, 'assertion')} have no verdict; {than} {limit}."
    return _rule("max_ungraded", "", outcome, "share", share, ceiling, said, place)


def _findings(benchmark: Benchmark, place: str) -> Rule:
    codes = invalid_codes(benchmark)
    said = f"the comparison is not valid: {', '.join(codes)}." if codes else "none."
    return _rule("no_invalid_findings", "", "fail" if codes else "pass", "count", len(codes), 0, said, place)


def without_result(benchmark: Benchmark) -> list[Excluded]:
    """Excluded trials, without those that a decision of `--until-decided` made needless."""
    decision = benchmark.stop.decision if benchmark.stop else None
    return [
        each
        for each in benchmark.excluded
        if not (decision and each.outcome == "not_run" and each.key.repeat > decision.round)
    ]


def invalid_codes(benchmark: Benchmark) -> Sequence[str]:
    """Codes of the findings that leave nothing to compare, once each."""
    return list(dict.fromkeys(each.code for each in benchmark.findings if each.severity == "invalid"))


def _apart(figure: float, limit: float, words: Callable[[float | None], str]) -> tuple[str, str]:
    """Both in words; where rounding would make them equal and they are not, the figure with more digits."""
    one, other = words(figure), words(limit)
    if one != other or figure == limit:
        return one, other
    exact = figure * 100 if words is percent else figure
    unit = " %" if words is percent else ""
    return f"{one} (to be exact {exact:.6g}{unit})", other


def _rule(
    name: str,
    about: str,
    outcome: RuleOutcome,
    unit: Unit,
    figure: float | None,
    threshold: float,
    said: str,
    place: str,
) -> Rule:
    said = said[:1].upper() + said[1:]
    return Rule(
        name=name, about=about, outcome=outcome, unit=unit, figure=figure, threshold=threshold, said=said, place=place
    )
