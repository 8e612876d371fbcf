"""The assertions in every report: counts, weight, and whether they tell the arms apart."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from skilltrial.records.benchmark import Benchmark, Discrimination
from skilltrial.report import html, markdown
from skilltrial.report.terminal import print_report

WITH, WITHOUT = "with_skill", "without_skill"


@pytest.fixture
def told(make: Callable[..., Benchmark]) -> Benchmark:
    """Three assertions of one case in two runs an arm; the second is required and counts twice."""
    new, old = [[True, False, True], [True, True, True]], [[False, False, True], [False, False, True]]
    made = make({("a", "a"): {WITH: new, WITHOUT: old}}, {})
    words: list[Discrimination] = ["helps", "flaky", "always passes"]
    weights = [(1.0, False), (2.0, True), (0.5, False)]
    rows = [
        row.model_copy(update={"discrimination": word, "weight": weight, "required": required})
        for row, word, (weight, required) in zip(made.assertions, words, weights, strict=True)
    ]
    return made.model_copy(update={"assertions": tuple(rows)})


def printed(benchmark: Benchmark) -> str:
    """At 80 columns."""
    file = io.StringIO()
    print_report(benchmark, Console(file=file, width=80))
    return file.getvalue()


def test_the_terminal_counts_words_and_shows_what_needs_a_look(told: Benchmark) -> None:
    """The others are only counted there."""
    lines = [line.rstrip() for line in printed(told).splitlines()]
    start = lines.index("Assertions")
    assert lines[start : start + 6] == [
        "Assertions",
        "  3 assertions: helps 1, flaky 1, always passes 1.",
        "                        with_skill  without_skill",
        "  assertion            (treatment)     (baseline)       weight  tells apart",
        "  a: assertion 2 of a       1 of 2         0 of 2  2, required        flaky",
        "",
    ]


def test_markdown_has_all_of_them(told: Benchmark) -> None:
    """In the suite's order."""
    text = markdown.render(told)
    part = text[text.index("<details><summary>Assertions<") :].splitlines()[:9]
    assert part[2:] == [
        "3 assertions: helps 1, flaky 1, always passes 1.",
        "",
        "| assertion | with_skill (treatment) | without_skill (baseline) | weight | tells apart |",
        "|---|---:|---:|---:|---:|",
        "| a: assertion 1 of a | 2 of 2 | 0 of 2 | 1 | helps |",
        "| a: assertion 2 of a | 1 of 2 | 0 of 2 | 2, required | flaky |",
        "| a: assertion 3 of a | 2 of 2 | 2 of 2 | 0.5 | always passes |",
    ]


def test_the_page_has_them_in_the_table_of_the_case(told: Benchmark) -> None:
    """With the word beside the counts."""
    page = html.render(told)
    assert '<th scope="col">weight</th><th scope="col">tells apart</th>' in page
    assert '<td>2, required</td><td class="warning">flaky</td>' in page
    assert "3 assertions: helps 1, flaky 1, always passes 1." in page


def test_without_weights_there_is_no_column_for_them(told: Benchmark) -> None:
    """It would say 1 in every row."""
    plain = tuple(row.model_copy(update={"weight": 1, "required": False}) for row in told.assertions)
    alike = told.model_copy(update={"assertions": plain})
    assert "weight" not in markdown.render(alike)
    assert '<th scope="col">weight</th>' not in html.render(alike)
    assert '<th scope="col">tells apart</th>' in html.render(alike)


def test_files_of_older_versions_have_no_words(told: Benchmark) -> None:
    """Then nothing is said, rather than that nothing could be told."""
    rows = tuple(row.model_copy(update={"discrimination": None}) for row in told.assertions)
    old = told.model_copy(update={"assertions": rows})
    assert "Assertions" not in printed(old)
    assert ">Assertions<" not in markdown.render(old)
    assert "tells apart" not in html.render(old)
