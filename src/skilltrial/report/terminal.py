"""The report on a terminal: 80 columns, plain without colour, in ASCII where the encoding has no more.

All texts reach rich as `Text`, so that nothing in them is read as markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.record import Severity
from skilltrial.report.account import Account, Group, Remark, account
from skilltrial.report.figures import Tone, plural
from skilltrial.report.plain_text import block, encodable, line
from skilltrial.report.prose import TITLE, ModelWords, model_words
from skilltrial.report.tables import Cell, Table

_WIDTH = 80
_INDENT = 2
_NARROWEST = 16
"""Columns that the name of a case has at least."""
_STYLES: dict[Tone, str] = {"good": "green", "bad": "red", "warning": "yellow", "muted": "dim", "plain": ""}
_SEVERITY_TONES: dict[Severity, Tone] = {"invalid": "bad", "warning": "warning", "info": "plain"}
_MOST_GROUPS = 8
_LONGEST_PATH = 4096


def print_report(benchmark: Benchmark, console: Console, *, report_path: str | None = None) -> None:
    """Print the report of a benchmark; `report_path` is where the page lies, for the last lines."""
    told = account(benchmark)
    page = _Page(console)
    for part in page.parts(told, model_words(benchmark, told)):
        console.print(part, width=page.width)
    if report_path is not None:
        console.print(page.text(f"Report: {block(report_path, _LONGEST_PATH)}"), soft_wrap=True)
    console.print(page.paragraph(page.text(f"Next: {told.next_step}")))


class _Page:
    """Makes the parts for one console: its encoding and width."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.width = min(console.width, _WIDTH)

    def text(self, words: str, style: str = "") -> Text:
        return Text(encodable(words, self._console.encoding), style=style, overflow="fold")

    def paragraph(self, words: Text) -> Text:
        return Text("\n").join(self._lines(words, self.width))

    def parts(self, told: Account, words: ModelWords | None) -> Iterator[RenderableType]:
        yield from self._top(told)
        if told.where:
            yield from self._title("Where it helps, and where it harms")
            yield from (self._item("-", self.text(one.text, _STYLES[one.tone])) for one in told.where)
        yield from self._title("Pass rate by case")
        yield self._table(told.cases)
        if told.comparisons is not None:
            yield from self._title("Every arm against the baseline")
            yield self._table(told.comparisons)
        if told.arms is not None:
            yield from self._title("All arms")
            yield self._table(told.arms)
        yield from self._title("Trials, and what they took")
        yield self._table(told.effort)
        yield from (self._item(" ", self.text(sentence)) for sentence in told.ratios)
        if told.judge_bill:
            yield self.paragraph(self.text(f"  the judge's calls, apart from these: {told.judge_bill}"))
        yield from self._assertions(told)
        yield from self._findings(told.findings)
        if told.n_ungraded:
            yield from self._title(f"Not graded: {told.n_ungraded:,} of {plural(told.n_results, 'assertion')}")
            yield from self._groups(told.ungraded)
        if told.n_excluded:
            yield from self._title(f"Excluded: {told.n_excluded:,} of {plural(told.n_trials, 'trial')}")
            yield from self._groups(told.excluded)
        if told.notes:
            yield from self._title("Notes")
            yield from (self._item("-", self.text(note)) for note in told.notes)
        if words:
            yield from self._title(TITLE)
            yield self._item(" ", self.text(words.lead, "dim"))
            yield from (self._item("-", self.text(sentence)) for sentence in words.sentences)
            yield from ([self._item(" ", self.text(words.left_out, "dim"))] if words.left_out else [])
        yield Text()

    def _top(self, told: Account) -> Iterator[RenderableType]:
        word = self.text(told.headline.word, f"bold {_STYLES[told.headline.tone]}".strip())
        yield self.paragraph(Text.assemble(word, self.text(f" – {told.headline.sentence}", "bold")))
        for notice in told.notices:
            yield Text()
            yield self._item("!", self.text(notice), "yellow")
        yield Text()
        yield from (self._item(" ", self.text(detail)) for detail in told.headline.details)

    def _assertions(self, told: Account) -> Iterator[RenderableType]:
        if not told.assertion_words:
            return
        yield from self._title("Assertions")
        yield self._item(" ", self.text(told.assertion_words))
        if told.notable is not None:
            yield self._table(told.notable)

    def _findings(self, findings: Sequence[Remark]) -> Iterator[RenderableType]:
        if not findings:
            return
        yield from self._title("Can the comparison be trusted?")
        for finding in findings:
            weight = self.text(f"{finding.severity}:", _STYLES[_SEVERITY_TONES[finding.severity]])
            yield self._item("-", Text.assemble(weight, self.text(f" {finding.text} ({finding.code})")))

    def _groups(self, groups: Sequence[Group]) -> Iterator[RenderableType]:
        for group in groups[:_MOST_GROUPS]:
            examples = f" [{'; '.join(group.examples)}]" if group.examples else ""
            yield self._item("-", self.text(f"{group.what}: {group.reason}{examples}"))
        if len(groups) > _MOST_GROUPS:
            yield self._item("-", self.text(f"{plural(len(groups) - _MOST_GROUPS, 'further reason')}, see the page"))

    def _title(self, words: str) -> Iterator[RenderableType]:
        yield Text()
        yield self.text(words, "bold")

    def _item(self, mark: str, words: Text, style: str = "") -> Text:
        """The words with a mark before their first line, and their other lines below it."""
        lines = self._lines(words, max(self.width - _INDENT, 1))
        marks = [mark, *(" " for _ in lines[1:])]
        parts = (Text.assemble(f"{sign} ", part) for sign, part in zip(marks, lines, strict=True))
        item = Text("\n").join(parts)
        item.stylize(style)
        return item

    def _lines(self, words: Text, width: int) -> Sequence[Text]:
        """Without the spaces at their ends that rich leaves, for texts that are copied from the screen."""
        lines = words.wrap(self._console, width, overflow="fold")
        for part in lines:
            part.rstrip()
        return tuple(lines)

    def _table(self, table: Table) -> RenderableType:
        grid = RichTable(box=None, padding=(0, 0, 0, _INDENT), header_style="dim", pad_edge=True)
        for number, column in enumerate(table.columns):
            title = self.text(column.replace(" (", "\n("))
            side = "right" if number else "left"
            grid.add_column(title, justify=side, overflow="fold", vertical="bottom")
        room = self._room(table)
        for row in table.rows:
            grid.add_row(*self._cells(row, room))
        if table.total:
            grid.add_row(*self._cells(table.total, room), style="bold")
        return grid

    def _room(self, table: Table) -> int:
        """Columns left for the first cell of a row, when the others have theirs."""
        rows = [*table.rows, *([table.total] if table.total else [])]
        taken = _INDENT
        for number, title in enumerate(table.columns[1:], 1):
            words = [*title.replace(" (", "\n(").split("\n"), *(row[number].text for row in rows)]
            taken += _INDENT + max(cell_len(word) for word in words)
        longer = len(encodable("…", self._console.encoding)) - 1
        return max(self.width - taken, _NARROWEST) - longer

    def _cells(self, row: Sequence[Cell], room: int) -> list[Text]:
        first = self.text(line(row[0].text, room), _STYLES[row[0].tone])
        return [first, *(self.text(cell.text, _STYLES[cell.tone]) for cell in row[1:])]
