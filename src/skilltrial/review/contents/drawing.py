"""How much a browser has to draw for an SVG: a small one can stand for billions of shapes, and would stop the whole page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from math import prod
from urllib.parse import unquote
from xml.parsers import expat

DRAWING_BYTES = 10_000_000
_MOST = 200_000
"""Elements that are drawn, each as often as something refers to it."""
_REFERENCE = re.compile(r"url\(\s*[\"']?[^)\"']*#([^)\"']*)")
_REFERRING = frozenset({"use", "feimage", "pattern", "mpath", "textpath"})
_GRADIENTS = frozenset({"lineargradient", "radialgradient"})
_WITHIN = re.compile(r"data:(?!image/(?:png|jpe?g|gif|webp)|font/|application/(?:x-)?font)")
"""What could be a drawing or a style of its own, which nobody counted."""


class _Heavy(Exception):
    pass


class _Reading:
    """The elements of a drawing: by place, whose child each is, and what it refers to."""

    def __init__(self) -> None:
        self.tags: list[str] = []
        self.targets: list[list[str]] = []
        """Ids that an element refers to."""
        self.inner: list[list[int]] = []
        self.ids: dict[str, int] = {}
        self.styles: list[str] = []
        self._open: list[int] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        here = len(self.tags)
        if here >= _MOST:
            raise _Heavy
        if self._open:
            self.inner[self._open[-1]].append(here)
        local = _local(tag)
        self.tags.append(local)
        self.inner.append([])
        self.targets.append([])
        self._open.append(here)
        for name, value in attributes.items():
            self._attribute(here, local, _local(name), value)

    def _attribute(self, here: int, tag: str, name: str, value: str) -> None:
        if name == "id":
            self.ids.setdefault(value, here)
        _refuse_hidden(value)
        self.targets[here] += _REFERENCE.findall(value)
        if name == "href" and tag in _REFERRING and "#" in value:
            self.targets[here].append(value.rpartition("#")[2])

    def end(self, tag: str) -> None:
        """An element ends."""
        del tag
        self._open.pop()

    def text(self, text: str) -> None:
        """Words; those of a style say what refers to what, too."""
        if self._open and self.tags[self._open[-1]] == "style":
            self.styles.append(text)

    def refuse(self, *_: object) -> None:
        """Names that stand for texts, and styles from elsewhere: no picture needs them."""
        raise _Heavy


def is_too_heavy(data: bytes) -> bool:
    """Whether an SVG is larger than `DRAWING_BYTES`, or draws more than 200,000 elements with all that refer to others.

    What refers to itself, declares entities, or has a drawing within an address counts as too heavy. What is no XML does not: a
    browser draws nothing of it.
    """
    if len(data) > DRAWING_BYTES:
        return True
    reading = _Reading()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.text
    parser.EntityDeclHandler = reading.refuse
    parser.buffer_text = True
    try:
        parser.ProcessingInstructionHandler = _instruction
        with suppress(expat.ExpatError):  # what comes before a fault is drawn
            parser.Parse(data, True)
        return _drawn(reading) * _by_style(reading) > _MOST
    except (_Heavy, LookupError, ValueError):
        return True


def _instruction(target: str, data: str) -> None:
    del data
    if target == "xml-stylesheet":
        raise _Heavy


def _refuse_hidden(text: str) -> None:
    plain = "".join(text.split()).lower()
    if _WITHIN.search(plain) or ("\\" in plain and "(" in plain):
        raise _Heavy


def _drawn(reading: _Reading) -> int:
    """How many elements the first one draws, with all that they refer to, in the order of a walk without recursion."""
    known: dict[int, int] = {}
    entered: set[int] = set()
    waiting = [0] if reading.tags else []
    while waiting:
        here = waiting[-1]
        below = [*reading.inner[here], *_targets(reading, here)]
        if here in entered:
            waiting.pop()
            if here not in known:
                if not all(each in known for each in below):
                    raise _Heavy  # it refers to itself
                known[here] = 1 + sum(known[each] for each in below)
                if known[here] > _MOST:
                    raise _Heavy
            continue
        entered.add(here)
        waiting += [each for each in below if each not in known]
    return known.get(0, 0)


def _targets(reading: _Reading, here: int) -> list[int]:
    names = reading.targets[here]
    return [reading.ids[name] for each in names for name in {each, unquote(each)} if name in reading.ids]


def _by_style(reading: _Reading) -> int:
    """By how much rules of style may multiply it: each may hold for any element, also within what it refers to."""
    text = "".join(reading.styles)
    if not text:
        return 1
    _refuse_hidden(text)
    found = {reading.ids[name] for name in _REFERENCE.findall(text) if name in reading.ids}
    drawn = [each for each in found if reading.tags[each] not in _GRADIENTS]
    return prod(1 + _size(reading, each) for each in drawn)


def _size(reading: _Reading, here: int) -> int:
    waiting, size = [here], 0
    while waiting:
        size += 1
        waiting += reading.inner[waiting.pop()]
    return size


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()
