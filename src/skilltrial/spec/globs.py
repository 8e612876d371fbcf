"""Globs over relative paths with forward slashes, as regular expressions.

`*` and `?` stay within one part of the path, `**` as a whole part spans any number of parts, `[…]` and `[!…]` are one character.
Case counts, names that begin with a dot are ordinary, and `folder/` means everything below it.
"""

from __future__ import annotations

import re


def glob_pattern(glob: str) -> str:
    """The pattern of a whole path that fits the glob, for the engine of `spec.patterns`."""
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
