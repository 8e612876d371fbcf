"""Arms against their baseline: the lift of each, and how many times as much it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.estimate import Lift, Measure, Ratio, Word
from skilltrial.report.figures import NOTHING, chance, gain_tone, percent, plural, signed_points
from skilltrial.report.headline import word_tone
from skilltrial.report.plain_text import line
from skilltrial.report.tables import Cell, Table, overall_rate

_MEASURES: dict[Measure, str] = {"tokens": "the tokens", "seconds": "the time", "cost_usd": "the cost"}
_SEVERAL = 2
_SHORT: dict[Word, str] = {"no difference beyond the margin": "within the margin"}
"""Words that have no room in a column."""


def comparison_table(benchmark: Benchmark) -> Table | None:
    """One row an arm that is compared with the baseline, where there are several; None otherwise."""
    if len(benchmark.lifts) < _SEVERAL:
        return None
    rows = tuple(
        (
            Cell(line(lift.treatment, 40)),
            Cell(percent(overall_rate(benchmark, lift.treatment))),
            Cell(signed_points(lift.estimate), gain_tone(lift.estimate)),
            Cell(interval_words(lift), "plain"),
            Cell(NOTHING, "muted")
            if lift.p_adjusted is None
            else Cell(chance(lift.p_adjusted).replace("less than ", "<")),
            Cell(_SHORT.get(lift.word, lift.word), word_tone(lift.word)),
        )
        for lift in benchmark.lifts
    )
    return Table(columns=("arm", "pass rate", "lift (points)", "interval (95 %)", "p (adj.)", "word"), rows=rows)


def interval_words(lift: Lift) -> str:
    """`+40 to +93`, or a dash."""
    if lift.low is None or lift.high is None:
        return NOTHING
    return f"{signed_points(lift.low)} to {signed_points(lift.high)}"


def ratio_sentences(benchmark: Benchmark) -> tuple[str, ...]:
    """How many times as much an arm takes as the baseline, for every arm of which that is known."""
    arms = dict.fromkeys(ratio.treatment for ratio in benchmark.ratios)
    return tuple(sentence for arm in arms for sentence in _ratio_sentence(arm, benchmark.ratios))


def _ratio_sentence(arm: str, ratios: Sequence[Ratio]) -> Iterator[str]:
    known = [
        ratio
        for measure in _MEASURES
        for ratio in ratios
        if ratio.treatment == arm and ratio.measure == measure and ratio.estimate is not None
    ]
    if not known:
        return
    told = [f"{_times(ratio)} {_MEASURES[ratio.measure]}{_within(ratio)}" for ratio in known]
    sizes = sorted({ratio.n_cases for ratio in known})
    cases = plural(sizes[0], "case") if len(sizes) == 1 else f"{sizes[0]:,}–{sizes[-1]:,} cases"
    yield (
        f"{line(arm, 40)} takes {', '.join(told)} of {line(known[0].baseline, 40)} (geometric means over {cases}, "
        f"with {known[0].level * 100:g} % intervals)."
    )


def _times(ratio: Ratio) -> str:
    return f"{ratio.estimate:.2f} times"


def _within(ratio: Ratio) -> str:
    return "" if ratio.low is None or ratio.high is None else f" ({ratio.low:.2f} to {ratio.high:.2f})"
