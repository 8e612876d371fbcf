"""A model's text beside the figures: which numbers pass, and how it is marked in every report."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.prose import LeftOut, Prose
from skilltrial.report import html, markdown, terminal
from skilltrial.report.account import account
from skilltrial.report.prose import digest_of, figure_sheet, sifted

SHEET = "lift −40 points (95 % interval −66 to +12), 1,250 tokens, 3 cases, p = 0.031\n"


@pytest.mark.parametrize(
    "text",
    [
        "The lift is -40 points over 3 cases.",
        "It falls by 40 points, within −66 to +12.",
        "It takes 1250 tokens, or 1,250.",
        "Three cases are few; p is 0.031 at the 95 % level.",
        "Nothing is shown either way.",
    ],
)
def test_numbers_of_the_figures_pass(text: str) -> None:
    """However a sign or thousands are written, and without a sign."""
    assert sifted([text], SHEET) == ((text,), ())


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("A lift of +40 points.", ("+40",)),
        ("It takes 1.5x as long in 3 cases.", ("1.5",)),
        ("Four of 7 cases fall.", ("7", "four")),
        ("It takes twice the tokens.", ("twice",)),
        ("Half of all fall, ½ in all.", ("half", "½")),
        ("p is 0.03.", ("0.03",)),
    ],
)
def test_a_sentence_with_an_invented_number_is_left_out(text: str, numbers: tuple[str, ...]) -> None:
    """In digits, in words, as a multiple, rounded otherwise, or with the other sign."""
    assert sifted(["Kept.", text], SHEET) == (("Kept.",), (LeftOut(text=text, numbers=numbers),))


@pytest.fixture
def explained(better: Benchmark) -> Callable[..., Benchmark]:
    """A benchmark with a model's text about it, or about other figures."""

    def make(**fields: Any) -> Benchmark:
        made = better
        seen = digest_of(figure_sheet(account(made)))
        prose = Prose(
            model="openai:m",
            seen=seen,
            sentences=("Better: <b>it</b> helps.",),
            left_out=(LeftOut(text="By 99 points.", numbers=("99",)),),
            input_tokens=1,
            output_tokens=1,
            cost_usd=None,
        )
        return made.model_copy(update={"prose": prose.model_copy(update=fields)})

    return make


def _texts(benchmark: Benchmark) -> list[str]:
    console = Console(file=io.StringIO(), width=80)
    terminal.print_report(benchmark, console)
    file = console.file
    assert isinstance(file, io.StringIO)
    return [" ".join(text.split()) for text in (markdown.render(benchmark), html.render(benchmark), file.getvalue())]


def test_every_report_says_that_a_model_wrote_it(explained: Callable[..., Benchmark]) -> None:
    """Who, that no verdict comes of it, and how much was left out; never the sentence itself."""
    for text in _texts(explained()):
        assert "openai:m wrote this from the figures of this report." in text
        assert "1 sentence left out, with numbers that are not in the figures: 99." in text
        assert "By 99 points" not in text
    assert "Better: &lt;b&gt;it&lt;/b&gt; helps." in _texts(explained())[1]


def test_a_text_about_other_figures_is_not_shown(explained: Callable[..., Benchmark]) -> None:
    """Trials were added since."""
    assert not any("wrote this" in text for text in _texts(explained(seen="sha256:0")))


def test_the_sheet_does_not_depend_on_the_text(explained: Callable[..., Benchmark]) -> None:
    """Else no text could be bound to it."""
    with_text, without = explained(), explained().model_copy(update={"prose": None})
    assert figure_sheet(account(with_text)) == figure_sheet(account(without))
