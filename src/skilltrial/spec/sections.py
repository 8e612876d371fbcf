"""The `##` sections of a SKILL.md, and the file without one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADING = re.compile(r" {0,3}(#{1,2})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t\r]*")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")
_BORDER = "---"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the second level with all that is below it."""

    title: str
    start: int
    end: int
    """Lines from `start` up to but not including `end`, from 0."""


def sections(text: str) -> tuple[Section, ...]:
    """The sections of a SKILL.md in their order. Headings in its front matter and in fenced code are none."""
    headings = _headings(text.split("\n"))
    n_lines = text.count("\n") + 1
    ends = [*(start for start, _, _ in headings[1:]), n_lines][: len(headings)]
    return tuple(
        Section(title, start, end)
        for (start, level, title), end in zip(headings, ends, strict=True)
        if level == 2  # noqa: PLR2004 - `##`
    )


def without(text: str, section: Section) -> str:
    """The file without these lines; all others stay as they are."""
    *lines, last = text.split("\n")
    kept = [*(f"{line}\n" for line in lines), last]
    return "".join([*kept[: section.start], *kept[section.end :]])


def _headings(lines: list[str]) -> list[tuple[int, int, str]]:
    """Line, level (1 or 2) and title of each."""
    found: list[tuple[int, int, str]] = []
    fence = ""
    for number in range(_body_start(lines), len(lines)):
        line = lines[number]
        border = _FENCE.fullmatch(line)
        if border and not fence:
            fence = border[1]
        elif border and border[1].startswith(fence) and not border[2].strip():
            fence = ""
        elif not fence and (heading := _HEADING.fullmatch(line)):
            found.append((number, len(heading[1]), heading[2] or ""))
    return found


def _body_start(lines: list[str]) -> int:
    borders = [number for number, line in enumerate(lines) if line.removeprefix("\ufeff").rstrip("\r") == _BORDER]
    return borders[1] + 1 if len(borders) > 1 and borders[0] == 0 else 0
