"""Where the skill helps and where it harms, in a few sentences: cases by their words, those with most evidence first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skilltrial.records.benchmark import Benchmark, CaseRow, CaseWord
from skilltrial.report.figures import chance, plural, signed_points
from skilltrial.report.headline import is_invalid
from skilltrial.report.plain_text import natural_key
from skilltrial.report.tables import Cell, case_title

_FEWEST = 2
"""Of one case its row in the table says it all."""
_MOST = 5
_OTHERS: tuple[CaseWord, ...] = ("flaky", "both pass", "both fail", "cannot tell")


def case_words(benchmark: Benchmark) -> tuple[Cell, ...]:
    """A sentence each for the cases that are better, those that are worse, and the others.

    Empty where nothing can be told: of one case, of an invalid comparison, and in older files.
    """
    worded = [row for row in benchmark.cases if row.word is not None]
    counts = Counter(row.word for row in worded)
    if benchmark.lift is None or len(worded) < _FEWEST or set(counts) == {"cannot tell"} or is_invalid(benchmark):
        return ()
    helped = sorted((row for row in worded if row.word == "helps"), key=_evidence)
    harmed = sorted((row for row in worded if row.word == "harms"), key=_evidence_of_harm)
    found: list[Cell] = []
    if helped:
        found.append(Cell(_told("helps", helped, len(worded), with_harm=False), "good"))
    if harmed:
        found.append(Cell(_told("harms", harmed, len(worded), with_harm=True), "bad"))
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


def _told(verb: str, rows: Sequence[CaseRow], n_cases: int, *, with_harm: bool) -> str:
    if len(rows) == n_cases:
        return f"{verb} in all {n_cases:,} cases"
    names: list[str] = []
    for row in rows[:_MOST]:
        figures = [signed_points(row.difference)]
        if with_harm and row.harm is not None:
            figures.append(f"probability of harm {chance(row.harm)}")
        names.append(f"{case_title(row.eval_id, row.eval_name)} ({'; '.join(figures)})")
    more = f" and {len(rows) - _MOST:,} more" if len(rows) > _MOST else ""
    return f"{verb} in {len(rows):,} of {plural(n_cases, 'case')}: {', '.join(names)}{more}"
