"""The figures as they are, and beside them those without the trials that people took out."""

from __future__ import annotations

from skilltrial.records.benchmark import Benchmark
from skilltrial.report.comparisons import interval_words
from skilltrial.report.figures import NOTHING, percent, plural, points
from skilltrial.report.headline import arm_names, arm_title
from skilltrial.report.plain_text import line
from skilltrial.report.tables import Cell, Table, overall_rate
from skilltrial.review.exclusions import Loss, are_unequal, losses_of
from skilltrial.review.numbers import benchmark_of, excluded_by_people
from skilltrial.review.plain_tables import plain_table
from skilltrial.review.subject import Subject


def both_ways(subject: Subject, iteration: int) -> object:
    """A table of both, who was taken out and why, and a warning where the arms lose unequal shares; None where nobody was."""
    out = excluded_by_people(subject, iteration)
    if not out:
        return None
    raw, adjusted = benchmark_of(subject, iteration), benchmark_of(subject, iteration, adjusted=True)
    return {
        "table": plain_table(_table(raw, adjusted)),
        "trials": [[line(str(key), 120), line(reason, 300), key.case_id] for key, reason in out.items()],
        "n": plural(len(out), "trial"),
        "warning": _warning(losses_of(subject, iteration)),
    }


def _table(raw: Benchmark, adjusted: Benchmark) -> Table:
    rows = [
        (Cell("lift"), Cell(_lift(raw)), Cell(_lift(adjusted))),
        (Cell("word"), Cell(_word(raw)), Cell(_word(adjusted))),
        *(
            (
                Cell(f"pass rate, {arm_title(raw, name)}"),
                Cell(percent(overall_rate(raw, name))),
                Cell(percent(overall_rate(adjusted, name))),
            )
            for name in arm_names(raw)
        ),
    ]
    return Table(columns=("figure", "all trials", "without those taken out"), rows=tuple(rows))


def _lift(benchmark: Benchmark) -> str:
    lift = benchmark.lift
    if lift is None or lift.estimate is None:
        return NOTHING
    return f"{points(lift.estimate)} ({interval_words(lift)})"


def _word(benchmark: Benchmark) -> str:
    return benchmark.lift.word if benchmark.lift else NOTHING


def _warning(losses: list[Loss]) -> str:
    if not are_unequal(losses):
        return ""
    told = ", ".join(f"{each.excluded} of {each.planned} {line(each.arm, 40)}" for each in losses)
    return f"The arms lose unequal shares of their trials ({told}): that alone can make a difference between them."
