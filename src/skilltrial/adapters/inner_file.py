"""Files below a folder in which an agent may have put links: none is followed, whatever changes meanwhile."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def write_inside(root: Path, path: PurePosixPath, data: bytes) -> None:
    """A new file in the place of the old one, with the folders above it. Raises `OSError` where a link is on the way."""
    folders, name = _steps(path)
    with _opened(root, folders, make=True) as at:
        # The old one may be a link, or have a second name elsewhere.
        new = f".{secrets.token_hex(8)}"
        with os.fdopen(os.open(new, _NEW, 0o644, dir_fd=at), "wb") as file:
            file.write(data)
        try:
            os.replace(new, name, src_dir_fd=at, dst_dir_fd=at)
        except OSError:
            os.unlink(new, dir_fd=at)
            raise


def open_inside(root: Path, path: PurePosixPath, *, write: bool = False) -> BinaryIO:
    """A regular file, to be read; or to be written, made where it is not there, and emptied.

    Raises `OSError` where a link is on the way, and for what is no regular file.
    """
    folders, name = _steps(path)
    with _opened(root, folders, make=write) as at:
        descriptor = os.open(name, _PLAIN | (os.O_WRONLY | os.O_CREAT if write else os.O_RDONLY), 0o666, dir_fd=at)
    file = os.fdopen(descriptor, "wb" if write else "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    if write:
        file.truncate(0)
    return file


def _steps(path: PurePosixPath) -> tuple[Sequence[str], str]:
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise OSError(f"{str(path)!r} leads out of the folder")
    return path.parts[:-1], path.parts[-1]


@contextmanager
def _opened(root: Path, folders: Sequence[str], *, make: bool) -> Generator[int]:
    at = os.open(root, _FOLDER)
    try:
        for folder in folders:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(folder, 0o755, dir_fd=at)
            inner = os.open(folder, _FOLDER, dir_fd=at)
            os.close(at)
            at = inner
        yield at
    finally:
        os.close(at)
