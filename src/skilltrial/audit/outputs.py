"""A look into the folders of outputs: what skill-creator's review page would hide, or break on."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from skilltrial.audit.rules import NESTED, SCRIPT
from skilltrial.audit.scores import Round
from skilltrial.records.audit import AuditFinding

_TEXTS = frozenset(
    (
        ".md", ".txt", ".csv", ".tsv", ".html", ".htm", ".xml", ".svg", ".json", ".yaml", ".yml", ".toml", ".ini", ".log",
        ".js", ".ts", ".jsx", ".tsx", ".css", ".py", ".sh", ".rb", ".go", ".rs", ".java", ".c", ".cpp", ".h", ".sql", ".r",
    )
)  # fmt: skip
_NOT_SHOWN = frozenset(("transcript.md", "user_notes.md", "metrics.json"))
_READ_AT_ONCE = 65_536
_MAX_BYTES = 16 * _READ_AT_ONCE
_MOST_FILES = 1_000
"""Looked at in one folder of outputs."""
_CLOSING = re.compile(rb"</script", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputsSeen:
    """What lies in one folder of outputs, relative to it."""

    nested: tuple[str, ...] = ()
    """Sub-folders that are not empty."""
    closing_tags: tuple[str, ...] = ()
    """Text files at the top that hold `</script`."""


Look = Callable[[str, tuple[str, ...] | None], OutputsSeen]
"""From the place of a folder of outputs, and what is known to lie in it (`ForeignRun.left`), to what the page would make of it."""


def output_findings(found: Round, look: Look) -> Iterator[AuditFinding]:
    """Files that the review page does not show, or that end it."""
    if found.family != "skill-creator":
        return
    for score in found.scores:
        outputs = score.run.outputs
        if outputs is None:
            continue
        seen = look(outputs, score.run.left)
        if seen.nested:
            yield NESTED.at(outputs, f"Files lie in {', '.join(map(repr, seen.nested[:3]))}.")
        for name in seen.closing_tags:
            yield SCRIPT.at(f"{outputs}/{name}", "The file holds a closing script tag.")


def look_into(root: str, place: str, left: tuple[str, ...] | None) -> OutputsSeen:
    """Look into a folder on disk; links are not followed, and of large files only the head is read.

    What cannot be read is passed over: outputs are evidence of nothing here.
    """
    folder = f"{root}/{place}"
    nested: list[str] = []
    closing: list[str] = []
    try:
        for name in (_listed(folder) if left is None else left)[:_MOST_FILES]:
            if name.endswith("/"):
                if _listed(f"{folder}/{name}"):
                    nested.append(name[:-1])
            elif _is_shown_text(name) and _holds_closing_tag(f"{folder}/{name}"):
                closing.append(name)
    except OSError:
        pass
    return OutputsSeen(nested=tuple(sorted(nested)), closing_tags=tuple(sorted(closing)))


def _listed(folder: str) -> tuple[str, ...]:
    with os.scandir(folder) as entries:
        return tuple(
            f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name
            for entry in entries
            if not entry.is_symlink()
        )


def _is_shown_text(name: str) -> bool:
    _, dot, ending = name.rpartition(".")
    return f"{dot}{ending}".lower() in _TEXTS and name not in _NOT_SHOWN


def _holds_closing_tag(path: str) -> bool:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        data = os.read(handle, _READ_AT_ONCE)
        while len(data) % _READ_AT_ONCE == 0 and len(data) < _MAX_BYTES and (more := os.read(handle, _READ_AT_ONCE)):
            data += more
    finally:
        os.close(handle)
    return b"</" in data and _CLOSING.search(data) is not None
