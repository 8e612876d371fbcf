"""Where the skill helps and where it harms, in a few sentences: cases by their words, those with most evidence first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skilltrial.records.benchmark import Benchmark, CaseRow, CaseWord
from skilltrial.report.figures import chance, plural, signed_points
from skilltrial.report.plain_text import natural_key
from skilltrial.report.tables import Cell, case_title

_FEWEST = 2
"""Of one case its row in the table says it all."""
_MOST = 5
_OTHERS: tuple[CaseWord, ...] = ("flaky", "both pass", "both fail", "cannot tell")


def case_words(benchmark: Benchmark) -> tuple[Cell, ...]:
    """A sentence each for the cases that are better, those that are worse, and the others; empty where cases have no words."""
    worded = [row for row in benchmark.cases if row.word is not None]
    if benchmark.lift is None or len(worded) < _FEWEST:
        return ()
    counts = Counter(row.word for row in worded)
    found: list[Cell] = []
    if counts["helps"]:
        helped = sorted((row for row in worded if row.word == "helps"), key=_evidence)
        of_all = f"{counts['helps']:,} of {plural(len(worded), 'case')}"
        found.append(Cell(f"helps in {of_all}: {_named(helped, with_harm=False)}", "good"))
    if counts["harms"]:
        harmed = sorted((row for row in worded if row.word == "harms"), key=_evidence_of_harm)
        of_all = f"{counts['harms']:,} of {plural(len(worded), 'case')}"
        found.append(Cell(f"harms in {of_all}: {_named(harmed, with_harm=True)}", "bad"))
    others = [f"{word} {counts[word]:,}" for word in _OTHERS if counts[word]]
    if others:
        found.append(Cell(f"{'the others' if found else plural(len(worded), 'case')}: {', '.join(others)}", "muted"))
    return tuple(found)


def _evidence(row: CaseRow) -> tuple[float, float, tuple[tuple[int, int, str], ...]]:
    harm = 0.5 if row.harm is None else row.harm
    return (harm, -(row.difference or 0), natural_key(str(row.eval_id)))


def _evidence_of_harm(row: CaseRow) -> tuple[float, float, tuple[tuple[int, int, str], ...]]:
    harm, gain, place = _evidence(row)
    return (-harm, -gain, place)


def _named(rows: Sequence[CaseRow], *, with_harm: bool) -> str:
    names: list[str] = []
    for row in rows[:_MOST]:
        figures = [signed_points(row.difference)]
        if with_harm and row.harm is not None:
            figures.append(f"probability of harm {chance(row.harm)}")
        names.append(f"{case_title(row.eval_id, row.eval_name)} ({'; '.join(figures)})")
    more = f" and {len(rows) - _MOST:,} more" if len(rows) > _MOST else ""
    return f"{', '.join(names)}{more}"
