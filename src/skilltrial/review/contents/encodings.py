"""Bytes as text: which encoding it is in, and a piece of it."""

from __future__ import annotations

import codecs
from typing import NamedTuple

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b"))
_FEW = 0.02


class Encoding(NamedTuple):
    """How a text is written down."""

    name: str
    mark: int = 0
    """Bytes of the byte order mark."""
    guessed: bool = False
    """Nothing says so, but it is neither UTF-8 nor full of control characters."""


def encoding_of(head: bytes) -> Encoding | None:
    """By the first bytes of a file; None where they are no text."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return Encoding(name, len(mark))
    if b"\0" in head or len(head) - len(head.translate(None, _CONTROLS)) > _FEW * len(head):
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return Encoding("windows-1252", guessed=True)
    return Encoding("utf-8")


def whole_lines(data: bytes, encoding: Encoding) -> bytes:
    """The data without the line that its end cuts; where there is no line feed, without the character that it cuts."""
    if encoding.name.startswith(("utf-16", "utf-32")):
        unit = 2 if encoding.name.startswith("utf-16") else 4
        return data[: len(data) - len(data) % unit]
    end = data.rfind(b"\n") + 1
    if end:
        return data[:end]
    if encoding.name != "utf-8":
        return data
    # The last bytes that may be the beginning of a character: at most three.
    for cut in range(1, min(4, len(data)) + 1):
        if data[-cut] >= 0xC0:  # noqa: PLR2004 - where a character of several bytes begins
            return data[:-cut]
        if data[-cut] < 0x80:  # noqa: PLR2004 - a character of one byte
            break
    return data
