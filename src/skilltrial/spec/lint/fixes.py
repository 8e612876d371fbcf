"""What can be put right in a SKILL.md without a person: same meaning, same comments, no other byte touched."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import yaml

from skilltrial.records.json_value import Json
from skilltrial.spec.file_tree import is_inside
from skilltrial.spec.findings import Findings, Invalid, shown
from skilltrial.spec.front_matter import FrontMatter, read_front_matter
from skilltrial.spec.skill import MAX_BYTES, SKILL_FILE
from skilltrial.spec.whole_file import write_whole

_FENCE = "---"
_FIRST_LINE = 2
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_KEY_LINE = re.compile(r"(?P<key>[A-Za-z_][\w.-]*):[ \t]+(?P<value>\S.*)", re.DOTALL)
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_MADE_TEXTS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool")


class Change(NamedTuple):
    """One thing that was put right."""

    rule: str
    """Name of the rule that it satisfies."""
    line: int
    """1-based, in the text as it was given: the only step that joins lines is the last."""
    before: str
    after: str


class Fixed(NamedTuple):
    """A text with its changes; the text itself where there was nothing to do."""

    text: str
    changes: tuple[Change, ...]


def find_fixes(folder: Path) -> Fixed:
    """What would be put right in a folder's SKILL.md; nothing where it cannot be read, which is for `validate` to say."""
    file = folder / SKILL_FILE
    try:
        # Of a pipe nobody would ever see the end.
        if not (is_inside(file, folder) and file.is_file()) or file.stat().st_size > MAX_BYTES:
            return Fixed("", ())
        return fixed(file.read_bytes().decode("utf-8"), folder.name)
    except (OSError, UnicodeDecodeError):
        return Fixed("", ())


def fix_skill(folder: Path) -> tuple[Change, ...]:
    """Put right what is mechanical in a folder's SKILL.md, and say what; the file is replaced whole, or not touched.

    Raises `StoreError` where it cannot be written.
    """
    done = find_fixes(folder)
    if done.changes:
        write_whole(folder / SKILL_FILE, done.text.encode())
    return done.changes


def fixed(text: str, folder: str) -> Fixed:
    """A SKILL.md with everything put right that is mechanical. `text` has its byte-order mark and line ends; `folder` is its name.

    Front matter whose values would change other than intended stays as it is. Fixing the result again changes nothing.
    """
    changes: list[Change] = []
    text = _fixed_bytes(text, changes)
    text = _fixed_fences(text, changes)
    for step in (_quoted_colons, _metadata_as_texts, _name_of_folder, _tools_as_text):
        text = _step(text, step, folder, changes)
    return Fixed(text, tuple(changes))


def _fixed_bytes(text: str, changes: list[Change]) -> str:
    if text.startswith("\ufeff"):
        text = text[1:]
        changes.append(Change("byte-order-mark", 1, "a byte-order mark", "none"))
    n_crlf = text.count("\r\n")
    if n_crlf:
        changes.append(Change("crlf", 1, f"{n_crlf} lines that end in CR LF", "LF"))
    return text.replace("\r\n", "\n")


def _fixed_fences(text: str, changes: list[Change]) -> str:
    """Spaces behind the two `---`; whatever looks otherwise is not for a machine to decide."""
    lines = text.split("\n")
    if lines[0].rstrip(" \t") != _FENCE:
        return text
    ends = [number for number, line in enumerate(lines) if number and line.rstrip(" \t") == _FENCE]
    for number, rule in ((0, "no-front-matter"), *((end, "open-front-matter") for end in ends[:1])):
        if lines[number] != _FENCE:
            changes.append(Change(rule, number + 1, shown(lines[number]), shown(_FENCE)))
            lines[number] = _FENCE
    return "\n".join(lines)


class _Edit(NamedTuple):
    """Characters of the front matter's text to be replaced."""

    start: int
    end: int
    text: str
    rule: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class _Front:
    """Front matter to be edited: its text, what the reader makes of it, and its nodes where it is YAML."""

    source: str
    read: FrontMatter
    nodes: Mapping[str, tuple[yaml.ScalarNode, yaml.Node]]


_Step = Callable[[_Front, str], "tuple[list[_Edit], Mapping[str, Json]]"]
"""Front matter and the folder's name -> edits, and the values that differ after them."""


def _step(text: str, step: _Step, folder: str, changes: list[Change]) -> str:
    """Apply a step if the reader then finds just the values that it promises."""
    front = _front(text)
    if front is None:
        return text
    edits, promised = step(front, folder)
    if not edits:
        return text
    source = front.source
    for edit in sorted(edits, reverse=True):
        source = source[: edit.start] + edit.text + source[edit.end :]
    start = len(_FENCE) + 1
    after = text[:start] + source + text[start + len(front.source) :]
    wanted = {**front.read.values, **promised}
    again = _front(after)
    if again is None or again.read.values != wanted or again.read.body != front.read.body:
        return text
    for edit in sorted(edits):
        line = _FIRST_LINE + front.source.count("\n", 0, edit.start)
        changes.append(Change(edit.rule, line, edit.before, edit.after))
    return after


