"""Every assertion with how often it holds in each arm, and whether it tells the arms apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from skilltrial.records.benchmark import AssertionRow, Benchmark, Discrimination
from skilltrial.report.figures import NOTHING, Tone, plural
from skilltrial.report.headline import arm_title
from skilltrial.report.plain_text import line
from skilltrial.report.tables import Cell, Table, side_by_side

_TEXT = 300
_MOST = 10
_TONES: Mapping[Discrimination, Tone] = {
    "hurts": "bad",
    "helps": "good",
    "flaky": "warning",
    "no difference": "muted",
    "always passes": "muted",
    "always fails": "muted",
    "cannot tell": "muted",
}
"""In the order in which they are told."""
_WORTH_A_LOOK = ("hurts", "flaky")


def assertion_words(benchmark: Benchmark) -> str:
    """How many assertions have which word; empty where none has one."""
    counts = Counter(row.discrimination for row in benchmark.assertions if row.discrimination)
    told = ", ".join(f"{word} {counts[word]}" for word in _TONES if counts[word])
    return f"{plural(counts.total(), 'assertion')}: {told}." if told else ""


def assertion_table(benchmark: Benchmark) -> Table | None:
    """One row an assertion, in the suite's order; None where they have no words."""
    rows = [row for row in benchmark.assertions if row.discrimination]
    return _table(benchmark, rows) if rows else None


def notable_assertions(benchmark: Benchmark) -> Table | None:
    """A few of those that hurt or are flaky; None where there are none."""
    rows = [row for word in _WORTH_A_LOOK for row in benchmark.assertions if row.discrimination == word]
    return _table(benchmark, rows[:_MOST]) if rows else None


def has_weights(benchmark: Benchmark) -> bool:
    """Whether any assertion counts otherwise than once, or is required."""
    return any(row.weight != 1 or row.required for row in benchmark.assertions)


def weight_cell(row: AssertionRow) -> Cell:
    """Its weight, and whether it is required."""
    return Cell(f"{row.weight:g}{', required' if row.required else ''}")


def word_cell(row: AssertionRow) -> Cell:
    """Whether it tells the arms apart."""
    return Cell(row.discrimination, _TONES[row.discrimination]) if row.discrimination else Cell(NOTHING, "muted")


def count_cell(row: AssertionRow, arm: str) -> Cell:
    """How often it holds in an arm, of how many verdicts; trials without one are told beside."""
    passed, graded, ungraded = row.passed.get(arm, 0), row.graded.get(arm, 0), row.ungraded.get(arm, 0)
    missing = f"{ungraded} ungraded" if ungraded else ""
    if graded == 0:
        return Cell(missing or NOTHING, "muted")
    tone: Tone = "good" if passed == graded else "bad" if passed == 0 else "warning"
    return Cell(f"{passed} of {graded}{', ' if missing else ''}{missing}", tone)


def _table(benchmark: Benchmark, rows: Sequence[AssertionRow]) -> Table:
    names, weighty = side_by_side(benchmark), has_weights(benchmark)
    return Table(
        columns=(
            "assertion",
            *(arm_title(benchmark, name) for name in names),
            *(("weight",) if weighty else ()),
            "tells apart",
        ),
        rows=tuple(
            (
                Cell(line(f"{row.eval_id}: {row.text}", _TEXT)),
                *(count_cell(row, name) for name in names),
                *((weight_cell(row),) if weighty else ()),
                word_cell(row),
            )
            for row in rows
        ),
    )
