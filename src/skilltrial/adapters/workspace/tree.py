"""Looking through a folder that an agent left, without following or opening what it put there as a trap."""

from __future__ import annotations

import hashlib
import itertools
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_MAX_DEPTH = 40
TOO_DEEP = "folders too deep"
"""The trap of a folder whose own files nobody has listed."""
_MAX_ENTRIES = 50_000  # in one folder
_MACHINERY = {".git", "node_modules", "__pycache__", ".venv"}
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file, or something else with the reason why it is not opened. `folder` is open only until the next entry."""

    path: str
    """Relative, with forward slashes; bytes that are no UTF-8 as surrogates."""
    name: str
    folder: int
    size: int
    trap: str = ""

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        """The file's content. Raises `OSError`, also where it is no regular file any more."""
        try:
            descriptor = os.open(self.name, _FILE, dir_fd=self.folder)
        except PermissionError:
            os.chmod(self.name, 0o600, dir_fd=self.folder)
            descriptor = os.open(self.name, _FILE, dir_fd=self.folder)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(0, "it is no regular file", self.path)
            yield file

    def sha256(self) -> str:
        """Hex digest of the content."""
        digest = hashlib.sha256()
        with self.opened() as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()


def open_folder(path: Path | str, *, below: int | None = None) -> int:
    """A descriptor of a folder that can be listed. Raises `OSError`, also for a link."""
    mode = os.lstat(path, dir_fd=below).st_mode
    if stat.S_ISDIR(mode) and mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(path, stat.S_IMODE(mode) | stat.S_IRWXU, dir_fd=below)
    return os.open(path, _FOLDER, dir_fd=below)


def walk(folder: int, *, skip: frozenset[str], prefix: str = "", depth: int = 0) -> Generator[Entry]:
    """Everything below an opened folder but folders, sorted by name; `skip` are paths to leave out."""
    with os.scandir(folder) as listing:
        names = sorted(entry.name for entry in itertools.islice(listing, _MAX_ENTRIES))
    for name in names:
        path = f"{prefix}{name}"
        if path in skip:
            continue
        try:
            status = os.lstat(name, dir_fd=folder)
        except OSError as error:
            yield Entry(path=path, name=name, folder=folder, size=0, trap=f"cannot be read: {error.strerror}")
            continue
        if stat.S_ISDIR(status.st_mode):
            yield from _below(folder, name, path, skip=skip, depth=depth)
        else:
            yield Entry(path=path, name=name, folder=folder, size=status.st_size, trap=_trap(folder, name, status))


def _below(folder: int, name: str, path: str, *, skip: frozenset[str], depth: int) -> Generator[Entry]:
    reason = "files of tools, not of the task" if name in _MACHINERY else ""
    reason = reason or (TOO_DEEP if depth >= _MAX_DEPTH else "")
    if not reason:
        try:
            inner = open_folder(name, below=folder)
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
        else:
            try:
                yield from walk(inner, skip=skip, prefix=f"{path}/", depth=depth + 1)
            finally:
                os.close(inner)
            return
    yield Entry(path=path, name=name, folder=folder, size=0, trap=reason)


def _trap(folder: int, name: str, status: os.stat_result) -> str:
    if stat.S_ISREG(status.st_mode):
        return ""
    if stat.S_ISLNK(status.st_mode):
        return f"a link to {os.readlink(name, dir_fd=folder)!r}, not followed"
    kinds = ((stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISBLK, "a device"))
    return next((what for test, what in kinds if test(status.st_mode)), "a device") + ", not opened"
