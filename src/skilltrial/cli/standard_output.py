"""Standard output for programs, without the weight of a console."""

from __future__ import annotations

import sys

from skilltrial.cli.failure import silence


def put(text: str) -> None:
    """Write to standard output; a reader that has gone is nobody's mistake."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(1)
