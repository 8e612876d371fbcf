"""An export on the disk: all of its files are there, or none."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path

from skilltrial.adapters.interchange.copies import copy_file
from skilltrial.errors import StoreError
from skilltrial.ports import ExportFile
from skilltrial.records.json_value import Json

UNFINISHED = ".export-*.part"
"""Folders that an export which was killed leaves in the one that it was to fill."""


def write_export(folder: Path, files: Iterable[ExportFile]) -> None:
    """Write files below a folder that is new or empty; where that fails or is stopped, it is as it was.

    Raises `StoreError` for what cannot be written, or copied any more, and for paths that leave the folder.
    """
    is_new = not folder.exists()
    staged = folder / UNFINISHED.replace("*", uuid.uuid4().hex)
    moved: dict[Path, Path] = {}
    try:
        staged.mkdir(parents=True)
        for file in files:
            _write(staged, file)
        # Folders first: where two exports meet, a folder is moved by one alone, while a file would be replaced.
        for path in sorted(staged.iterdir(), key=lambda path: (path.is_file(), path.name)):
            _move(path, folder / path.name, moved)
    except BaseException as error:
        _undo(moved)
        shutil.rmtree(staged, ignore_errors=True)
        if is_new and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        if isinstance(error, OSError):
            where = Path(str(error.filename or folder))
            shown = folder / where.relative_to(staged) if where.is_relative_to(staged) else where
            raise StoreError(f"cannot be written ({error.strerror}).", where=str(shown)) from error
        raise
    for unfinished in (staged, *folder.glob(UNFINISHED)):
        shutil.rmtree(unfinished, ignore_errors=True)


def _write(folder: Path, file: ExportFile) -> None:
    """Paths come from names that others chose."""
    parts = file.path.split("/")
    if file.path.startswith("/") or "\\" in file.path or any(part in {"", ".", ".."} for part in parts):
        raise StoreError(f"the path {file.path!r} leaves the folder that is written.", where=str(folder.parent))
    target = folder.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(file.content, Path):
        if not copy_file(file.content, target):
            message = "cannot be copied: it is no regular file any more, or too large."
            raise StoreError(message, where=str(file.content))
    else:
        text = file.content if isinstance(file.content, str) else _pretty(file.content)
        target.write_bytes(text.encode("utf-8", "backslashreplace"))
    with target.open("rb") as written:
        os.fsync(written.fileno())


def _move(path: Path, target: Path, moved: dict[Path, Path]) -> None:
    if os.path.lexists(target):
        hint = "Is another export writing here?"
        raise StoreError("there is something in this place by now.", where=str(target), hint=hint)
    moved[path] = target
    path.rename(target)


def _undo(moved: Mapping[Path, Path]) -> None:
    for path, target in moved.items():
        if path.exists():
            continue  # it was not moved: what is there is another's
        if target.is_dir():
            shutil.rmtree(target, ignore_errors=True)
        else:
            target.unlink(missing_ok=True)


def _pretty(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
