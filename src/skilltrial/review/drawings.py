"""What the charts of the Benchmark page draw: places as numbers, and beside each the words that reports use for it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import quantiles
from typing import NamedTuple

from skilltrial.records.benchmark import ArmSummary, Benchmark, BenchmarkRun
from skilltrial.records.estimate import Lift, Measure, OverCases, Ratio, Stat
from skilltrial.report import figures
from skilltrial.report.comparisons import interval_words
from skilltrial.report.figures import Tone, percent, points
from skilltrial.report.headline import arm_names, arm_title, is_invalid, word_tone
from skilltrial.report.plain_text import line
from skilltrial.report.price_chart import price_chart, round_end
from skilltrial.report.tables import overall_rate
from skilltrial.stats.case_mean import case_mean

_NAME = 40
_MOST_DOTS = 300
"""Of one arm; of more the box alone is drawn."""
_FEWEST = 4
"""Trials that quartiles are made of."""

Drawn = dict[str, object]


class _Effort(NamedTuple):
    measure: Measure
    title: str
    unit: Callable[[float | None], str]


def _tokens(value: float | None) -> str:
    return f"{figures.count(value)} tokens"


_EFFORTS = (
    _Effort("tokens", "Tokens", _tokens),
    _Effort("seconds", "Time", figures.seconds),
    _Effort("cost_usd", "Cost", figures.dollars),
)
_OF_WHAT: Mapping[Measure, str] = {"tokens": "tokens", "seconds": "time", "cost_usd": "cost"}


def role_of(benchmark: Benchmark, name: str) -> str:
    """`treatment`, `baseline` or `other`, as the headline compares them."""
    lift = benchmark.lift
    if lift is None:
        return "other"
    return {lift.treatment: "treatment", lift.baseline: "baseline"}.get(name, "other")


def lifts(benchmark: Benchmark) -> list[Drawn]:
    """The lift of every arm that has one; nothing where the comparison answers no question."""
    if is_invalid(benchmark):
        return []
    found = benchmark.lifts or ((benchmark.lift,) if benchmark.lift else ())
    return [_lift(benchmark, lift) for lift in found if lift.estimate is not None]


def rates(benchmark: Benchmark) -> list[Drawn]:
    """The pass rate of every arm; the interval is Student's over its cases, where each case stands for itself."""
    families = any(row.family is not None for row in benchmark.cases)
    rows: list[Drawn] = []
    for name in arm_names(benchmark):
        config, rate = benchmark.configs.get(name), overall_rate(benchmark, name)
        if config is None or rate is None:
            continue
        known = [case.pass_rate for case in config.evals if case.pass_rate is not None]
        interval = None if families else case_mean(known).interval
        low, high = (None, None) if interval is None else (max(interval.low, 0.0), min(interval.high, 1.0))
        within = "no interval" if low is None else f"95 % interval {percent(low)} to {percent(high)}"
        words = f"{arm_title(benchmark, name)}: {percent(rate)}, {within}, {figures.plural(len(known), 'case')}"
        rows.append(_row(line(name, _NAME), rate, low, high, words=words, role=role_of(benchmark, name)))
    return rows


def ratios(benchmark: Benchmark) -> list[Drawn]:
    """How many times as much each arm takes as the baseline."""
    return [
        _ratio(benchmark, ratio)
        for effort in _EFFORTS
        for ratio in benchmark.ratios
        if ratio.measure == effort.measure
        if ratio.estimate
    ]


def reliabilities(benchmark: Benchmark) -> list[Drawn]:
    """pass@k and pass^k of each arm with several runs a case."""
    rows: list[Drawn] = []
    for name in arm_names(benchmark):
        found = benchmark.reliability.get(name)
        if found is None or found.k is None:
            continue
        for sign, meaning, share in (
            ("@", "any run passes", found.pass_at_k),
            ("^", "all runs pass", found.pass_hat_k),
        ):
            if share is not None and share.estimate is not None:
                label = f"{line(name, _NAME)}, pass{sign}{found.k}"
                words = f"{label} ({meaning}): {percent(share.estimate)}{_within(share)}"
                rows.append(
                    _row(label, share.estimate, share.low, share.high, words=words, role=role_of(benchmark, name))
                )
    return rows


def price(benchmark: Benchmark) -> Drawn | None:
    """The pass rate of every arm over what its trials take, as the report draws it, with an interval of the rate."""
    chart = price_chart(benchmark)
    if chart is None:
        return None
    effort = next(each for each in _EFFORTS if each.title.lower() == chart.measure)
    spans = {row["label"]: row for row in rates(benchmark)}
    words = iter(chart.dots)
    dots: list[Drawn] = []
    for name in arm_names(benchmark):
        summary, rate = benchmark.run_summary[name], spans.get(line(name, _NAME))
        taken = _stat(summary, effort.measure).mean if isinstance(summary, ArmSummary) else None
        if rate is None or taken is None or not 0 <= taken < math.inf:
            continue
        dots.append({**rate, "x": taken, "words": next(words).words})
    return {
        "measure": chart.measure,
        "dots": dots,
        "end": chart.end,
        "most": chart.most,
        "missing": list(chart.missing),
    }


