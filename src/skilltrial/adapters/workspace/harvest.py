"""What a trial made, changed and removed, copied out of its folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from skilltrial.adapters.workspace.git import difference
from skilltrial.adapters.workspace.tree import TOO_DEEP, Entry, open_folder, walk
from skilltrial.records.layout import OUTPUTS, PATCH
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import OutputFile

_MAX_FILE = 20_000_000
_MAX_TOTAL = 200_000_000
_MAX_FILES = 5_000
_MAX_PATH = 500
"""Bytes of a path. Copies are moved to places with longer paths later, and no system takes paths of any length."""
_MAX_PATCH = 1 << 20
_MAX_PATCHED = 1 << 20  # of a single file in the patch


class FileState(NamedTuple):
    """A file's size and content."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What a trial started with."""

    work: Path
    identity: tuple[int, int]
    """Device and number of `work`, by which it is known again."""
    files: Sequence[CaseFile]
    states: Mapping[str, FileState]
    skip: frozenset[str]
    """Paths that are nobody's output: the repository, the placed skill."""


def start_of(work: Path, files: Sequence[CaseFile], skip: frozenset[str]) -> Start:
    """The state of a folder that is still ours; what would not be read at the end either is left out of it."""
    states: dict[str, FileState] = {}
    folder = open_folder(work)
    try:
        for entry in walk(folder, skip=skip):
            if entry.trap:
                skip |= {entry.path}
            else:
                states[entry.path] = FileState(entry.size, entry.sha256())
    finally:
        os.close(folder)
    return Start(work=work, identity=identity_of(work), files=files, states=states, skip=skip)


def identity_of(work: Path) -> tuple[int, int]:
    """By which a folder is known again."""
    status = work.lstat()
    return status.st_dev, status.st_ino


def harvest(start: Start, into: Path, redact: Callable[[bytes], bytes]) -> tuple[OutputFile, ...]:
    """Copy what changed to `into/outputs/` and write `into/diff.patch`; one record for each path that changed.

    `redact` takes secrets out of each file before it is written; size and sha256 are those of the copy.
    """
    outputs = into / OUTPUTS
    outputs.mkdir(exist_ok=True)
    basket = _Basket(start, outputs, redact)
    try:
        folder = open_folder(start.work)
    except OSError as error:
        basket.lost(f"the folder cannot be read: {error.strerror}")
    else:
        try:
            status = os.fstat(folder)
            if (status.st_dev, status.st_ino) == start.identity:
                basket.fill(folder)
            else:
                basket.lost("the folder was replaced by another, which was not read")
        finally:
            os.close(folder)
    records = tuple(sorted(basket.records, key=lambda record: record.path))
    _write_patch(records, start.files, into)
    return records


