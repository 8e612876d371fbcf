"""Cases by their words, arms against the baseline, ratios, reliability."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from skilltrial.records.benchmark import Benchmark
from skilltrial.report import html
from skilltrial.report.case_words import case_words
from skilltrial.report.charts import forest
from skilltrial.report.comparisons import comparison_table, ratio_sentences
from skilltrial.report.price_chart import price_chart
from skilltrial.report.terminal import print_report

WITH, WITHOUT = "with_skill", "without_skill"


def printed(benchmark: Benchmark) -> list[str]:
    """At 80 columns."""
    file = io.StringIO()
    print_report(benchmark, Console(file=file, width=80))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def part(lines: list[str], title: str) -> list[str]:
    """From a title to the next empty line."""
    start = lines.index(title) + 1
    return lines[start : lines.index("", start)]


def test_cases_with_most_evidence_stand_first(several: Benchmark) -> None:
    """New-feature helps more surely than plain-fix; what harms says how likely that is."""
    assert part(printed(several), "Where it helps, and where it harms") == [
        "- helps in 2 of 4 cases: 2 new-feature (+100), 1 plain-fix (+100)",
        "- harms in 1 of 4 cases: 3 revert (−100; probability of harm 98 %)",
        "- the others: both pass 1",
    ]


def test_many_cases_are_counted(several: Benchmark) -> None:
    """Five are named; none where all are alike, since the table names them."""
    cases = [several.cases[0].model_copy(update={"eval_id": n, "eval_name": f"{n}"}) for n in range(1, 9)]
    told = case_words(several.model_copy(update={"cases": (*cases, several.cases[3])}))
    assert [one.text for one in told] == [
        "helps in 8 of 9 cases: 1 (+100), 2 (+100), 3 (+100), 4 (+100), 5 (+100) and 3 more",
        "the others: both pass 1",
    ]
    assert [one.text for one in case_words(several.model_copy(update={"cases": tuple(cases)}))] == [
        "helps in all 8 cases"
    ]


def test_no_such_part_where_nothing_can_be_told(several: Benchmark, better: Benchmark, unclear: Benchmark) -> None:
    """Of one case the row of the table says it all; an invalid comparison says nothing of any case; older files have no words."""
    unknown = tuple(row.model_copy(update={"word": "cannot tell"}) for row in several.cases)
    for cases in (several.cases[:1], unknown):
        assert case_words(several.model_copy(update={"cases": cases})) == ()
    assert case_words(several.model_copy(update={"findings": unclear.findings})) == ()
    assert case_words(better) == ()


def test_every_arm_against_the_baseline(several: Benchmark, better: Benchmark) -> None:
    """One row an arm where there are several; of one the verdict is at the top."""
    assert part(printed(several), "Every arm against the baseline") == [
        "                             lift      interval       p",
        "  arm         pass rate  (points)        (95 %)  (adj.)         word",
        "  with_skill       75 %       +25  −100 to +100    60 %  cannot tell",
        "  old_skill        63 %       +13    −40 to +65    60 %  cannot tell",
    ]
    assert comparison_table(better) is None


def test_five_arms_have_room(make: Callable[..., Benchmark]) -> None:
    """A long name is cut and no row breaks, whatever its word; and what each took is in a table of its own."""
    arms = (WITH, WITHOUT, "an-arm-with-quite-a-long-name", "opus", "haiku")
    made = make({(1, "a"): {arm: [[True]] for arm in arms}}, {})
    assert made.lift is not None
    wide = replace(made.lift, low=-1.0, high=1.0, p_adjusted=0.0001, word="no difference beyond the margin")
    lifts = tuple(replace(wide, treatment=arm) for arm in arms[2:])
    lines = printed(made.model_copy(update={"lifts": lifts}))
    told = part(lines, "Every arm against the baseline")
    assert len(told) == 2 + 3
    assert all(len(row) <= 80 and row.endswith("within the margin") for row in told[2:])
    assert len(part(lines, "All arms")) == 2 + 5


def test_ratios_say_what_is_known(several: Benchmark, better: Benchmark) -> None:
    """An unknown ratio is left out; without any nothing is said."""
    first, second = ratio_sentences(several)
    assert first.startswith(
        "with_skill takes 1.50 times the tokens (1.40 to 1.61), 1.20 times the time (1.10 to 1.31), "
    )
    assert first.endswith("1.50 times the cost of without_skill (geometric means over 4 cases, with 95 % intervals).")
    assert second.startswith("old_skill takes 1.25 times the tokens (1.20 to 1.30) of without_skill (geometric means")
    assert ratio_sentences(better) == ()


def test_reliability_stands_among_the_trials(several: Benchmark) -> None:
    """A dash where it is not known."""
    rows = [" ".join(row.split()) for row in part(printed(several), "Trials, and what they took")]
    assert "pass@2: any run passes 75 % 75 % 75 % –" in rows
    assert "pass^2: all runs pass 75 % – 75 % –" in rows


def test_forest_has_a_row_for_each_arm(several: Benchmark) -> None:
    """+25 is at 3 % + (1.25 / 2) of 94 % of the width: 61.8 %."""
    drawn = forest(several.lifts)
    assert drawn is not None
    assert [(mark.label, mark.estimate) for mark in drawn.marks] == [
        ("with_skill +25, cannot tell", "61.8%"),
        ("old_skill +13, cannot tell", "55.9%"),
    ]
    assert drawn.marks[0].y < drawn.marks[1].label_y < drawn.marks[1].y < drawn.floor < drawn.height
    assert "old_skill: +13 points, interval from −40 to +65." in drawn.description


def test_price_against_quality(several: Benchmark) -> None:
    """$0.03 on a scale to $0.05 is at 12 % + 0.6 of 82 %: 61.2 %; 75 % is a quarter of 150 pixels below the top."""
    drawn = price_chart(several)
    assert drawn is not None
    assert (drawn.measure, drawn.most, drawn.missing) == ("cost", "$0.0500", ("old_skill",))
    assert [(dot.number, dot.x, dot.y, dot.words) for dot in drawn.dots] == [
        (1, "61.2%", "51.5", "with_skill (treatment): 75 %, $0.0300 a trial"),
        (2, "44.8%", "89.0", "without_skill (baseline): 50 %, $0.0200 a trial"),
    ]


def test_price_is_tokens_where_no_cost_is_known(make: Callable[..., Benchmark]) -> None:
    """And time where neither is; of one arm there is nothing to compare."""
    outcomes = {(1, "a"): {WITH: [[True]], WITHOUT: [[False]]}}
    took = {WITH: {"tokens": 300}, WITHOUT: {"tokens": 150}}
    measures = [price_chart(make(outcomes, {}, took=each)) for each in (took, {})]
    assert [drawn and drawn.measure for drawn in measures] == ["tokens", "time"]
    assert price_chart(make({(1, "a"): {WITH: [[True]]}}, None)) is None


@pytest.mark.parametrize("cost", [-1.0, float("inf"), float("nan")])
def test_an_impossible_cost_is_not_drawn(make: Callable[..., Benchmark], cost: float) -> None:
    """Then it is tokens; and where nothing took anything there is no scale."""
    outcomes = {(1, "a"): {WITH: [[True]], WITHOUT: [[False]]}}
    took = {WITH: {"tokens": 300, "cost": cost}, WITHOUT: {"tokens": 150, "cost": 1.0}}
    drawn = price_chart(make(outcomes, {}, took=took))
    assert drawn is not None
    assert drawn.measure == "tokens"
    nothing = {arm: {"tokens": 0, "cost": 0.0, "seconds": 0.0} for arm in (WITH, WITHOUT)}
    assert price_chart(make(outcomes, {}, took=nothing)) is None


def test_the_page_draws_them(several: Benchmark) -> None:
    """With words for those who do not see them."""
    page = html.render(several)
    assert page.count('class="span"') == 2
    assert 'aria-labelledby="price price-words"' in page
    assert '<desc id="price-words">with_skill (treatment): 75 %, $0.0300 a trial; without_skill' in page
    assert "<li><b>2</b> without_skill (baseline): 50 %, $0.0200 a trial</li>" in page