def efforts(benchmark: Benchmark) -> list[Drawn]:
    """What single trials take: for every measure that is known, a row an arm."""
    by_arm: defaultdict[str, list[BenchmarkRun]] = defaultdict(list)
    for run in benchmark.runs:
        by_arm[run.configuration].append(run)
    found: list[Drawn] = []
    for effort in _EFFORTS:
        rows = [row for name in arm_names(benchmark) if (row := _spread(benchmark, name, effort, by_arm[name]))]
        if rows:
            found.append(
                {"measure": effort.measure, "title": effort.title, "rows": rows, "ticks": _ticks(rows, effort)}
            )
    return found


def _row(
    label: str, estimate: float, low: float | None, high: float | None, *, words: str, role: str, tone: Tone = "plain"
) -> Drawn:
    return {"label": label, "estimate": estimate, "low": low, "high": high, "words": words, "role": role, "tone": tone}


def _lift(benchmark: Benchmark, lift: Lift) -> Drawn:
    name, baseline = line(lift.treatment, _NAME), line(lift.baseline, _NAME)
    interval = f"{lift.level * 100:g} % interval {interval_words(lift)}"
    words = f"{name} against {baseline}: {points(lift.estimate)}, {interval}, {lift.word}"
    role = role_of(benchmark, lift.treatment)
    return _row(name, lift.estimate or 0.0, lift.low, lift.high, words=words, role=role, tone=word_tone(lift.word))


def _ratio(benchmark: Benchmark, ratio: Ratio) -> Drawn:
    estimate = ratio.estimate or 0.0
    label = f"{line(ratio.treatment, _NAME)}, {_OF_WHAT[ratio.measure]}"
    known = ratio.low is not None and ratio.high is not None
    within = f"{ratio.low:.2f} to {ratio.high:.2f}" if known else "no interval"
    words = (
        f"{line(ratio.treatment, _NAME)} takes {estimate:.2f} times the {_OF_WHAT[ratio.measure]} of "
        f"{line(ratio.baseline, _NAME)} ({within}; {figures.plural(ratio.n_cases, 'case')})"
    )
    return _row(label, estimate, ratio.low, ratio.high, words=words, role=role_of(benchmark, ratio.treatment))


def _within(share: OverCases) -> str:
    if share.low is None or share.high is None:
        return ""
    return f" ({percent(share.low)} to {percent(share.high)})"


def _spread(benchmark: Benchmark, name: str, effort: _Effort, runs: Sequence[BenchmarkRun]) -> Drawn | None:
    summary = benchmark.run_summary[name]
    stat = _stat(summary, effort.measure) if isinstance(summary, ArmSummary) else None
    if stat is None or stat.mean is None:
        return None
    known = [
        (value, run) for run in runs if (value := _taken(run, effort.measure)) is not None and 0 <= value < math.inf
    ]
    values = [value for value, _ in known] if len(known) >= stat.n else []
    box = quantiles(values, n=4, method="inclusive") if len(values) >= _FEWEST else None
    words = f"{arm_title(benchmark, name)}: mean {effort.unit(stat.mean)}, {effort.unit(stat.min)} to {effort.unit(stat.max)}"
    middle = (
        ""
        if box is None
        else f", median {effort.unit(box[1])}, half of them {effort.unit(box[0])} to {effort.unit(box[2])}"
    )
    return {
        "label": line(name, _NAME),
        "role": role_of(benchmark, name),
        "mean": stat.mean,
        "min": stat.min,
        "max": stat.max,
        "box": box,
        "n": stat.n,
        "words": f"{words}{middle}; {figures.plural(stat.n, 'trial')}",
        "dots": list(_dots(known, effort)) if 0 < len(values) <= _MOST_DOTS else [],
    }


def _dots(known: Sequence[tuple[float, BenchmarkRun]], effort: _Effort) -> Iterator[Drawn]:
    for value, run in known:
        words = f"{line(str(run.eval_id), 60)}, {line(run.configuration, _NAME)}, run {run.run_number}: {effort.unit(value)}"
        yield {"value": value, "words": words, "case": str(run.eval_id), "repeat": run.run_number}


def _ticks(rows: Sequence[Drawn], effort: _Effort) -> list[list[object]]:
    """0, the middle and the end of the scale, with their words."""
    end = round_end(max(float(str(row["max"])) for row in rows) or 1.0)
    return [[place, effort.unit(place)] for place in (0.0, end / 2, end)]


def _stat(arm: ArmSummary, measure: Measure) -> Stat:
    return {"tokens": arm.tokens, "seconds": arm.time_seconds, "cost_usd": arm.cost_usd}[measure]


def _taken(run: BenchmarkRun, measure: Measure) -> float | None:
    return {"tokens": run.result.tokens, "seconds": run.result.time_seconds, "cost_usd": run.cost_usd}[measure]
