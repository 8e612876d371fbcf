"""A workspace as a folder on a local disk."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import uuid
from pathlib import Path

from filelock import FileLock, Timeout

from skilltrial.errors import SpecError, StoreError

_LOCK = ".lock"
_STAGING = ".staging"
_APPENDING_S = 30
"""How long one waits for others that append to the same file; each takes milliseconds."""


class FolderStore:
    """Satisfies `ports.Store`. A store made with `write=True` holds the workspace's lock until `close`.

    `durable=False` is for folders that are removed again: what is written need not outlive a crash of the machine.
    """

    def __init__(self, root: Path, *, write: bool, durable: bool = True) -> None:
        self._root = root.absolute()
        self._durable = durable
        self._lock: FileLock | None = None
        if write:
            self._open_for_writing()
        elif not self._root.is_dir():
            raise SpecError("there is no such folder.", where=str(root), hint="Give the workspace that `run` printed.")

    def _open_for_writing(self) -> None:
        if self._root.exists() and not self._root.is_dir():
            raise StoreError(
                "there is a file where the workspace has to be.",
                where=str(self._root),
                hint="Choose another folder with --workspace.",
            )
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._root / _LOCK)
            lock.acquire(blocking=False)
        except Timeout as error:
            raise StoreError(
                "another skilltrial is writing to this workspace.",
                where=str(self._root),
                hint="Wait until it has ended, or choose another folder with --workspace.",
                code="workspace_busy",
            ) from error
        except OSError as error:
            raise StoreError(f"the workspace cannot be written ({error.strerror}).", where=str(self._root)) from error
        self._lock = lock
        # What a killed writer left half-done; nobody else can be at it, since we hold the lock.
        shutil.rmtree(self._root / _STAGING, ignore_errors=True)
        ignore = self._root / ".gitignore"
        if not ignore.exists():
            self.write(".gitignore", b"*\n")

    def close(self) -> None:
        """Give the lock back; may be called twice."""
        if self._lock is not None:
            shutil.rmtree(self._root / _STAGING, ignore_errors=True)
            self._lock.release()
            self._lock = None

    def path(self, relative: str) -> Path:
        """Where a file of the workspace lies; StoreError for a path that would leave it."""
        parts = Path(relative).parts
        if Path(relative).is_absolute() or ".." in parts:
            raise StoreError(f"the path {relative!r} leaves the workspace.", where=str(self._root))
        return self._root.joinpath(*parts)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None where there is none."""
        try:
            return self.path(path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StoreError(f"cannot be read ({error.strerror}).", where=str(self.path(path))) from error

    def write(self, path: str, data: bytes) -> None:
        """Write a file so that it appears whole or not at all."""
        target = self.path(path)
        beside = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with beside.open("wb") as file:
                file.write(data)
                file.flush()
                if self._durable:
                    os.fsync(file.fileno())
            beside.replace(target)
        except OSError as error:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            raise StoreError(f"cannot be written ({error.strerror}).", where=str(target)) from error

    def append(self, path: str, line: bytes) -> None:
        """Add one line; needs no lock of the workspace. What a crash cut off stays where it is, as a line of its own."""
        target = self.path(path)
        try:
            with FileLock(target.with_name(f".{target.name}.lock"), timeout=_APPENDING_S), target.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    line = line if file.read(1) == b"\n" else b"\n" + line
                file.write(line + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except Timeout as error:
            raise StoreError("others keep writing to it.", where=str(target), hint="Try again.") from error
        except OSError as error:
            raise StoreError(f"cannot be written ({error.strerror}).", where=str(target)) from error

    def stage(self) -> Path:
        """A fresh folder beside the final places."""
        folder = self._root / _STAGING / uuid.uuid4().hex
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise StoreError(f"cannot be made ({error.strerror}).", where=str(folder)) from error
        return folder

    def publish(self, staged: Path, path: str) -> Path:
        """Move a folder to its place in one step, after its content has reached the disk."""
        target = self.path(path)
        if target.exists():
            raise StoreError("there is something in this place already.", where=str(target))
        try:
            if self._durable:
                _sync_tree(staged)
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.rename(target)
        except OSError as error:
            raise StoreError(f"cannot be put in its place ({error.strerror}).", where=str(target)) from error
        return target

    def find(self, pattern: str) -> list[str]:
        """Relative paths that match a glob, sorted."""
        return sorted(path.relative_to(self._root).as_posix() for path in self._root.glob(pattern))


def _sync_tree(folder: Path) -> None:
    for parent, _, names in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            # Links and devices have nothing to bring to the disk, and a pipe would make us wait for ever.
            if not stat.S_ISREG(path.lstat().st_mode):
                continue
            with path.open("rb") as file:
                os.fsync(file.fileno())
