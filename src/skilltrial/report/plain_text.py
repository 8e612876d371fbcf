r"""Other people's text, made harmless: what an agent, a file or a model said, before it reaches a screen or a page.

Characters that are not seen but act (terminal escapes, controls, overrides of the direction, zero-width marks, lone
surrogates) are shown as their escapes, like `\x1b`. Nothing here escapes for a format: that is each format's own last step.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ACTING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
_SPACE = re.compile(r"[ \t\r\n]+")
_DIGITS = re.compile(r"([0-9]+)")
_ASCII = str.maketrans({"−": "-", "–": "-", "—": "-", "×": "x", "·": "|", "±": "+/-", "…": "...", "\u00a0": " "})
_SLACK = 4
"""How many times the limit is looked at, so that runs of spaces at the start do not eat it up."""


def line(text: str, limit: int = 200) -> str:
    """The text as one line of at most `limit` characters; a cut is shown by `…`."""
    head = text[: limit * _SLACK]
    shown = _visible(_SPACE.sub(" ", head).strip())
    if len(shown) > limit or len(head) < len(text):
        return shown[: limit - 1].rstrip() + "…"
    return shown


def block(text: str, limit: int) -> str:
    """The text with its lines, of about `limit` characters; a cut says how much is left out."""
    shown = _visible(text[:limit].replace("\r\n", "\n")).strip("\n")
    rest = len(text) - limit
    return f"{shown}… [{rest:,} more]" if rest > 0 else shown


def encodable(text: str, encoding: str) -> str:
    """The text in characters that the encoding has; our own signs get their ASCII relatives, others their escapes."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


@lru_cache(maxsize=1024)
def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key with numbers by their value: `eval 2` before `eval 10`."""
    return tuple(_part_key(part) for part in _DIGITS.split(text) if part)


def _part_key(part: str) -> tuple[int, int, str]:
    if not _DIGITS.fullmatch(part):
        return (1, 0, part.casefold())
    value = part.lstrip("0")
    return (0, len(value), value)


def _visible(text: str) -> str:
    return _ACTING.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:  # noqa: PLR2004 - two hex digits
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - four hex digits
