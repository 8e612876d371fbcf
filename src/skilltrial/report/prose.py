"""What a model is shown of the figures, which numbers of its text are in them, and how that text stands in a report."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.prose import LeftOut, Prose
from skilltrial.report.account import Account
from skilltrial.report.figures import plural
from skilltrial.report.plain_text import line
from skilltrial.report.tables import Table

TITLE = "In a model's words"
_SENTENCE = 400
_MOST = 12
_NUMBER = re.compile(r"(?:(?<![\w.])[+\-−])?\d+(?:,\d{3})*(?:\.\d+)?")
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "twenty": 20, "hundred": 100, "thousand": 1_000, "twice": 2, "double": 2, "doubles": 2, "doubled": 2,
    "thrice": 3, "triple": 3, "tripled": 3,
}  # fmt: skip
_PARTS = {"half", "halved", "halves", "quarter", "quarters", "thirds"}
"""Parts that are never written in figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWords:
    """The section of a report: who wrote it, its sentences, what is not in it."""

    lead: str
    sentences: tuple[str, ...]
    left_out: str
    """Empty where nothing was."""


def figure_sheet(told: Account) -> str:
    """The figures and notes of a report as plain text: names of arms and cases are in it, no task, output or evidence."""
    return "\n".join(_sheet(told)) + "\n"


def digest_of(sheet: str) -> str:
    """By which prose is bound to the figures that it is about."""
    return f"sha256:{hashlib.sha256(sheet.encode()).hexdigest()}"


def sifted(sentences: Sequence[str], sheet: str) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """The sentences whose every number occurs in the sheet, and the others. At most twelve, each on one line."""
    known = set(_numbers(sheet))
    kept: list[str] = []
    left_out: list[LeftOut] = []
    for text in filter(None, (line(each, _SENTENCE) for each in sentences[:_MOST])):
        invented = tuple(dict.fromkeys(_invented(text, known)))
        if invented:
            left_out.append(LeftOut(text=text, numbers=invented))
        else:
            kept.append(text)
    return tuple(kept), tuple(left_out)


def model_words(benchmark: Benchmark, told: Account) -> ModelWords | None:
    """None where no model was asked, and where the figures are others by now."""
    prose = benchmark.prose
    if prose is None or prose.seen != digest_of(figure_sheet(told)):
        return None
    return ModelWords(
        lead=f"{line(prose.model, 80)} wrote this from the figures of this report. It is no part of the verdict. "
        "Code checked that its numbers occur in the figures, and nothing else.",
        sentences=tuple(line(sentence, _SENTENCE) for sentence in prose.sentences),
        left_out=_left_out(prose),
    )


def _left_out(prose: Prose) -> str:
    if not prose.left_out:
        return ""
    numbers = ", ".join(dict.fromkeys(number for each in prose.left_out for number in each.numbers))
    n = len(prose.left_out)
    return f"{plural(n, 'sentence')} left out, with numbers that are not in the figures: {line(numbers, 200)}."


def _sheet(told: Account) -> Iterator[str]:
    yield f"Skill {told.skill}, iteration {told.iteration}. Word: {told.headline.word}"
    yield told.headline.sentence
    yield from told.headline.details
    yield from _section("Notices", told.notices)
    yield from _section("Where it helps, and where it harms", [cell.text for cell in told.where])
    for title, table in (
        ("Pass rate by case", told.cases),
        ("Every arm against the baseline", told.comparisons),
        ("All arms", told.arms),
        ("Trials, and what they took", told.effort),
    ):
        yield from _section(title, list(_rows(table)))
    yield from _section("How many times as much", told.ratios)
    yield from _section("Assertions", [told.assertion_words] if told.assertion_words else [])
    yield from _section("Findings", [f"{each.severity}: {each.text} ({each.code})" for each in told.findings])
    yield from _section("Not graded", [f"{told.n_ungraded} of {told.n_results}"] if told.n_ungraded else [])
    yield from _section("Excluded", [f"{each.what}: {each.reason}" for each in told.excluded])
    yield from _section("Notes", told.notes)


def _section(title: str, rows: Sequence[str]) -> Iterator[str]:
    if rows:
        yield from ("", title, *(f"- {row}" for row in rows))


def _rows(table: Table | None) -> Iterator[str]:
    if table is None:
        return
    yield " | ".join(table.columns)
    for row in (*table.rows, *([table.total] if table.total else [])):
        yield " | ".join(cell.text for cell in row)


def _numbers(text: str) -> Iterator[tuple[str, Decimal]]:
    """Each with its sign, and once more without: a fall of 5 points is one of -5."""
    for found in _NUMBER.findall(text):
        sign, size = _signed(found)
        yield from (("", size), (sign, size))


def _signed(found: str) -> tuple[str, Decimal]:
    sign = found[0].replace("−", "-") if found[0] in "+-−" else ""
    return sign, Decimal(found.lstrip("+-−").replace(",", ""))


def _invented(text: str, known: set[tuple[str, Decimal]]) -> Iterator[str]:
    for found in _NUMBER.findall(text):
        if _signed(found) not in known:
            yield found
    for word in re.findall(r"[^\W\d_]+", text.lower()):
        if word in _PARTS or (word in _WORDS and ("", Decimal(_WORDS[word])) not in known):
            yield word
    yield from (sign for sign in text if unicodedata.category(sign) in {"No", "Nl"})
