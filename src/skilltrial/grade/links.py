"""Links that an agent left, in a copy of its files: those that stay within lead where they led, all others nowhere."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

_NOTE = re.compile(r"a link to (.+), not followed\.?", re.DOTALL)
_NO_CONTENT = re.compile(r".*, not (?:followed|opened)\.?", re.DOTALL)


def link_target(note: str) -> str | None:
    """Where the link led, by the record's note; None where it is none, or the note does not tell."""
    match = _NOTE.fullmatch(note)
    try:
        target: object = ast.literal_eval(match[1]) if match else None
    except (SyntaxError, ValueError):  # a secret was taken out of it
        return None
    return target if isinstance(target, str) and target and "\0" not in target else None


def has_no_content(note: str) -> bool:
    """The record is of a link, a pipe, a socket or a device: nothing of the result is lost with it."""
    return _NO_CONTENT.fullmatch(note) is not None


def lay_links(folder: Path, links: Mapping[str, str]) -> list[str]:
    """Make links (path -> target) in a copy whose files are there already; returns the paths that could not be had.

    One that leads out of the folder, straight or by way of others, becomes a link to itself: it is a link still, and nothing can
    be read or written through it.
    """
    root = Path(os.path.realpath(folder))
    missing: list[str] = []
    made: list[Path] = []
    for path, target in links.items():
        place = root / PurePosixPath(path)
        try:
            if ".." in place.parts or not _is_within(place.parent, root):
                raise OSError(0, "it does not lie in the folder", path)  # noqa: TRY301 - told like the others
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)
            made.append(place)
        except OSError:
            missing.append(path)
    for place in [place for place in made if not _is_within(place, root)]:
        place.unlink()
        place.symlink_to(place.name)
    return missing


def _is_within(place: Path, root: Path) -> bool:
    return Path(os.path.realpath(place)).is_relative_to(root)
