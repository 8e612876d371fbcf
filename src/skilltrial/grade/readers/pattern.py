"""A search in a long text: what an engine notes down while it tries can be a hundred times the text."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from skilltrial.spec.patterns import compile_pattern


def read_pattern(path: Path, asked: dict[str, Any]) -> dict[str, Any] | str:
    """`at`: where the first match of `pattern` begins and ends in the text at `path`, None where there is none; `seconds` of it.

    The word `timeout` where the search takes longer than `timeout_s`.
    """
    text = path.read_bytes().decode("utf-8", "surrogatepass")
    compiled = compile_pattern(asked["pattern"])
    begun = time.monotonic()
    try:
        found = compiled.search(text, timeout=asked["timeout_s"])
    except TimeoutError:
        return "timeout"
    return {"at": None if found is None else found.span(), "seconds": time.monotonic() - begun}
