"""JSON whose every value knows its line and path, so that a message can point at it.

Stricter than the standard library's reader where an author's slip would otherwise go unseen: a key written twice, `NaN`,
numbers out of range and halves of surrogate pairs are errors.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from skilltrial.records.json_value import Json
from skilltrial.records.repair import Repair
from skilltrial.spec.findings import Invalid, Problem, shown

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 100
MAX_VALUES = 300_000
"""In a file; each takes about a kilobyte of memory, with its place."""
_MAX_DIGITS = 400

Path_ = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*+"')
_OPEN_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*+\\?\Z')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<real>\.[0-9]+)?(?P<exponent>[eE][+-]?[0-9]+)?(?![\w.])")
_WORD = re.compile(r"[^\s,:\[\]{}\"]{1,20}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$-]*")
_WORDS: Mapping[str, Json] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value with its place."""

    value: Json
    file: str
    line: int
    path: Path_ = ()
    children: Mapping[str | int, Node] = field(default_factory=dict["str | int", "Node"])
    key_lines: Mapping[str, int] = field(default_factory=dict[str, int])
    """Of an object: the line of each key."""

    @property
    def place(self) -> str:
        """Like `evals[2].files[0]`; empty for the whole file."""
        return render(self.path)

    def child(self, key: str | int) -> Node | None:
        """The value at a key; None where it is absent or null."""
        found = self.children.get(key)
        return None if found is None or found.value is None else found

    def elements(self) -> Iterator[Node]:
        """The values of an array or object, in order."""
        yield from self.children.values()

    def error(self, code: str, what: str, *, hint: str = "") -> Invalid:
        """An error about this value: `what` goes on the sentence that starts with the place."""
        return Invalid(
            Problem(
                severity="error",
                code=code,
                message=f"{self.place or 'the file'} {what}",
                file=self.file,
                line=self.line,
                place=self.place,
                value=shown(self.value),
                hint=hint,
            )
        )

    def repair(self, code: str, what: str) -> Repair:
        """A repair about this value: `what` goes on the sentence that starts with the place."""
        return Repair(
            code=code,
            message=f"{self.place or 'the file'} {what}",
            file=self.file,
            line=self.line,
            path=self.place,
            value=shown(self.value),
        )


