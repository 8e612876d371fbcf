"""The report as GitHub-flavoured Markdown: `benchmark.md`, a comment on a pull request, the summary of a step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skilltrial.records.benchmark import Benchmark
from skilltrial.report.account import Account, Group, Remark, account
from skilltrial.report.figures import plural
from skilltrial.report.prose import TITLE, ModelWords, model_words
from skilltrial.report.tables import Cell, Table

_SPECIAL = re.compile(r"[\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_MENTION = re.compile(r"@(?=\w)|#(?=[0-9])")
"""Of people, and of issues, which would tell so in their own threads."""
_LINE_START = re.compile(r"^(?:([#+=-])(?=[\s#=-]|$)|([0-9]+)([.)])(?=\s|$))")

_MOST = 60_000
_NOTE = 120
"""Room for the sentence on what is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A title with its lines; of these some may be left out, of the rest nothing."""

    title: str = ""
    before: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    folded: bool = False

    @property
    def opening(self) -> tuple[str, ...]:
        if self.folded:
            return ("", f"<details><summary>{self.title}</summary>", "", *self.before)
        return ("", f"## {self.title}", "", *self.before) if self.title else self.before

    @property
    def closing(self) -> tuple[str, ...]:
        return ("", "</details>") if self.folded else ()

    @property
    def whole(self) -> tuple[str, ...]:
        return (*self.opening, *self.lines, *self.after, *self.closing)

    @property
    def length(self) -> int:
        return sum(len(text) + 1 for text in self.whole)


def render(benchmark: Benchmark) -> str:
    """The report of a benchmark as Markdown, with a line feed at its end.

    It has at most 60,000 characters, so that a comment on GitHub (65,536) has room for it and for a few lines of others.
    """
    told = account(benchmark)
    parts = [part for part in _parts(told, model_words(benchmark, told)) if part.lines]
    return "\n".join(_fitting(parts, _MOST)) + "\n"


def escape(text: str) -> str:
    """A one-line text that Markdown shows as it is: no HTML, links, tables, emphasis, mentions."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = _SPECIAL.sub(r"\\\g<0>", safe)
    return _MENTION.sub("\\g<0>\u2060", safe)


def paragraph(text: str) -> str:
    """The same for a text at the start of a paragraph or list item, where it could open a heading or a list."""
    return _LINE_START.sub(lambda at: f"\\{at[1]}" if at[1] else f"{at[2]}\\{at[3]}", escape(text))


def _parts(told: Account, words: ModelWords | None) -> Iterator[_Part]:
    """The most important first."""
    yield _Part(
        lines=(
            f"# {escape(told.skill)} on trial, iteration {told.iteration}",
            "",
            f"**{told.headline.word}** – {escape(told.headline.sentence)}",
            *(text for notice in told.notices for text in ("", f"> **Note:** {escape(notice)}")),
            "",
            *(f"- {paragraph(detail)}" for detail in told.headline.details),
        )
    )
    yield _list("Where it helps, and where it harms", [paragraph(one.text) for one in told.where])
    yield _table("Every arm against the baseline", told.comparisons)
    yield _table("Trials, and what they took", told.effort, after=told.ratios)
    yield _list("Can the comparison be trusted?", [_finding(one) for one in told.findings])
    yield _Part(lines=("", f"Next: {escape(told.next_step)}"))
    yield _table("Pass rate by case", told.cases, folded=True)
    yield _table("All arms", told.arms, folded=True)
    yield _table("Assertions", told.assertions, folded=True, before=told.assertion_words)
    ungraded = f"Not graded: {told.n_ungraded:,} of {plural(told.n_results, 'assertion')}"
    yield _list(ungraded, [_group(one) for one in told.ungraded], folded=True)
    excluded = f"Excluded: {told.n_excluded:,} of {plural(told.n_trials, 'trial')}"
    yield _list(excluded, [_group(one) for one in told.excluded], folded=True)
    yield _list("Notes", [paragraph(note) for note in told.notes], folded=True)
    if words:
        after = ("", escape(words.left_out)) if words.left_out else ()
        lines = tuple(f"- {paragraph(sentence)}" for sentence in words.sentences) or ("No sentence is left.",)
        yield _Part(title=TITLE, before=(escape(words.lead), ""), lines=lines, after=after, folded=True)
    facts = tuple(_row([escape(name), escape(value)]) for name, value in told.facts)
    yield _Part(title="What was tried", before=("| | |", "|---|---|"), lines=facts, folded=True)


def _list(title: str, items: Sequence[str], *, folded: bool = False) -> _Part:
    return _Part(title=title, lines=tuple(f"- {item}" for item in items), folded=folded)


def _table(
    title: str, table: Table | None, *, folded: bool = False, before: str = "", after: Sequence[str] = ()
) -> _Part:
    if table is None:
        return _Part(title=title)
    head = (_row([escape(column) for column in table.columns]), "|---|" + "---:|" * (len(table.columns) - 1))
    total = (_row([_strong(cell) for cell in table.total]),) if table.total else ()
    return _Part(
        title=title,
        before=(*((escape(before), "") if before else ()), *head),
        lines=tuple(_row([escape(cell.text) for cell in row]) for row in table.rows),
        after=(*total, *(text for sentence in after for text in ("", escape(sentence)))),
        folded=folded,
    )


def _fitting(parts: Sequence[_Part], room: int) -> Iterator[str]:
    """The lines of all parts in order; where they are too many, those of the longest parts are cut."""
    shares: dict[int, int] = {}
    for rank, number in enumerate(sorted(range(len(parts)), key=lambda number: parts[number].length)):
        shares[number] = min(parts[number].length, room // (len(parts) - rank))
        room -= shares[number]
    for number, part in enumerate(parts):
        yield from part.whole if shares[number] >= part.length else _cut(part, shares[number])


def _cut(part: _Part, share: int) -> Iterator[str]:
    room = share - (part.length - sum(len(text) + 1 for text in part.lines)) - _NOTE
    kept = 0
    while kept < len(part.lines) and (room := room - len(part.lines[kept]) - 1) >= 0:
        kept += 1
    yield from part.opening
    yield from part.lines[:kept]
    yield from part.after
    left = len(part.lines) - kept
    yield from ("", f"{left:,} of these {plural(len(part.lines), 'line')} are left out here; `report.html` has all.")
    yield from part.closing


def _finding(one: Remark) -> str:
    return f"**{one.severity}** {escape(one.text)} ({escape(one.code)})"


def _strong(cell: Cell) -> str:
    return f"**{escape(cell.text)}**"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _group(group: Group) -> str:
    examples = f" ({', '.join(escape(example) for example in group.examples)})" if group.examples else ""
    return f"{escape(group.what)}: {escape(group.reason)}{examples}"
