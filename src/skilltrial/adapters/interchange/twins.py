"""Runs that lie twice: tools and people copy the folders of cases under other names, and each copy would count again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from skilltrial.adapters.interchange.timings import has_figures
from skilltrial.records.foreign import ForeignCase, ForeignRun


def with_copies(runs: Sequence[ForeignRun], cases: Iterable[ForeignCase]) -> list[ForeignRun]:
    """The runs, with `copy_of` where the same run stands before it under another case of the same id.

    The same are verdicts with their evidence, and times and tokens; where neither evidence nor figures are there, nothing tells.
    """
    ids = {case.key: case.id for case in cases if case.id is not None}
    counts = Counter(ids.values())
    if len(counts) == len(ids):
        return list(runs)
    firsts: list[ForeignRun] = []
    made: list[ForeignRun] = []
    for run in runs:
        own = ids.get(run.case)
        if own is None or counts[own] == 1 or not _tells(run):
            made.append(run)
            continue
        first = next((each for each in firsts if ids[each.case] == own and _is_same(each, run)), None)
        if first is None:
            firsts.append(run)
        made.append(run if first is None else replace(run, copy_of=first.place))
    return made


def _tells(run: ForeignRun) -> bool:
    """Whether there is something that two runs would hardly share by chance."""
    statements = run.grading.statements if run.grading else None
    return bool(statements) and (has_figures(run.timing) or any(each.evidence for each in statements))


def _is_same(one: ForeignRun, other: ForeignRun) -> bool:
    if one.case == other.case or one.arm != other.arm or one.grading is None or other.grading is None:
        return False
    return one.grading.statements == other.grading.statements and _figures(one) == _figures(other)


def _figures(run: ForeignRun) -> tuple[float | None, ...]:
    timing = run.timing
    return () if timing is None else (timing.total_tokens, timing.duration_s, timing.cost_usd)