def render(path: Path_) -> str:
    """`("evals", 2, "files")` as `evals[2].files`; keys that are no plain words stand in brackets and quotes."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _IDENTIFIER.fullmatch(step) and len(step) <= 60:  # noqa: PLR2004 - longer ones are shortened by shown()
            text += f".{step}" if text else step
        else:
            text += f"[{shown(step)}]"
    return text


class JsonScanner:
    """Reads one text from left to right. Of a text that is part of a file: `line` is that of its start."""

    def __init__(self, text: str, file: str, *, line: int = 1, n_values: int = 0) -> None:
        self.text = text
        self.file = file
        self.at = 0
        self.n_values = n_values
        self.n_lines_before = line - 1
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def document(self, path: Path_ = ()) -> Node:
        """The only value of the text, which stands at `path` in the file. Raises `SpecError` for anything else."""
        if not self.text.strip():
            raise self.error("empty-file", path, "is empty.", hint="Write an object with a list `evals`.")
        node = self.value(path)
        self.skip()
        if self.at < len(self.text):
            raise self.error("bad-json", path, f"goes on after its end: {self.word()!r}.", hint="Remove the rest.")
        return node

    def value(self, path: Path_) -> Node:
        self.skip()
        if self.at >= len(self.text):
            raise self.cut(path)
        if len(path) > MAX_DEPTH:
            raise self.error("too-deep", path[:8], f"is nested more than {MAX_DEPTH} levels deep.")
        self.n_values += 1
        if self.n_values > MAX_VALUES:
            hint = "Split it: skilltrial takes one eval file at a time."
            raise self.error("too-large", (), f"has more than {MAX_VALUES:,} values.", hint=hint)
        line = self.line()
        head = self.text[self.at]
        if head == "{":
            return self.object(path, line)
        if head == "[":
            return self.array(path, line)
        return Node(self.string(path) if head == '"' else self.scalar(path), self.file, line, path)

    def object(self, path: Path_, line: int) -> Node:
        self.at += 1
        children: dict[str | int, Node] = {}
        key_lines: dict[str, int] = {}
        while not self.closes(path, "}", first=not children):
            if self.text[self.at] != '"':
                hint = "Keys stand in double quotes."
                raise self.error("bad-json", path, f"has {self.word()!r} where a key should be.", hint=hint)
            key_line = self.line()
            key = self.string(path)
            inner = (*path, key)
            if key in children:
                what = f"is written twice, in lines {key_lines[key]} and {key_line}."
                raise self.error("key-twice", inner, what, hint="Keep one of them.")
            self.skip()
            if self.at >= len(self.text):
                raise self.cut(path)
            if self.text[self.at] != ":":
                raise self.error("bad-json", inner, f"has {self.word()!r} where ':' should be.")
            self.at += 1
            key_lines[key] = key_line
            children[key] = self.value(inner)
        values = {key: node.value for key, node in children.items()}
        return Node(values, self.file, line, path, children, key_lines)

    def array(self, path: Path_, line: int) -> Node:
        self.at += 1
        children: dict[str | int, Node] = {}
        while not self.closes(path, "]", first=not children):
            index = len(children)
            children[index] = self.value((*path, index))
        return Node([node.value for node in children.values()], self.file, line, path, children)

    def closes(self, path: Path_, closer: str, *, first: bool) -> bool:
        """Whether the closing bracket comes now (it is consumed); otherwise the next element does."""
        self.skip()
        if not first and self.text[self.at : self.at + 1] == ",":
            comma = self.at
            self.at += 1
            self.skip()
            if self.text[self.at : self.at + 1] == closer:
                self.at = comma
                raise self.error("bad-json", path, f"has a comma before {closer!r}.", hint="Remove the comma.")
            first = True
        if self.at >= len(self.text):
            raise self.cut(path)
        if self.text[self.at] == closer:
            self.at += 1
            return True
        if not first:
            raise self.error("bad-json", path, f"has {self.word()!r} where ',' or {closer!r} should be.")
        return False

    def string(self, path: Path_) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            if _OPEN_STRING.match(self.text, self.at):
                raise self.cut(path)
            hint = r"Close the text on its line, with line breaks as \n and tabs as \t."
            raise self.error("bad-json", path, "has a text with a raw line break or control character.", hint=hint)
        try:
            text = cast("str", json.loads(match.group()))
        except json.JSONDecodeError as error:
            near = match.group()[max(0, error.pos - 1) : error.pos + 5]
            hint = r"A backslash is written \\."
            raise self.error("bad-json", path, f"has a bad escape near {near!r}.", hint=hint) from None
        if _SURROGATE.search(text):
            raise self.error("bad-json", path, f"has half of a surrogate pair: {shown(text)}.")
        self.at = match.end()
        return text

    def scalar(self, path: Path_) -> Json:
        match = _NUMBER.match(self.text, self.at)
        if match is not None:
            return self.number(match, path)
        word = self.word()
        if word in _WORDS:
            self.at += len(word)
            return _WORDS[word]
        raise self.error("bad-json", path, f"has {word!r} where a value should be.", hint=_hint(word))

    def number(self, match: re.Match[str], path: Path_) -> Json:
        written = match.group()
        real = match["real"] is not None or match["exponent"] is not None
        value: float | None = None
        if len(written) <= _MAX_DIGITS:
            value = float(written) if real else int(written)
        if value is None or not math.isfinite(value):
            raise self.error("bad-json", path, f"has a number out of range: {shown(written)}.")
        self.at = match.end()
        return value

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def word(self) -> str:
        match = _WORD.match(self.text, self.at)
        return match.group() if match else self.text[self.at : self.at + 1]

    def line(self) -> int:
        return self.n_lines_before + bisect_right(self.starts, self.at)

    def cut(self, path: Path_) -> Invalid:
        self.at = len(self.text)
        last = self.n_lines_before + len(self.text.rstrip().split("\n"))
        what = f"ends in the middle of {render(path) or 'its only value'} (line {last})."
        return self.error("cut-file", (), what, hint="Was it saved whole?", line=last)

    def error(self, code: str, path: Path_, what: str, *, hint: str = "", line: int | None = None) -> Invalid:
        node: Node = Node(None, self.file, line or self.line(), path)
        problem = node.error(code, what, hint=hint).problem
        return Invalid(problem.model_copy(update={"value": ""}))


def _hint(word: str) -> str:
    if word.startswith(("//", "/*", "#")):
        return "JSON has no comments: remove it."
    if word.startswith("'"):
        return "JSON texts stand in double quotes."
    if word.lstrip("-").lower() in {"nan", "infinity", "inf", "none", "undefined"}:
        return "Write null, or leave the key out."
    if word.lower() in {"true", "false"}:
        return "Write it in lower case."
    return ""
