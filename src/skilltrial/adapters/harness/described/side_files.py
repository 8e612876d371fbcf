"""Files that an agent program leaves beside its stream. The agent may have made them as well: they are hostile."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable
from glob import glob
from pathlib import Path

_MAX_BYTES = 64 << 20
_MAX_FILES = 50


def read_files(pattern: str, *, within: tuple[Path, ...], redact: Callable[[bytes], bytes]) -> str | None:
    """The texts of all files that fit a path with `*`, by name, without secrets; None where there is none.

    Only regular files that really lie in one of the folders are read, and 64 MB in all.
    """
    roots = [folder.resolve() for folder in within]
    texts: list[bytes] = []
    left = _MAX_BYTES
    for name in sorted(glob(pattern))[:_MAX_FILES]:  # noqa: PTH207 - the pattern is one text
        path = Path(name)
        if not any(path.parent.resolve().is_relative_to(root) for root in roots):
            continue
        data = _content(path, left)
        if data is not None:
            texts.append(data if data.endswith(b"\n") else data + b"\n")
            left -= len(data)
    return redact(b"".join(texts)).decode("utf-8", "replace") if texts else None


def added_lines(text: str, before: str) -> str:
    """The lines that were not there before; files that grow may lie one behind the other in the text."""
    known = Counter(before.splitlines(keepends=True))
    added: list[str] = []
    for line in text.splitlines(keepends=True):
        if known[line]:
            known[line] -= 1
        else:
            added.append(line)
    return "".join(added)


def _content(path: Path, limit: int) -> bytes | None:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(limit) if stat.S_ISREG(os.fstat(handle).st_mode) else None
