"""Anybody's words as lines of a terminal."""

from __future__ import annotations

import textwrap

from skilltrial.report.plain_text import line

_LONGEST = 600


def paragraph(text: str, width: int, *, indent: str = "", further: str | None = None) -> str:
    """The text, made printable and cut where it has no end, in lines of `width`. `further` lines may be indented otherwise.

    No word is broken, so that a path can be copied.
    """
    return textwrap.fill(
        line(text, _LONGEST),
        width,
        initial_indent=indent,
        subsequent_indent=indent if further is None else further,
        break_long_words=False,
        break_on_hyphens=False,
    )
