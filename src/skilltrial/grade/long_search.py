"""Searching a long text in a process of its own, with bounded memory."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple, cast

from skilltrial.grade.reading import interpreter, interpreter_env

_MEMORY = 200_000_000
_STARTING_S = 30.0
"""For a busy machine to start the process and to read the text."""


class Search(NamedTuple):
    """What came of a search."""

    at: tuple[int, int] | None
    """Where the first match begins and ends."""
    seconds: float
    """Of the search alone."""


def search_apart(pattern: str, text: str, *, timeout_s: float) -> Search:
    """Search a pattern that compiles in a text. Raises `TimeoutError` and `MemoryError`, as the engine does."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "document").write_bytes(text.encode("utf-8", "surrogatepass"))
        limits = (str(_MEMORY), str(int(timeout_s + _STARTING_S)))
        try:
            done = subprocess.run(
                (*interpreter("-m", "skilltrial.grade.readers"), "pattern", "document", *limits),
                cwd=folder,
                env=interpreter_env(folder),
                input=json.dumps({"pattern": pattern, "timeout_s": timeout_s}).encode(),
                capture_output=True,
                check=False,
                timeout=timeout_s + _STARTING_S,
            )
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error
    return _found(done.stdout)


def _found(said: bytes) -> Search:
    try:
        answer = cast("object", json.loads(said))
    except ValueError:  # a process that got no more memory may have said nothing
        raise MemoryError from None
    match answer:
        case {"found": {"at": [int(start), int(end)], "seconds": float(seconds)}}:
            return Search((start, end), seconds)
        case {"found": {"at": None, "seconds": float(seconds)}}:
            return Search(None, seconds)
        case {"found": "timeout"}:
            raise TimeoutError
        case _:
            raise MemoryError
