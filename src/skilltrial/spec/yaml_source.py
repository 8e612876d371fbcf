"""YAML as values with places, without ever making an object of it.

Plain words mean what they mean in YAML 1.2, as in the libraries that most tools with YAML suites use: only `true`, `false`
and `null` (or `~`, or nothing) are no texts, and dates, `yes` and `on` are. What a reader of YAML 1.1 takes otherwise is reported.
Read event by event, so that nesting, aliases and sizes are bounded before anything is built.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import yaml

from skilltrial.records.json_value import Json
from skilltrial.spec.findings import Findings, Invalid, Problem, shown
from skilltrial.spec.json_source import MAX_DEPTH, MAX_VALUES, Node, Path_, render

MAX_BYTES = 2 * 1024 * 1024
"""The reader takes some seconds for that."""
_MAX_DIGITS = 400

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_OTHERWISE = re.compile(r"(?i:yes|no|on|off)|[-+]?0[0-9_]+|[-+]?[0-9][0-9_]*_[0-9_]*|[-+]?[0-9]+(:[0-5]?[0-9])+")
"""Booleans and numbers in YAML 1.1, texts here."""
_WORDS: dict[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_CORE = "tag:yaml.org,2002:"
_RESOLVED_TAGS = {_CORE + kind for kind in ("null", "bool", "int", "float")}
_SILENT_TAGS = {_CORE + kind for kind in ("str", "map", "seq")} | _RESOLVED_TAGS | {"!"}
_HINTS = {
    "mapping values are not allowed": "Put a text with ': ' in it into double quotes.",
    "cannot start any token": "Indent with spaces; put a text that starts with @, ` or % into double quotes.",
    "could not find expected ':'": "Is a line indented too little, or a text not closed?",
    "expected ',' or": "Between brackets and braces, put a text with ?, : or , into double quotes.",
    "expected <block end>": "Are all entries indented alike, and texts with quotes inside quoted as a whole?",
}


class _Key(NamedTuple):
    name: str
    line: int
    merges: bool


@dataclass(slots=True)
class _Frame:
    """A list or mapping whose end has not come yet."""

    path: Path_
    line: int
    anchor: str | None
    is_list: bool
    children: dict[str | int, Node] = field(default_factory=dict["str | int", Node])
    key_lines: dict[str, int] = field(default_factory=dict[str, int])
    merged: list[Node] = field(default_factory=list[Node])
    key: _Key | None = None

    @property
    def inner_path(self) -> Path_:
        """Where the next value goes."""
        if self.is_list:
            return (*self.path, len(self.children))
        return self.path if self.key is None else (*self.path, self.key.name)


def yaml_documents(text: str, findings: Findings, *, file: str) -> Node:
    """The value of a YAML text; of one with several documents, the list of those that are not empty.

    Keys that are no texts become texts as they are written (a repair). Merge keys and aliases are followed. Raises `SpecError` for
    what is no YAML, keys that are written twice, aliases of what they stand in, lists as keys, and what is too large or too deep.
    """
    reader = _Reader(text, file, findings)
    documents = [node for node in reader.documents() if node.value is not None]
    if not documents:
        raise reader.error("empty-file", (), "is empty.", line=1, hint="Write a mapping with a list of cases.")
    if len(documents) == 1:
        return documents[0]
    children: dict[str | int, Node] = {number: reader.moved(node, (number,)) for number, node in enumerate(documents)}
    return Node([node.value for node in children.values()], file, documents[0].line, (), children)


class _Reader:
    """Turns the events of one text into nodes."""

    def __init__(self, text: str, file: str, findings: Findings) -> None:
        self.text = text
        self.file = file
        self.findings = findings
        self.n_values = 0
        self.frames: list[_Frame] = []
        self.anchors: dict[str, Node] = {}
        self.finished: list[Node] = []

    def documents(self) -> Iterator[Node]:
        """The value of each document."""
        for event in self.events():
            match event:
                case yaml.DocumentStartEvent():
                    self.anchors = {}
                case yaml.ScalarEvent():
                    self.scalar(event)
                case yaml.AliasEvent():
                    self.alias(event)
                case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                    self.open(event)
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    self.close(event)
                case _:
                    pass
            yield from self.finished
            self.finished.clear()

    def events(self) -> Iterator[yaml.Event]:
        """The reader's events, with its errors told as ours."""
        try:
            yield from yaml.parse(self.text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            reason = error.problem or error.context or "unknown error"
            hint = next((hint for part, hint in _HINTS.items() if part in reason), "")
            line = mark.line + 1 if mark else 1
            raise self.error("bad-yaml", self.here(), f"is not YAML: {reason}.", line=line, hint=hint) from None
        except yaml.reader.ReaderError as error:
            line = self.text.count("\n", 0, error.position) + 1
            found = chr(cast("int", error.character))
            what = f"has a character that YAML does not allow: {found!r}."
            raise self.error("bad-yaml", (), what, line=line, hint="Remove it.") from None
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise self.error("bad-yaml", self.here(), f"is not YAML: {shown(str(error))}.", line=1) from None

    def here(self) -> Path_:
        return self.frames[-1].inner_path if self.frames else ()

    def scalar(self, event: yaml.ScalarEvent) -> None:
        written = event.value
        line = _line(event)
        if _SURROGATE.search(written):
            raise self.error("bad-yaml", self.here(), f"has half of a surrogate pair: {shown(written)}.", line=line)
        plain = bool(event.implicit[0]) and not event.style
        value = _resolved(written) if plain or event.tag in _RESOLVED_TAGS else written
        if self.takes_key():
            self.key(written, value, line, merges=plain and written == "<<")
            return
        node = self.made(value, line, self.here())
        self.note_tag(event, node)
        if plain and value == written and _OTHERWISE.fullmatch(written):
            what = f"is the text {written!r}, as in YAML 1.2; to readers of YAML 1.1 it is no text"
            self.findings.repair(node.repair("yaml-word", what))
        self.place(node, event.anchor)

    def takes_key(self) -> bool:
        return bool(self.frames) and not self.frames[-1].is_list and self.frames[-1].key is None

    def key(self, name: str, value: Json, line: int, *, merges: bool) -> None:
        frame = self.frames[-1]
        frame.key = _Key(name, line, merges)
        if merges:
            return
        if name in frame.key_lines:
            what = f"is written twice, in lines {frame.key_lines[name]} and {line}."
            raise self.error("key-twice", frame.inner_path, what, line=line, hint="Keep one of them.")
        if not isinstance(value, str):
            node = Node(value, self.file, line, frame.inner_path)
            self.findings.repair(node.repair("key-made-text", f"has a key that is no text; it was read as {name!r}"))
        frame.key_lines[name] = line

    def alias(self, event: yaml.AliasEvent) -> None:
        line = _line(event)
        name = cast("str", event.anchor)
        if any(frame.anchor == name for frame in self.frames):
            raise self.error("bad-yaml", self.here(), f"is an alias of what it stands in: '*{name}'.", line=line)
        target = self.anchors.get(name)
        if target is None:
            hint = "Put a text that starts with * into double quotes."
            raise self.error("bad-yaml", self.here(), f"is an alias of nothing: '*{name}'.", line=line, hint=hint)
        if self.takes_key():
            if not isinstance(target.value, str):
                raise self.key_is_no_text(line)
            self.key(target.value, target.value, line, merges=False)
            return
        self.place(self.moved(target, self.here()), None)

    def open(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        line = _line(event)
        if self.takes_key():
            raise self.key_is_no_text(line)
        path = self.here()
        if len(path) >= MAX_DEPTH:
            raise self.error("too-deep", path[:8], f"is nested more than {MAX_DEPTH} levels deep.", line=line)
        anchor = event.anchor
        frame = _Frame(path, line, anchor, isinstance(event, yaml.SequenceStartEvent))
        self.note_tag(event, Node(None, self.file, line, path))
        self.frames.append(frame)

    def close(self, event: yaml.Event) -> None:
        frame = self.frames.pop()
        if frame.is_list:
            value: Json = [node.value for node in frame.children.values()]
        else:
            for source in frame.merged:
                self.merge(source, frame, _line(event))
            value = {key: node.value for key, node in frame.children.items()}
        node = self.made(value, frame.line, frame.path, frame)
        self.place(node, frame.anchor)

    def merge(self, source: Node, frame: _Frame, line: int) -> None:
        """Take over the keys of a mapping, or of each of a list, that are not there yet."""
        parts = list(source.elements()) if isinstance(source.value, list) else [source]
        for part in parts:
            if not isinstance(part.value, dict):
                what = f"merges by '<<' what is no mapping: {shown(part.value)}."
                raise self.error("bad-yaml", frame.path, what, line=part.line or line)
            for key, node in part.children.items():
                if key not in frame.children:
                    frame.children[key] = self.moved(node, (*frame.path, key))
                    frame.key_lines[str(key)] = node.line

    def place(self, node: Node, anchor: str | None) -> None:
        """Put a finished value where it belongs."""
        if anchor is not None:
            self.anchors[anchor] = node
        if not self.frames:
            self.finished.append(node)
            return
        frame = self.frames[-1]
        if frame.is_list:
            frame.children[len(frame.children)] = node
        elif frame.key is not None:
            if frame.key.merges:
                frame.merged.append(node)
            else:
                frame.children[frame.key.name] = node
            frame.key = None

    def made(self, value: Json, line: int, path: Path_, frame: _Frame | None = None) -> Node:
        self.n_values += 1
        if self.n_values > MAX_VALUES:
            hint = "Aliases count as what they stand for. Split it: skilltrial takes one eval file at a time."
            raise self.error("too-large", (), f"has more than {MAX_VALUES:,} values.", line=line, hint=hint)
        if frame is None:
            return Node(value, self.file, line, path)
        return Node(value, self.file, line, path, frame.children, frame.key_lines)

    def moved(self, node: Node, path: Path_) -> Node:
        """A copy of a value for another place; its lines stay."""
        if len(path) > MAX_DEPTH:
            raise self.error("too-deep", path[:8], f"is nested more than {MAX_DEPTH} levels deep.", line=node.line)
        self.made(None, node.line, path)
        children = {key: self.moved(child, (*path, key)) for key, child in node.children.items()}
        return Node(node.value, node.file, node.line, path, children, node.key_lines)

    def note_tag(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, node: Node) -> None:
        tag = event.tag
        if tag is not None and tag not in _SILENT_TAGS:
            self.findings.repair(node.repair("tag-ignored", f"has the tag {shown(tag)}, which is not followed"))

    def key_is_no_text(self, line: int) -> Invalid:
        return self.error("bad-yaml", self.here(), "has a key that is no text.", line=line, hint="Write a plain word.")

    def error(self, code: str, path: Path_, what: str, *, line: int, hint: str = "") -> Invalid:
        message = f"{render(path) or 'the file'} {what}"
        problem = Problem(
            severity="error", code=code, message=message, file=self.file, line=line, place=render(path), hint=hint
        )
        return Invalid(problem)


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    return 1 if mark is None else mark.line + 1


def _resolved(written: str) -> Json:
    """What a plain word means; numbers that JSON cannot hold stay texts."""
    if written in _WORDS:
        return _WORDS[written]
    if len(written) > _MAX_DIGITS:
        return written
    if _INT.fullmatch(written):
        return int(written)
    if _FLOAT.fullmatch(written) and math.isfinite(float(written)):
        return float(written)
    return written
