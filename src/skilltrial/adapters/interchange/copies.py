"""Copies of the files of an imported run: links are not followed, nothing but regular files is opened, sizes are capped."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skilltrial.records.trial import OutputFile

MAX_FILE = 20_000_000
MAX_TOTAL = 200_000_000
MAX_FILES = 5_000
_MAX_DEPTH = 40
_MAX_PATH = 500
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_MACHINERY = frozenset({".git", "node_modules", "__pycache__", ".venv"})


class _Found(NamedTuple):
    path: str
    """Relative, with forward slashes, as text that can be written."""
    source: str
    size: int | None
    trap: str
    """Why it is not copied; empty for a file."""


def copy_outputs(source: Path, into: Path, *, skip: frozenset[str] = frozenset()) -> tuple[OutputFile, ...]:
    """Copy a folder of outputs (or the one file) below `into`, and record each path; `skip` are copied and not recorded.

    What is left out is recorded with the reason. The originals are only read. Raises `OSError` where a copy cannot be written.
    """
    records: list[OutputFile] = []
    total = 0
    for found in _walk(source):
        if len(records) >= MAX_FILES:
            note = f"more than {MAX_FILES:,} files; the rest is left out"
            records.append(OutputFile(path="…", change="created", kept=False, note=note))
            break
        record = _copy(found, into, room=MAX_TOTAL - total)
        total += record.size or 0 if record.kept else 0
        if not (record.kept and record.path in skip):
            records.append(record)
    return tuple(sorted(records, key=lambda record: record.path))


def copy_file(source: Path, into: Path) -> bool:
    """Copy one regular file of a size that we keep; whether that was possible."""
    try:
        size = source.lstat().st_size
    except OSError:
        return False
    return _copy(_Found(into.name, str(source), size, ""), into.parent, room=MAX_FILE).kept


def _copy(found: _Found, into: Path, *, room: int) -> OutputFile:
    note = found.trap
    if not note and found.size is not None and found.size > MAX_FILE:
        note = f"larger than {MAX_FILE // 1_000_000} MB"
    elif not note and found.size is not None and found.size > room:
        note = f"all outputs together are larger than {MAX_TOTAL // 1_000_000} MB"
    elif not note and len(os.fsencode(found.path)) > _MAX_PATH:
        note = f"its path has more than {_MAX_PATH} bytes"
    data = None if note else _read(found.source)
    if data is None:
        reason = note or "it cannot be read, or is no regular file"
        return OutputFile(path=found.path, change="created", size=found.size, kept=False, note=reason)
    target = into / found.path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return OutputFile(path=found.path, change="created", size=len(data), sha256=hashlib.sha256(data).hexdigest())


def _read(source: str) -> bytes | None:
    """The content of a regular file, None where it is none (any more) or may not be read."""
    try:
        descriptor = os.open(source, _FILE)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        try:
            return file.read(MAX_FILE)
        except OSError:
            return None


def _walk(source: Path) -> Iterator[_Found]:
    try:
        mode = source.lstat().st_mode
    except OSError:
        return
    if stat.S_ISREG(mode):
        yield _Found(_text(source.name), str(source), source.lstat().st_size, "")
    elif stat.S_ISDIR(mode):
        yield from _below(str(source), "", 0)


def _below(folder: str, prefix: str, depth: int) -> Iterator[_Found]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        yield _Found(prefix.rstrip("/") or ".", folder, None, "the folder cannot be read")
        return
    for entry in entries:
        path = _text(prefix + entry.name)
        if entry.is_symlink():
            yield _Found(path, entry.path, None, "a link, not followed")
        elif entry.is_dir(follow_symlinks=False):
            if entry.name in _MACHINERY or depth >= _MAX_DEPTH:
                yield _Found(path, entry.path, None, "files of tools, or folders too deep")
            else:
                yield from _below(entry.path, f"{prefix}{entry.name}/", depth + 1)
        elif entry.is_file(follow_symlinks=False):
            yield _Found(path, entry.path, entry.stat(follow_symlinks=False).st_size, "")
        else:
            yield _Found(path, entry.path, None, "a pipe, a socket or a device, not opened")


def _text(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
