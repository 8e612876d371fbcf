"""Files below a folder, as an agent would get them: no link leaves it, no device is opened."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from skilltrial.records.repair import Repair
from skilltrial.spec.findings import Findings, invalid

_MAX_ENTRIES = 20_000
_MAX_DEPTH = 64
_BLOCK = 1 << 20


class TreeFile(NamedTuple):
    """A regular file below the folder."""

    path: str
    """Relative to the folder, with forward slashes."""
    source: Path
    """Absolute, without links."""
    size: int
    sha256: str
    executable: bool


def find_files(folder: Path, findings: Findings, *, within: Path, skips: Callable[[str], bool]) -> list[TreeFile]:
    """All files below `folder`, sorted by path, as links to files and folders inside `within` resolve.

    `skips` is asked with each relative path (a link's target too, where it lies in the folder). Links that leave `within`, loop
    or lead nowhere, devices, pipes and names that are not UTF-8 are left out, with a repair each. Raises `SpecError` for what
    cannot be read, for more than 20 000 entries, and for folders more than 64 deep.
    """
    walk = _Walk(folder, within, skips, findings)
    walk.folder("", folder, ())
    return sorted(walk.files)


def sha256_of(path: Path) -> str:
    """The hex digest of a file's bytes. Raises `SpecError` where it cannot be read."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise invalid("unreadable", f"the file cannot be read: {error.strerror}.", file=str(path)) from None
    return digest.hexdigest()


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path, with its links resolved, lies in a folder (or is it)."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def is_utf8(name: str) -> bool:
    """Whether a file name is text; Python keeps other bytes of a name as lone surrogates."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class _Walk:
    def __init__(self, top: Path, within: Path, skips: Callable[[str], bool], findings: Findings) -> None:
        self.top = top
        self.real_top = Path(os.path.realpath(top))
        self.within = within
        self.skips = skips
        self.findings = findings
        self.files: list[TreeFile] = []
        self.n_entries = 0

    def folder(self, relative: str, folder: Path, above: tuple[str, ...]) -> None:
        above = (*above, os.path.realpath(folder))
        if len(above) > _MAX_DEPTH:
            message = f"the folder has others in it, {_MAX_DEPTH} deep and more."
            raise invalid("too-many-files", message, file=str(self.top), hint="Is it the right folder?")
        try:
            names = sorted(entry.name for entry in folder.iterdir())
        except OSError as error:
            raise invalid("unreadable", f"the folder cannot be read: {error.strerror}.", file=str(folder)) from None
        for name in names:
            self.n_entries += 1
            if self.n_entries > _MAX_ENTRIES:
                message = f"the folder has more than {_MAX_ENTRIES} files and folders."
                raise invalid("too-many-files", message, file=str(self.top), hint="Is it the right folder?")
            path = f"{relative}/{name}" if relative else name
            if not self.skips(path):
                self.entry(path, folder / name, above)

    def entry(self, path: str, full: Path, above: tuple[str, ...]) -> None:
        if not is_utf8(path):
            self.leave_out("name-not-utf8", path.encode("utf-8", "replace").decode(), "has a name that is not UTF-8")
            return
        if full.is_symlink() and not self.usable_link(path, full):
            return
        mode = _mode(full)
        if mode is not None and stat.S_ISDIR(mode):
            if os.path.realpath(full) in above:
                self.leave_out("link-loop", path, "is a link to a folder that holds it")
            else:
                self.folder(path, full, above)
        elif mode is not None and stat.S_ISREG(mode):
            source = Path(os.path.realpath(full))
            executable = bool(mode & stat.S_IXUSR)
            self.files.append(TreeFile(path, source, source.stat().st_size, sha256_of(source), executable))
        else:
            self.leave_out("not-a-file", path, "is neither a file nor a folder")

    def usable_link(self, path: str, full: Path) -> bool:
        if not os.path.exists(full):  # noqa: PTH110 - Path.exists raises for loops and long names before Python 3.12
            self.leave_out("link-broken", path, "is a link to nothing")
            return False
        if not is_inside(full, self.within):
            self.leave_out("link-outside", path, "is a link that leaves the skill folder")
            return False
        target = Path(os.path.realpath(full))
        if target.is_relative_to(self.real_top) and self.skips(target.relative_to(self.real_top).as_posix()):
            self.leave_out("link-hidden", path, "is a link to what agents do not get")
            return False
        return True

    def leave_out(self, code: str, path: str, why: str) -> None:
        message = f"{path} {why}; it is left out"
        self.findings.repair(Repair(code=code, message=message, file=str(self.top), path=path))


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except OSError:
        return None
