"""`limit` and `diff_scope`: the most that a trial may take, and the most that an agent may change."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skilltrial.grade.decision import CheckResult, Undecided, failed, passed
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import Material
from skilltrial.records.layout import PATCH
from skilltrial.records.suite import DiffScope, Limit

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


class _Figure(NamedTuple):
    """What was found and what is allowed. `found` None: not known; `gap`: why it may be more."""

    name: str
    found: float | None
    most: float
    gap: str = ""

    def words(self) -> str:
        least = "at least " if self.gap else ""
        return f"{self.name}: {least}{self.found:,.10g} of {self.most:,.10g}"


def check_limit(assertion: Limit, material: Material) -> CheckResult:
    """Every figure that has a limit is within it. Raises `Undecided` where one is not known and none is above."""
    trial = material.trial
    calls = None if trial.tool_calls is None else sum(trial.tool_calls.values())
    figures = {
        "tokens": (trial.usage.total_tokens, assertion.tokens),
        "cost in USD": (trial.cost_usd, assertion.cost_usd),
        "seconds": (None if trial.duration_ms is None else trial.duration_ms / 1000, assertion.seconds),
        "tool calls": (calls, assertion.tool_calls),
        "turns": (trial.n_turns, assertion.turns),
    }
    return _within([_Figure(name, found, most) for name, (found, most) in figures.items() if most is not None])


def check_scope(assertion: DiffScope, material: Material) -> CheckResult:
    """No more files and lines were changed. Everything that the agent left counts, also what a `.gitignore` names.

    A renamed file is two, a binary one has no lines. Raises `Undecided` where the trial has no record of changes, or where
    some are not known and what is known is within the limits.
    """
    if not os.path.lexists(material.outputs.parent / PATCH):
        raise Undecided("the trial has no record of what was changed.")
    figures: list[_Figure] = []
    unlisted = material.unlisted()
    if assertion.max_files_touched is not None:
        touched = material.touched()
        figures.append(_Figure("files changed", len(touched), assertion.max_files_touched, unlisted))
    if assertion.max_lines_changed is not None:
        n_lines, gap = _changed_lines(material.patch().split("\n"))
        figures.append(_Figure("lines changed", n_lines, assertion.max_lines_changed, gap or unlisted))
    return _within(figures)


def _within(figures: Sequence[_Figure]) -> CheckResult:
    above = next((each for each in figures if each.found is not None and each.found > each.most), None)
    if above is not None:
        return failed(above.words())
    for figure in figures:
        if figure.found is None:
            raise Undecided(f"{figure.name}: not known of this trial, so that no limit can be held against it.")
        if figure.gap:
            raise Undecided(f"{figure.words()}; not all is known: {excerpt(figure.gap)}.")
    return passed("; ".join(figure.words() for figure in figures))


def _changed_lines(patch: Sequence[str]) -> tuple[int, str]:
    """Lines added and removed, and why there may be more. Only what a hunk announces is in it: a text cannot pose as one."""
    n_changed, gap = 0, ""
    lines = iter(patch)
    for line in lines:
        if match := _HUNK.match(line):
            n_changed += _of_hunk(lines, old=int(match[1] or 1), new=int(match[2] or 1))
        elif line.startswith(("# cut: ", "# not shown: ")):
            gap = gap or line.removeprefix("# ")
    return n_changed, gap


def _of_hunk(lines: Iterator[str], *, old: int, new: int) -> int:
    n_changed = 0
    while old > 0 or new > 0:
        line = next(lines, None)
        if line is None:
            break
        n_changed += line.startswith(("+", "-"))
        old -= line.startswith(("-", " "))
        new -= line.startswith(("+", " "))
    return n_changed
