"""Files that a double writes for a call: inside the trial's folders, links followed nowhere."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def write_files(files: Mapping[str, str], *, cwd: str, within: Sequence[Path]) -> None:
    """Write texts by path relative to `cwd`, which must lie in one of the folders. Raises `OSError` where that cannot be."""
    for path, text in files.items():
        root, below = _place(Path(cwd), within)
        *folders, name = (*below.parts, *PurePosixPath(path).parts)
        if ".." in (*folders, name) or path.startswith("/"):
            raise OSError(f"{path!r} leads out of the folder")
        _write(root, folders, name, text.encode("utf-8", "replace"))


def _place(cwd: Path, within: Sequence[Path]) -> tuple[Path, Path]:
    for folder in within:
        if cwd.is_relative_to(folder):
            return folder, cwd.relative_to(folder)
    raise OSError("the current folder is none of this task's")


def _write(root: Path, folders: Sequence[str], name: str, data: bytes) -> None:
    at = os.open(root, _FOLDER)
    try:
        for folder in folders:
            with suppress(FileExistsError):
                os.mkdir(folder, 0o755, dir_fd=at)
            inner = os.open(folder, _FOLDER, dir_fd=at)
            os.close(at)
            at = inner
        # A new file in the place of the old one: that may be a link, or have a second name elsewhere.
        new = f".{secrets.token_hex(8)}"
        with os.fdopen(os.open(new, _NEW, 0o644, dir_fd=at), "wb") as file:
            file.write(data)
        try:
            os.replace(new, name, src_dir_fd=at, dst_dir_fd=at)
        except OSError:
            os.unlink(new, dir_fd=at)
            raise
    finally:
        os.close(at)
