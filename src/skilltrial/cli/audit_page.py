"""An audit on a terminal: the right figures, then what was found, the same kinds together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from skilltrial.audit.rules import ROLE_UNKNOWN, RULES
from skilltrial.records.audit import ArmFigures, Audit, AuditFinding, AuditIteration
from skilltrial.records.estimate import Lift
from skilltrial.records.json_value import Json
from skilltrial.report.figures import UNKNOWN, count, percent, plural, points, seconds, signed_points
from skilltrial.report.plain_text import encodable, line

_WIDTH = 80
_PLACES = 3
"""Shown of each kind."""
_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}
_TITLES = {
    "error": "Wrong numbers",
    "warning": "Hidden or lost",
    "note": "Traps for the tool that wrote the files",
}
_SUMMARIES = {rule.code: rule.summary for rule in RULES}


def print_audit(found: Audit, console: Console, *, path: str) -> None:
    """Print an audit; `path` is what the person gave, for the last line."""
    page = _Page(console)
    page.say(_answer(found), "bold")
    page.say(f"{plural(found.n_runs, 'run')} in {plural(len(found.iterations), 'iteration')} ({found.family}).")
    for iteration in found.iterations:
        page.iteration(iteration)
    for severity, title in _TITLES.items():
        page.findings(title, [finding for finding in found.findings if finding.severity == severity], _STYLES[severity])
    page.gap()
    page.say(f"Next: {_next_step(found, path)}")


def _answer(found: Audit) -> str:
    n = Counter(finding.severity for finding in found.findings)
    parts = [plural(n["error"], "wrong number") if n["error"] else "No wrong number"]
    parts.append(f"{plural(n['warning'], 'thing')} hidden or lost" if n["warning"] else "nothing hidden or lost")
    if n["note"]:
        parts.append(plural(n["note"], "trap"))
    return f"{', '.join(parts)}."


def _next_step(found: Audit, path: str) -> str:
    shown = line(path, 300)
    if any(finding.code == ROLE_UNKNOWN.code for finding in found.findings):
        return f"say which arm is which: skilltrial audit {shown} --treatment NAME --baseline NAME"
    if found.family == "native":
        return f"skilltrial report {shown}"
    step = f"skilltrial import {shown} makes a workspace of its runs with these rates."
    return step if found.findings else f"nothing to mend. {step}"


class _Page:
    """Prints for one console: its encoding and width."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = min(console.width, _WIDTH)

    def say(self, words: str, style: str = "", *, indent: int = 0) -> None:
        text = Text(encodable(words, self._console.encoding), style=style, overflow="fold")
        for part in text.wrap(self._console, max(self._width - indent, 1), overflow="fold"):
            part.rstrip()
            self._console.print(Text(" " * indent) + part, soft_wrap=True)

    def gap(self) -> None:
        self._console.print()

    def iteration(self, iteration: AuditIteration) -> None:
        self.gap()
        self.say(line(iteration.place, 200) or "here", "bold")
        for row in _table(iteration.arms):
            self.say(row, indent=2)
        if iteration.lift is not None and iteration.delta is not None:
            self.say(f"Difference of the means over runs: {_differences(iteration.delta)}.", indent=2)
            self.say(f"Paired by case: {_lift(iteration.lift)}", indent=2)
        elif len(iteration.arms) > 1:
            self.say("No difference: nothing says which arm is the treatment and which the baseline.", indent=2)

    def findings(self, title: str, findings: Sequence[AuditFinding], style: str) -> None:
        if not findings:
            return
        self.gap()
        self.say(f"{title}: {len(findings):,}", "bold")
        for _, group in groupby(findings, key=lambda finding: finding.code):
            self._group(list(group), style)

    def _group(self, group: Sequence[AuditFinding], style: str) -> None:
        first = group[0]
        times = f" × {len(group):,}" if len(group) > 1 else ""
        self.say(f"{first.code} {first.name}{times}", style)
        self.say(_SUMMARIES[first.code], indent=2)
        for finding in group[:_PLACES]:
            self._place(finding.place)
            change = _change(finding)
            self.say(f"{line(finding.message, 300)}{change}", indent=4)
        if len(group) > _PLACES:
            self.say(f"- and {len(group) - _PLACES:,} more (--json lists them)", indent=2)
        if first.hint:
            self.say(f"> {first.hint}", indent=2)

    def _place(self, place: str) -> None:
        """Never broken, so that it can be copied; the place in the file on a line of its own where both do not fit."""
        file, mark, path = encodable(line(place, 600), self._console.encoding).partition("#")
        whole = f"  - {file}{mark}{path}"
        lines = [whole] if len(whole) <= self._width or not mark else [f"  - {file}", f"    {mark}{path}"]
        for each in lines:
            self._console.print(Text(each), soft_wrap=True)


def _table(arms: Sequence[ArmFigures]) -> Iterator[str]:
    rows = [("", "runs", "graded", "pass rate", "time", "tokens"), *(_row(own) for own in arms)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        name = row[0].ljust(widths[0])
        yield "  ".join([name, *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]).rstrip()


def _row(own: ArmFigures) -> tuple[str, str, str, str, str, str]:
    role = f" ({own.arm.role})" if own.arm.role else ""
    return (
        line(own.arm.name, 30) + role,
        count(own.n_runs),
        count(own.n_graded),
        percent(own.pass_rate.mean),
        seconds(own.time_seconds.mean),
        count(own.tokens.mean),
    )


def _differences(delta: Mapping[str, float | None]) -> str:
    units: tuple[tuple[str, Callable[[float], str]], ...] = (
        ("pass_rate", points),
        ("time_seconds", lambda value: f"{_sign(value)}{seconds(abs(value))}"),
        ("tokens", lambda value: f"{_sign(value)}{count(abs(value))} tokens"),
    )
    known = [unit(value) for name, unit in units if (value := delta.get(name)) is not None]
    return ", ".join(known) or UNKNOWN


def _sign(value: float) -> str:
    return "−" if value < 0 else "+"


def _lift(lift: Lift) -> str:
    if lift.estimate is None:
        return f"{lift.word}. {lift.why}"
    interval = (
        "no interval"
        if lift.low is None or lift.high is None
        else f"{lift.level * 100:g} % interval {signed_points(lift.low)} to {signed_points(lift.high)}"
    )
    return f"{points(lift.estimate)} ({interval}, {plural(lift.n_cases, 'case')}): {lift.word}. {lift.why}"


def _change(finding: AuditFinding) -> str:
    if finding.old is None and finding.right is None:
        return ""
    right = "unknown" if finding.right is None else _shown(finding.right)
    if finding.old is None:
        return f" Right: {right}"
    old = _shown(finding.old)
    return f" Old: {old}" if finding.severity != "error" and finding.right is None else f" Old: {old}, right: {right}"


def _shown(value: Json) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"  # noqa: PLR2004 - from here on decimals say nothing
    return line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 80)
