"""Text of HTML pages, as a browser without scripts would show it, nearly."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from skilltrial.grade.readers.refusal import MAX_CHARS, Broken, TooMuch

_SILENT = {"script", "style", "template", "noscript"}
_PHRASING = {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "font", "i", "kbd", "label", "mark"}
_INLINE = _PHRASING | {"q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr"}


def read_html(path: Path, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - one shape for all readers
    """`text`: without markup, scripts and styles; elements that are no part of a line begin a new one. No `pages`."""
    data = path.read_bytes()
    if not data.strip():
        raise Broken("is empty")
    if len(data) > MAX_CHARS:
        raise TooMuch(f"is larger than the {MAX_CHARS:,} bytes that are read")
    page = _Page()
    page.feed(data.decode("utf-8-sig", errors="replace"))
    page.close()
    lines = (re.sub(r"[ \t\r\f\n]+", " ", line).strip() for line in "".join(page.parts).split("\0"))
    return {"text": "\n".join(line for line in lines if line), "pages": None}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._silent += tag in _SILENT
        self._part(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self._silent = max(0, self._silent - (tag in _SILENT))
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data.replace("\0", " "))

    def _part(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self.parts.append(" ")
        elif tag not in _INLINE:
            self.parts.append("\0")
