"""Globs over relative paths with forward slashes.

`*` and `?` stay within one part of the path, `**` as a whole part spans any number of parts, `[…]` and `[!…]` are one character.
Case counts, names that begin with a dot are ordinary, and `folder/` means everything below it. A path that is equal to the glob
always matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from skilltrial.grade.decision import Undecided
from skilltrial.grade.patterns import search


def matching(glob: str, paths: Iterable[str]) -> list[str]:
    """The paths that match, in their order. Raises `Undecided` for a glob that leaves the trial's folder."""
    wanted = _relative(glob)
    pattern = _pattern(wanted)
    return [path for path in paths if path == wanted or search(pattern, path) is not None]


def _relative(glob: str) -> str:
    parts = [part for part in glob.split("/") if part != "."]
    if not glob or glob.startswith(("/", "~")) or ".." in parts or not any(parts):
        raise Undecided(f"the path {glob!r} does not lie in the trial's folder; give one relative to it.")
    return "/".join(parts)


def _pattern(glob: str) -> str:
    *folders, last = glob.split("/")
    head = "".join("(?:[^/]+/)*" if part == "**" else f"{_part(part)}/" for part in folders)
    return rf"(?s)\A{head}{'.+' if last in {'', '**'} else _part(last)}\Z"


def _part(part: str) -> str:
    pieces: list[str] = []
    at = 0
    while at < len(part):
        char = part[at]
        end = part.find("]", at + 2) if char == "[" else -1
        if end > 0:
            body = part[at + 1 : end]
            negated = body.startswith("!")
            inner = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[negated:])
            pieces.append(f"(?!/)[{'^' if negated else ''}{inner}]")
            at = end
        elif char == "*":
            pieces.append("[^/]*+" if at == len(part) - 1 else "[^/]*")
        else:
            pieces.append("[^/]" if char == "?" else re.escape(char))
        at += 1
    return "".join(pieces)
