"""Hostile text made fit to be shown: control characters visible, length bounded."""

from __future__ import annotations

import unicodedata

_KEPT = frozenset("\n\t")
# Cc controls, Cf formats (direction overrides, zero widths, tags), Cs lone surrogates, Zl and Zp separators.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def escaped(text: str) -> str:
    r"""The text with every invisible character but line feeds and tabs written as `\u{…}`; CRLF becomes LF."""
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if char in _KEPT or unicodedata.category(char) not in _HIDDEN else f"\\u{{{ord(char):x}}}" for char in text
    )


def condensed(text: str, limit: int) -> str:
    """At most about `limit` characters: the beginning and the end, and how much was left out between them."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    tail = limit - head
    return f"{text[:head]}\n[… {len(text) - head - tail} characters left out …]\n{text[len(text) - tail :]}"


def excerpt(text: str, limit: int = 200) -> str:
    """One line of at most `limit` characters, for evidence."""
    line = escaped(text[: limit * 2]).replace("\n", "\\n").replace("\t", " ")
    return line if len(line) <= limit and len(text) <= limit * 2 else f"{line[:limit]}…"
