"""Why a document is not read."""

from __future__ import annotations

import zipfile
from pathlib import Path

MAX_UNPACKED = 100_000_000
"""Bytes, of all parts of a document together."""
MAX_PARTS = 5_000
MAX_CHARS = 5_000_000
"""Of a document's text."""
_COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")
_OF_LIMITS = ("memory", "unknown error", "excessive", "amplification", "limit", "huge")
"""Words of XML parsers; libxml2 says "unknown error" where it gets no memory."""
_MAIN_PART = "[Content_Types].xml"


class Broken(Exception):
    """The file is not of its kind: the agent left none that can be opened. The text goes on "the file …"."""


class TooMuch(Exception):
    """No verdict: locked, too large, or made to fill memories. The text goes on "the file …"."""


def check_package(path: Path) -> None:
    """Look at an Office file (a zip) before a library unpacks it. Raises `Broken` and `TooMuch`."""
    with path.open("rb") as stream:
        head = stream.read(len(_COMPOUND))
    if not head:
        raise Broken("is empty")
    if head == _COMPOUND:
        raise TooMuch("is encrypted, or of an older format than can be read")
    try:
        with zipfile.ZipFile(path) as package:
            parts = package.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Broken(f"is no document of its kind ({error})") from error
    if len(parts) > MAX_PARTS:
        raise TooMuch(f"has {len(parts):,} parts, more than the {MAX_PARTS:,} that are read")
    # A part that holds more than it says ends with an error in the library: it reads no further.
    size = sum(part.file_size for part in parts)
    if size > MAX_UNPACKED:
        raise TooMuch(f"unpacks to {size:,} bytes, more than the {MAX_UNPACKED:,} that are read")
    if any(part.flag_bits & 1 for part in parts):
        raise TooMuch("is encrypted")
    if _MAIN_PART not in {part.filename for part in parts}:
        raise Broken(f"is a zip, but no document ({_MAIN_PART} is not in it)")


def told(error: Exception, kind: str) -> Broken | TooMuch:
    """What a library's error about a file says of it: broken, unless its parser met a limit of its own or of the memory."""
    said = str(error)[:200]
    if isinstance(error, SyntaxError) and any(word in said.lower() for word in _OF_LIMITS):
        return TooMuch(f"takes more than is allowed to be read ({said})")
    return Broken(f"is a broken {kind} ({said})")


class Text:
    """The text of a document, line by line, up to `MAX_CHARS`."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._left = MAX_CHARS

    def add(self, line: str) -> None:
        """One more line. Raises `TooMuch`."""
        self._left -= len(line) + 1
        if self._left < 0:
            raise TooMuch(f"has more than {MAX_CHARS:,} characters of text")
        self._lines.append(line)

    def whole(self) -> str:
        """All lines."""
        return "\n".join(self._lines)
