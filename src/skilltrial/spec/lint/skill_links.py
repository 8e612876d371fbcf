"""Paths that Markdown names: links, and mentions of `scripts/…`, `references/…`, `assets/…`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

_MAX_LINE = 4000
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"(`+)[^`]+\1")
_LINK = re.compile(
    r"\]\(\s{0,3}(?:<([^<>\n]{1,500})>|([^\s()<>]{1,500}(?:\([^\s()]{0,100}\))?))(?=\s{0,3}(?:\)|[\"'(]))"
)
_DEFINITION = re.compile(r" {0,3}\[[^\]\n]{1,200}\]:\s{1,3}<?([^\s<>]{1,500})")
_MENTION = re.compile(
    r"(?:(?<![\w./\\${}<>*~-])(?:\./)?|(?<![\w/])\$?\{(?:CLAUDE_SKILL_DIR|SKILL_DIR|baseDir|skillDir|skill_dir)\}/)"
    r"((?:scripts|references|assets)/(?:[\w.-]+/){0,5}[\w.-]*\w\.\w{1,8})(?![\w/*{<-])"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
_TEMPLATE = re.compile(r"[{}<>$*|\\]|\.\.\.|…")


class Named(NamedTuple):
    """A path as it is written, and where."""

    path: str
    """Without `#anchor` and `?query`; `%20` and the like are decoded."""
    line: int
    """1-based, in the text given."""


def named_paths(text: str) -> list[Named]:
    """The local paths that a Markdown text names, each once, in order. Addresses, anchors and templates are left out.

    Links in code are examples and do not count; mentions of the conventional folders count everywhere.
    """
    found: dict[str, Named] = {}
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line[:_MAX_LINE]  # noqa: PLW2901 - nothing behind it is read
        opening = _FENCE.match(line)
        if opening and (not fence or opening[1].startswith(fence)):
            fence = "" if fence else opening[1]
        links = () if fence or opening else _links(_CODE.sub(" ", line))
        for path in (*links, *_mentions(line)):
            found.setdefault(path, Named(path, number))
    return list(found.values())


def _links(line: str) -> Iterator[str]:
    targets = [bracketed or plain for bracketed, plain in _LINK.findall(line)]
    definition = _DEFINITION.match(line)
    if definition and not definition[1].startswith("^"):
        targets.append(definition[1])
    for target in targets:
        path = unquote(re.split(r"[#?]", target, maxsplit=1)[0])
        if path and not _SCHEME.match(target) and not _TEMPLATE.search(path) and "\0" not in path:
            yield path.removeprefix("./")


def _mentions(line: str) -> Iterator[str]:
    for match in _MENTION.finditer(line):
        yield match[1]
