"""Standard output whose encoding lacks characters, as in a locale that is not UTF-8."""

from __future__ import annotations

import codecs
import sys
from io import TextIOWrapper

from skilltrial.report.plain_text import encodable

_HANDLER = "skilltrial.encodable"


def print_everything() -> None:
    """Let no character stop what is printed: our own signs get their ASCII relatives, others their escapes."""
    codecs.register_error(_HANDLER, _replaced)
    output = sys.stdout
    if isinstance(output, TextIOWrapper):
        output.reconfigure(errors=_HANDLER)  # pyright: ignore[reportUnknownMemberType] - of bytes underneath


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return encodable(error.object[error.start : error.end], "ascii"), error.end
