"""The YAML between the two `---` lines of a SKILL.md."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import yaml

from skilltrial.records.json_value import Json
from skilltrial.records.repair import Repair
from skilltrial.spec.findings import Findings, Invalid, invalid, shown

_FENCE = "---"
_FIRST_LINE = 2
_MAX_CHARS = 64 * 1024
_MAX_BRACKETS = 100
_MAX_NODES = 20_000
_MAX_DEPTH = 50
_MAX_BITS = 64
_CONSTRUCTED = {"tag:yaml.org,2002:" + kind for kind in ("null", "bool", "int", "float")}
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN_VALUE = re.compile(r"(?P<key>[A-Za-z_][\w.-]*):[ \t]+(?P<value>[^\s\"'\[{|>&*!%@`#].*)", re.DOTALL)
_BARE_COLON = re.compile(r":(\s|$)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a SKILL.md says of itself, and its text."""

    values: Mapping[str, Json]
    lines: Mapping[str, int]
    """The line of each top-level key."""
    body: str
    """What follows, with line breaks as `\\n`."""


def read_front_matter(text: str, findings: Findings, *, file: str) -> FrontMatter:
    """Split a SKILL.md at its lines that are exactly `---`, and read what is between them as YAML.

    Values are JSON values: dates and everything else that JSON lacks stay as written. A value broken by a bare colon is read
    again as if it were quoted (a repair). Raises `SpecError` where there is no front matter, or none that can be read.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    end = _closing_line(lines, file)
    source = "\n".join(lines[1:end]) + "\n"
    body = "\n".join(lines[end + 1 :])
    if len(source) > _MAX_CHARS or _n_open_brackets(source) > _MAX_BRACKETS:
        raise invalid("bad-yaml", "the front matter is too long or nested too deeply.", file=file, line=_FIRST_LINE)
    try:
        root = _compose(source, file)
    except Invalid as error:
        if "mapping values are not allowed" not in error.message:
            raise
        root = _rescue(source, file, findings, error)
    if not isinstance(root, yaml.MappingNode):
        what = "is empty" if root is None else "is not a mapping of keys to values"
        hint = "Write `name: …` and `description: …` in it."
        raise invalid("bad-front-matter", f"the front matter {what}.", file=file, line=_FIRST_LINE, hint=hint)
    reader = _PlainReader(file)
    values = cast("dict[str, Json]", reader.plain(root, 0))
    return FrontMatter(values, reader.top_lines, body)


def _closing_line(lines: list[str], file: str) -> int:
    hint = "Start the file with a line `---`, then `name: …` and `description: …`, then a line `---`."
    if lines[0] != _FENCE:
        found = shown(lines[0])
        message = f"there is no front matter: line 1 is {found}, not exactly '---'."
        raise invalid("no-front-matter", message, file=file, line=1, hint=hint)
    for number, line in enumerate(lines[1:], start=1):
        if line == _FENCE:
            return number
    near = next((number for number, line in enumerate(lines[1:], start=2) if line.startswith(_FENCE)), None)
    message = "the front matter is never closed: no line after the first is exactly '---'"
    if near is not None:
        message += f" (line {near} is {shown(lines[near - 1])})"
    hint = "Put '---' alone on the line after the last key."
    raise invalid("open-front-matter", f"{message}.", file=file, line=near or 1, hint=hint)


def _n_open_brackets(source: str) -> int:
    """How deep brackets are nested at most, since the YAML reader needs minutes for thousands of them."""
    n_open = n_most = 0
    for character in source:
        n_open += (character in "[{") - (character in "]}")
        n_most = max(n_most, n_open)
    return n_most


def _compose(source: str, file: str) -> yaml.Node | None:
    try:
        return yaml.compose(source, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = _FIRST_LINE + mark.line if mark else _FIRST_LINE
        reason = error.problem or error.context or "unknown error"
        hint = "Put values with ':' or '#' into double quotes."
        raise invalid("bad-yaml", f"the front matter is not YAML: {reason}.", file=file, line=line, hint=hint) from None
    except yaml.reader.ReaderError as error:
        line = _FIRST_LINE + source.count("\n", 0, error.position)
        message = f"the front matter has a character that YAML does not allow: {chr(cast('int', error.character))!r}."
        raise invalid("bad-yaml", message, file=file, line=line, hint="Remove it.") from None
    except RecursionError:
        raise invalid("bad-yaml", "the front matter is nested too deeply.", file=file, line=_FIRST_LINE) from None
    except (yaml.YAMLError, ValueError) as error:
        raise invalid("bad-yaml", f"the front matter is not YAML: {error}.", file=file, line=_FIRST_LINE) from None


def _rescue(source: str, file: str, findings: Findings, original: Invalid) -> yaml.Node | None:
    """Quote the plain top-level values that hold a colon, and read again; the first error stands where that fails."""
    repairs: list[Repair] = []
    blocks: list[str] = []
    number = _FIRST_LINE
    for block in re.split(r"\n(?![ \t\n])", source.rstrip("\n")):
        match = _PLAIN_VALUE.fullmatch(block)
        if match is not None and _BARE_COLON.search(match["value"]):
            blocks.append(f"{match['key']}: '{match['value'].rstrip().replace(chr(39), chr(39) * 2)}'")
            message = f"{match['key']} has a bare colon, which is not YAML; it was read as if it were quoted"
            value = shown(match["value"])
            repairs.append(
                Repair(code="bare-colon", message=message, file=file, line=number, path=match["key"], value=value)
            )
        else:
            blocks.append(block)
        number += block.count("\n") + 1
    try:
        root = _compose("\n".join(blocks) + "\n", file)
    except Invalid:
        raise original from None
    findings.repairs.extend(repairs)
    return root


class _PlainReader:
    """Turns YAML nodes into JSON values; counts them, since aliases can make few lines into millions of values."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.n_nodes = 0
        self.top_lines: dict[str, int] = {}
        self.loader = yaml.SafeLoader("")

    def plain(self, node: yaml.Node, depth: int) -> Json:
        self.n_nodes += 1
        if self.n_nodes > _MAX_NODES or depth > _MAX_DEPTH:
            raise self.error(node, "the front matter has too many or too deeply nested values.")
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(item, depth + 1) for item in cast("list[yaml.Node]", node.value)]
        return self.scalar(node)

    def mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Json]:
        values: dict[str, Json] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.error(key_node, "the front matter has a key that is not a text.")
            key = self.checked(key_node)
            line = self.line(key_node)
            if key in values:
                message = f"the front matter has {shown(key)} twice, in lines {lines[key]} and {line}."
                raise self.error(key_node, message, hint="Keep one of them.")
            lines[key] = line
            values[key] = self.plain(value_node, depth + 1)
        if depth == 0:
            self.top_lines = lines
        return values

    def scalar(self, node: yaml.Node) -> Json:
        written = self.checked(node)
        if node.tag not in _CONSTRUCTED:
            return written
        try:
            value = cast("Any", self.loader).construct_object(node)
        except (ValueError, yaml.YAMLError):
            return written
        if isinstance(value, float):
            return value if math.isfinite(value) else written
        if isinstance(value, int) and value.bit_length() > _MAX_BITS:
            return written
        return value

    def checked(self, node: yaml.Node) -> str:
        text = cast("str", node.value)
        if _SURROGATE.search(text):
            raise self.error(node, f"the front matter has half of a surrogate pair: {shown(text)}.")
        return text

    def line(self, node: yaml.Node) -> int:
        return _FIRST_LINE + cast("int", node.start_mark.line)

    def error(self, node: yaml.Node, message: str, *, hint: str = "") -> Invalid:
        return invalid("bad-front-matter", message, file=self.file, line=self.line(node), hint=hint)