class _Basket:
    """Collects records and copies, within limits."""

    def __init__(self, start: Start, outputs: Path, redact: Callable[[bytes], bytes]) -> None:
        self._start, self._outputs, self._redact = start, outputs, redact
        self._total = 0
        self._paths: set[str] = set()
        self.records: list[OutputFile] = []

    def fill(self, folder: int) -> None:
        seen: set[str] = set()
        for entry in walk(folder, skip=self._start.skip):
            seen.add(entry.path)
            if len(self.records) >= _MAX_FILES:
                self._unlisted(f"more than {_MAX_FILES:,} files changed; the rest is not listed")
                break
            if entry.trap == TOO_DEEP:
                self._unlisted(f"{entry.path[:80]!r}… lies too deep; what is below it is not listed")
            self._take(entry)
        for path in self._start.states.keys() - seen:
            if not _is_there(folder, path):
                self._removed(path)

    def lost(self, why: str) -> None:
        for path in self._start.states:
            self._removed(path)
        self.records.append(OutputFile(path=".", change="modified", kept=False, note=why))

    def _unlisted(self, why: str) -> None:
        if "…" not in self._paths:
            self._paths.add("…")
            self.records.append(
                OutputFile(path="…", change="created", kept=False, note=self._redact(why.encode()).decode())
            )

    def _removed(self, path: str) -> None:
        self.records.append(OutputFile(path=path, change="deleted", kept=False, note="removed by the agent"))

    def _take(self, entry: Entry) -> None:
        before = self._start.states.get(entry.path)
        change: Literal["created", "modified"] = "modified" if before else "created"
        note, size = entry.trap, None
        if not note:
            size = entry.size
            try:
                if before and before.size == size and before.sha256 == entry.sha256():
                    return
                note = self._too_large(size) or _too_long(entry.path)
                if not note:
                    self.records.append(self._copy(entry, change))
                    return
            except OSError as error:
                note = f"cannot be read or copied: {error.strerror}"
        note = self._redact(note.encode()).decode()  # it may tell where a link leads
        record = OutputFile(path=self._recorded(entry.path), change=change, size=size, kept=False, note=note)
        self.records.append(record)

    def _too_large(self, size: int) -> str:
        if size > _MAX_FILE:
            return f"larger than {_MAX_FILE // 1_000_000} MB"
        if self._total + size > _MAX_TOTAL:
            return f"all outputs together are larger than {_MAX_TOTAL // 1_000_000} MB"
        return ""

    def _copy(self, entry: Entry, change: Literal["created", "modified"]) -> OutputFile:
        path = self._recorded(entry.path)
        target = self._outputs / path
        with entry.opened() as file:
            # Whole, since a secret may lie across any border between two pieces.
            data = self._redact(file.read(_MAX_FILE))
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as copy:
                copy.write(data)
            if os.fstat(file.fileno()).st_mode & stat.S_IXUSR:
                target.chmod(0o755)
        self._total += len(data)
        return OutputFile(path=path, change=change, size=len(data), sha256=hashlib.sha256(data).hexdigest())

    def _recorded(self, path: str) -> str:
        """The path as text that can be written, without secrets; two paths never become one."""
        text = self._redact(path.encode("utf-8", "surrogateescape")).decode("utf-8", "backslashreplace")
        while text in self._paths:
            text += "_"
        self._paths.add(text)
        return text


def _too_long(path: str) -> str:
    n_bytes = len(os.fsencode(path))
    return f"its path has {n_bytes:,} bytes, more than {_MAX_PATH}" if n_bytes > _MAX_PATH else ""


def _is_there(folder: int, path: str) -> bool:
    try:
        return not stat.S_ISDIR(os.lstat(path, dir_fd=folder).st_mode)
    except OSError:
        return False


def _write_patch(records: Sequence[OutputFile], files: Sequence[CaseFile], into: Path) -> None:
    if not records:
        (into / PATCH).write_bytes(b"")
        return
    originals = {file.path: file for file in files}
    left_out: list[str] = []
    with tempfile.TemporaryDirectory(dir=into) as name:
        folder = Path(name)
        for side in ("a", "b"):
            (folder / side).mkdir()
        for record in records:
            old = _original(originals.get(record.path)) if record.change != "created" else b""
            new = into / OUTPUTS / record.path if record.kept else None
            if old is None or (record.change != "deleted" and (new is None or (record.size or 0) > _MAX_PATCHED)):
                left_out.append(record.path)
                continue
            if record.change != "created":
                _put(folder / "a" / record.path, old)
            if new is not None:
                _link(new, folder / "b" / record.path)
            if new is not None and record.change == "modified":
                shutil.copymode(new, folder / "a" / record.path)
        data, cut = difference(folder, "a", "b", limit=_MAX_PATCH)
    if cut:
        data += b"\n# cut: the differences are longer than 1 MiB\n"
    data += b"".join(f"# not shown: {path!r}\n".encode() for path in left_out)
    (into / PATCH).write_bytes(data)


def _original(file: CaseFile | None) -> bytes | None:
    """A case file's content as the trial got it; None where it is too large or not to be had any more."""
    if file is None:
        return None
    if file.content is not None:
        return file.content.encode()
    try:
        with Path(file.source or "").open("rb") as source:
            data = source.read(_MAX_PATCHED + 1)
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == file.sha256 else None


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
