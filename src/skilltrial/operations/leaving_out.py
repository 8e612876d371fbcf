"""Trials that people left out in the review page, told beside figures that count every trial."""

from __future__ import annotations

from collections import Counter

from skilltrial.aggregate.likeness import shares_differ
from skilltrial.feedback import feedback_of, left_out
from skilltrial.pipeline import summarise
from skilltrial.plan.iteration import read_plan
from skilltrial.ports import Store
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.trial import TrialKey
from skilltrial.report.comparisons import interval_words
from skilltrial.report.figures import NOTHING, plural, points
from skilltrial.report.plain_text import line

_REASONS = 3


def without_those_left_out(store: Store, benchmark: Benchmark) -> str:
    """How many trials people left out and why, with the lift of all beside that of the rest; empty where nobody did.

    Raises `StoreError` where the journal cannot be read.
    """
    plan = read_plan(store, benchmark.iteration)
    planned = {arm.name: sum(each.key.arm == arm.name for each in plan.trials) for arm in plan.arms}
    found = left_out(store, feedback_of(store, benchmark.iteration))
    out = {each.key: found[each.key] for each in plan.trials if each.key in found}
    if not out:
        return ""
    rest = summarise(store, benchmark.iteration, without=out.keys())
    counts = Counter(key.arm for key in out)
    arms = ", ".join(f"{counts[arm]} of {n} {line(arm, 40)}" for arm, n in planned.items())
    unequal = shares_differ([counts[arm] / n for arm, n in planned.items() if n])
    warning = " The arms lose unequal shares: that alone can make a difference between them." if unequal else ""
    return (
        f"In the review page people left out {plural(len(out), 'trial')} ({arms}). The figures here count every trial: "
        f"lift {_lift(benchmark)}; without those {_lift(rest)}.{warning} Why: {_reasons(out)}."
    )


def _lift(benchmark: Benchmark) -> str:
    lift = benchmark.lift
    if lift is None or lift.estimate is None:
        return NOTHING
    return f"{points(lift.estimate)} ({interval_words(lift)}, {lift.word})"


def _reasons(out: dict[TrialKey, str]) -> str:
    """By reason, how many trials it is of; those of most trials first."""
    counts = Counter(line(reason, 100) for reason in out.values())
    told = [f"{reason} ({plural(n, 'trial')})" for reason, n in counts.most_common(_REASONS)]
    more = len(counts) - len(told)
    return "; ".join(told) + (f"; and {plural(more, 'reason')} more" if more else "")