def _front(text: str) -> _Front | None:
    try:
        read = read_front_matter(text, Findings(), file="")
    except Invalid:
        return None
    lines = text.split("\n")
    source = "\n".join(lines[1 : lines.index(_FENCE, 1)]) + "\n"
    try:
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        root = None
    pairs = cast("list[tuple[yaml.ScalarNode, yaml.Node]]", root.value) if isinstance(root, yaml.MappingNode) else []
    return _Front(source, read, {cast("str", key.value): (key, value) for key, value in pairs})


def _quoted_colons(front: _Front, _folder: str) -> tuple[list[_Edit], Mapping[str, Json]]:
    """Quote the values that the reader had to read as if they were quoted."""
    edits: list[_Edit] = []
    if front.nodes:
        return edits, {}
    at = 0
    for block in re.split(r"\n(?![ \t\n])", front.source.rstrip("\n")):
        match = _KEY_LINE.fullmatch(block)
        value = match["value"].rstrip() if match else ""
        if match and re.search(r":(\s|$)", value) and value[0] not in "\"'[{|>&*!%@`#":
            quoted = _single_quoted(value)
            start = at + match.start("value")
            edits.append(_Edit(start, start + len(value), quoted, "bare-colon", shown(value), shown(quoted)))
        at += len(block) + 1
    return edits, {}


def _tools_as_text(front: _Front, _folder: str) -> tuple[list[_Edit], Mapping[str, Json]]:
    """`allowed-tools` as one text, where no tool has a space or comma of its own."""
    _, node = front.nodes.get("allowed-tools", (None, None))
    tools = front.read.values.get("allowed-tools")
    if not isinstance(node, yaml.SequenceNode) or not isinstance(tools, list):
        return [], {}
    names = cast("list[Json]", tools)
    if not names or not all(isinstance(name, str) and name and not re.search(r"[\s,]", name) for name in names):
        return [], {}
    start, end = node.start_mark.index, _end(node)
    if "#" in front.source[start:end]:
        return [], {}
    joined = " ".join(cast("list[str]", names))
    text = scalar(joined)
    before_value = front.source[:start].rstrip(" \t\n-")
    return (
        [_Edit(len(before_value), end, f" {text}", "allowed-tools-rule", f"a list of {len(names)}", text)],
        {"allowed-tools": joined},
    )


def _metadata_as_texts(front: _Front, _folder: str) -> tuple[list[_Edit], Mapping[str, Json]]:
    """Numbers, true and false in `metadata` as the texts that stand there."""
    _, node = front.nodes.get("metadata", (None, None))
    values = front.read.values.get("metadata")
    if not isinstance(node, yaml.MappingNode) or not isinstance(values, dict):
        return [], {}
    edits: list[_Edit] = []
    metadata = dict(cast("dict[str, Json]", values))
    for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
        if isinstance(value, yaml.ScalarNode) and value.tag in _MADE_TEXTS:
            written = front.source[value.start_mark.index : value.end_mark.index]
            text = f'"{written}"'
            if written == value.value:
                edits.append(_Edit(value.start_mark.index, value.end_mark.index, text, "metadata-rule", written, text))
                metadata[cast("str", key.value)] = written
    return edits, {"metadata": metadata}


def _name_of_folder(front: _Front, folder: str) -> tuple[list[_Edit], Mapping[str, Json]]:
    """The folder's name, where the name says the same in letters that the rule does not allow."""
    _, node = front.nodes.get("name", (None, None))
    name = front.read.values.get("name")
    if not isinstance(node, yaml.ScalarNode) or not isinstance(name, str) or name == folder:
        return [], {}
    if not _NAME.fullmatch(folder) or _NOT_IN_NAMES.sub("-", name.lower()).strip("-") != folder:
        return [], {}
    start, end = node.start_mark.index, node.end_mark.index
    text = scalar(folder)
    return [_Edit(start, end, text, "name-rule", shown(front.source[start:end]), shown(text))], {"name": folder}


def _end(node: yaml.SequenceNode) -> int:
    """Where the last entry ends; a list's own end mark lies behind the blank lines and comments after it."""
    if node.flow_style:
        return cast("int", node.end_mark.index)
    return max(cast("int", item.end_mark.index) for item in cast("list[yaml.Node]", node.value))


def scalar(text: str) -> str:
    """The text plain, where YAML reads it so; in single quotes otherwise."""
    try:
        if yaml.safe_load(f"key: {text}\n") == {"key": text}:
            return text
    except yaml.YAMLError:
        pass
    return _single_quoted(text)


def _single_quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
