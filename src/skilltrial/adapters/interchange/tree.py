"""The folders of somebody else's workspace: one look at each, bounded, and never through a link.

Places are relative to the root, with forward slashes; the root's own place is the empty text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from skilltrial.errors import StoreError
from skilltrial.records.foreign import Refused

OUTPUTS = "outputs"
MAX_DEPTH = 12
MAX_ENTRIES = 400_000
_CACHES = frozenset({
    ".git", ".hg", ".svn", ".venv", ".tox", ".cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".idea", ".vscode",
    "node_modules", "__pycache__", "__MACOSX", "venv", "bower_components", "site-packages",
})  # fmt: skip
_NOT_ENTERED = {
    ".skills": "a copy of the skills that the other tool staged",
    ".codebase": "a copy of the code that the agents worked on",
    ".eval-magic-outputs": "what an agent wrote while it ran; the results are beside it",
    "skill-snapshot": "a copy of the skill",
}
_DIGITS = re.compile(r"(\d+)")
_AGENT_FOLDER = re.compile(r"env-g\d+-")


@dataclass(slots=True, eq=False)
class Folder:
    """One folder, in natural order. The folder `outputs` is listed and not entered."""

    name: str
    place: str
    folders: list[Folder] = field(default_factory=list["Folder"])
    files: list[str] = field(default_factory=list[str])

    def at(self, name: str) -> str:
        """The place of something in this folder."""
        return f"{self.place}/{name}" if self.place else name

    def child(self, name: str) -> Folder | None:
        """The sub-folder of this name."""
        for folder in self.folders:
            if folder.name == name:
                return folder
        return None

    def walk(self) -> Iterator[Folder]:
        """The folder itself and all below, parents first."""
        yield self
        for folder in self.folders:
            yield from folder.walk()


@dataclass(frozen=True, slots=True)
class Tree:
    """What lies below a root."""

    root: Folder
    refused: tuple[Refused, ...]


@lru_cache(maxsize=8192)
def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts `eval-10` after `eval-2`."""
    parts = _DIGITS.split(name.casefold())
    return tuple((0, int(part[:15]), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def scan(root: str) -> Tree:
    """Look at every folder below the root. Raises `StoreError` where the root itself cannot be listed."""
    walker = _Walker(root)
    top = Folder(name=root.rstrip("/").rpartition("/")[2], place="")
    try:
        walker.fill(top, root, 0)
    except OSError as error:
        raise StoreError(
            f"this folder cannot be read: {error.strerror}.", where=root, hint="See to its rights.", code="unreadable"
        ) from error
    return Tree(root=top, refused=tuple(walker.refused))


class _Walker:
    """Counts what was seen, and notes what was left alone."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.refused: list[Refused] = []
        self.left = MAX_ENTRIES

    def fill(self, folder: Folder, path: str, depth: int) -> None:
        inside: list[str] = []
        files = folder.files
        with os.scandir(path) as entries:
            for entry in entries:
                self.left -= 1
                if self.left < 0:
                    break
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    inside.append(entry.name)
                else:
                    what = "a link; links are not followed" if entry.is_symlink() else "no file and no folder"
                    self.refuse(folder.at(entry.name), what)
        files.sort(key=natural)
        if self.left < 0:
            if not any(each.reason.startswith("more than") for each in self.refused):
                self.refuse(folder.place or ".", f"more than {MAX_ENTRIES} files: the rest was not looked at")
            return
        inside = sorted((name for name in inside if name not in _CACHES), key=natural) if inside else inside
        if folder.name == OUTPUTS and folder.place:
            folder.folders = [Folder(name=name, place=folder.at(name)) for name in inside]
            return
        for name in inside:
            self._enter(name, folder, path, depth)

    def _enter(self, name: str, folder: Folder, path: str, depth: int) -> None:
        place = folder.at(name)
        reason = _NOT_ENTERED.get(name)
        if reason is None and _AGENT_FOLDER.match(name):
            reason = "the folder that an agent worked in; the results are beside it"
        if reason is None and depth >= MAX_DEPTH:
            reason = f"more than {MAX_DEPTH} folders deep"
        if reason is not None:
            self.refuse(place, reason)
            return
        child = Folder(name=name, place=place)
        folder.folders.append(child)
        try:
            self.fill(child, f"{path}/{name}", depth + 1)
        except OSError as error:
            self.refuse(place, f"cannot be read: {error.strerror}")

    def refuse(self, place: str, reason: str) -> None:
        self.refused.append(Refused(place=place, reason=reason))
