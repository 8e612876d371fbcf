"""Another description in the front matter of a SKILL.md; everything else stays byte for byte."""

from __future__ import annotations

import re
from typing import cast

import yaml

from skilltrial.errors import SpecError
from skilltrial.spec.findings import Findings
from skilltrial.spec.front_matter import read_front_matter
from skilltrial.spec.lint.fixes import scalar

_KEY = "description"
_BLOCK = re.compile(r"^description:[ \t]*(?P<value>.*(?:\n[ \t]+.*)*)", re.MULTILINE)


def with_description(text: str, description: str, *, file: str) -> str:
    """The text of a SKILL.md with this description of one line.

    It is written plain where YAML reads it so, in quotes elsewhere; a key that is missing is added at the end. The result is read
    again: raises `SpecError` where it would say anything else than before in any other key, or cannot be read.
    """
    before = read_front_matter(text, Findings(), file=file)
    lines = text.split("\n")
    end = next(number for number, line in enumerate(lines) if number and line.removesuffix("\r") == "---")
    source = "\n".join(lines[1:end]) + "\n"
    start = len(lines[0]) + 1
    after = text[:start] + _changed(source, scalar(description)) + text[start + len(source) :]
    again = read_front_matter(after, Findings(), file=file)
    if dict(again.values) != {**before.values, _KEY: description} or again.body != before.body:
        hint = "Write it there by hand."
        raise SpecError("the description cannot be replaced without changing something else.", where=file, hint=hint)
    return after


def _changed(source: str, written: str) -> str:
    span = _span(source)
    if span is None:
        newline = "\r\n" if source.endswith("\r\n") else "\n"
        return f"{source}{_KEY}: {written}{newline}"
    start, end = span
    old = source[start:end]
    kept = old[len(old.rstrip()) :]  # blank lines after a block belong to it
    gap = "" if source[start - 1 : start].isspace() else " "
    return source[:start] + gap + written + kept + source[end:]


def _span(source: str) -> tuple[int, int] | None:
    """Where the value stands; None where there is none."""
    try:
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        root = None  # a bare colon, which reading mends
    if isinstance(root, yaml.MappingNode):
        pairs = cast("list[tuple[yaml.Node, yaml.Node]]", root.value)
        for key, value in pairs:
            if isinstance(key, yaml.ScalarNode) and key.value == _KEY:
                return cast("int", value.start_mark.index), cast("int", value.end_mark.index)
        return None
    found = _BLOCK.search(source)
    return found.span("value") if found else None
