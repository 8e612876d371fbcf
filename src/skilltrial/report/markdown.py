"""The report as GitHub-flavoured Markdown: `benchmark.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from skilltrial.records.benchmark import Benchmark
from skilltrial.report.account import Account, Group, account
from skilltrial.report.figures import plural
from skilltrial.report.tables import Cell, Table

_SPECIAL = re.compile(r"[\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_MENTION = re.compile(r"@(?=\w)")
_LINE_START = re.compile(r"^(?:([#+=-])(?=[\s#=-]|$)|([0-9]+)([.)])(?=\s|$))")


def render(benchmark: Benchmark) -> str:
    """The report of a benchmark as Markdown, with a line feed at its end."""
    return "\n".join(_lines(account(benchmark))) + "\n"


def escape(text: str) -> str:
    """A one-line text that Markdown shows as it is: no HTML, links, tables, emphasis, mentions."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = _SPECIAL.sub(r"\\\g<0>", safe)
    return _MENTION.sub("@\u2060", safe)


def paragraph(text: str) -> str:
    """The same for a text at the start of a paragraph or list item, where it could open a heading or a list."""
    return _LINE_START.sub(lambda at: f"\\{at[1]}" if at[1] else f"{at[2]}\\{at[3]}", escape(text))


def _lines(told: Account) -> Iterator[str]:
    yield f"# {escape(told.skill)} on trial, iteration {told.iteration}"
    yield ""
    yield f"**{told.headline.word}** – {escape(told.headline.sentence)}"
    for notice in told.notices:
        yield from ("", f"> **Note:** {escape(notice)}")
    yield ""
    yield from (f"- {paragraph(detail)}" for detail in told.headline.details)
    yield from ("", "## Pass rate by case", "")
    yield from _table(told.cases)
    if told.arms is not None:
        yield from ("", "## All arms", "")
        yield from _table(told.arms)
    yield from ("", "## Trials, and what they took", "")
    yield from _table(told.effort)
    if told.assertions is not None:
        yield from ("", "## Assertions", "", escape(told.assertion_words), "")
        yield from _table(told.assertions)
    if told.findings:
        yield from ("", "## Can the comparison be trusted?", "")
        yield from (f"- **{one.severity}** {escape(one.text)} ({escape(one.code)})" for one in told.findings)
    if told.n_ungraded:
        yield from ("", f"## Not graded: {told.n_ungraded:,} of {plural(told.n_results, 'assertion')}", "")
        yield from _groups(told.ungraded)
    if told.n_excluded:
        yield from ("", f"## Excluded: {told.n_excluded:,} of {plural(told.n_trials, 'trial')}", "")
        yield from _groups(told.excluded)
    if told.notes:
        yield from ("", "## Notes", "")
        yield from (f"- {paragraph(note)}" for note in told.notes)
    yield from ("", "## What was tried", "", "| | |", "|---|---|")
    yield from (f"| {escape(name)} | {escape(value)} |" for name, value in told.facts)
    yield from ("", f"Next: {escape(told.next_step)}")


def _table(table: Table) -> Iterator[str]:
    yield _row([escape(column) for column in table.columns])
    yield "|---|" + "---:|" * (len(table.columns) - 1)
    yield from (_row([escape(cell.text) for cell in row]) for row in table.rows)
    if table.total:
        yield _row([_strong(cell) for cell in table.total])


def _strong(cell: Cell) -> str:
    return f"**{escape(cell.text)}**"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _groups(groups: Sequence[Group]) -> Iterator[str]:
    for group in groups:
        examples = f" ({', '.join(escape(example) for example in group.examples)})" if group.examples else ""
        yield f"- {escape(group.what)}: {escape(group.reason)}{examples}"
