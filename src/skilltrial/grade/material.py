"""Everything that a check may look at, read so that nothing an agent left can lead outside, block or fill the memory."""

from __future__ import annotations

import codecs
import errno
import hashlib
import io
import os
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal

from pydantic import ValidationError

from skilltrial.grade.decision import Undecided
from skilltrial.grade.globs import leads_through, matching
from skilltrial.grade.links import has_no_content, lay_links, link_target
from skilltrial.records.doubles import DoubleCall
from skilltrial.records.events import Event
from skilltrial.records.layout import DOUBLES
from skilltrial.records.suite import Case, CaseFile
from skilltrial.records.trial import OutputFile, Trial

MAX_TEXT_BYTES = 5_000_000
_CHUNK = 1_000_000
_CACHE = "__pycache__"
_MAX_HELD_OUT = 20_000_000
# Records that stand for files nobody could list: all of them, or those beyond a limit.
_MARKERS = frozenset({".", "…"})
_WILD = frozenset("*?[")
"""Of a glob that more than one path may match."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def decoded(data: bytes) -> str:
    """The text of a file: UTF-8 (UTF-16 where a byte order mark says so), other bytes replaced, the mark left out."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    return data.decode("utf-8-sig", errors="replace")


@contextmanager
def opened(root: Path, relative: str) -> Generator[BinaryIO]:
    """A regular file below `root`, links followed nowhere. Raises `Undecided` for anything else."""
    parts = PurePosixPath(relative).parts
    if not parts or relative.startswith("/") or ".." in parts or "\0" in relative:
        raise Undecided(f"the file {relative!r} does not lie in the trial's outputs.")
    place = root
    for part in parts[:-1]:
        place /= part
        if place.is_symlink():
            raise Undecided(f"the file {relative!r} lies behind a link, and links are not followed.")
    try:
        descriptor = os.open(place / parts[-1], _FLAGS)
    except OSError as error:
        reason = "is a link, and links are not followed" if error.errno == errno.ELOOP else "cannot be opened"
        raise Undecided(f"the file {relative!r} {reason} ({error.strerror}).") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Undecided(f"the file {relative!r} is no regular file.")
        yield file


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftFile:
    """A file that was there when the trial ended: made or changed by the agent, or a file of the case that it kept."""

    path: str
    origin: Literal["created", "modified", "kept", "codebase"]
    """Where it comes from; `kept`: of the case, `codebase`: of its codebase, both unchanged."""
    size: int | None = None
    gap: str = ""
    """Why its content is not at hand, where it is not."""
    record: OutputFile | CaseFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """The first and the last bytes of a file, which do not overlap, and how much there is of it."""

    head: bytes
    tail: bytes
    size: int
    n_lines: int
    """Line feeds."""

    @property
    def whole(self) -> bool:
        """Nothing is left out between the two."""
        return len(self.head) + len(self.tail) == self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What one trial left. Nothing is read before it is asked for."""

    case: Case
    trial: Trial
    events: tuple[Event, ...]
    outputs: Path
    """The folder with the kept output files; `diff.patch` lies beside it."""
    arm_has_skill: bool = True
    code: tuple[CaseFile, ...] = ()
    """The files of the case's codebase."""
    skill_names: tuple[str, ...] = ()
    """Names of the skills of all arms, for the judge's blindfold."""
    transcript_sha256: str = ""
    """Of `transcript.jsonl`, for the digest."""

    def files(self) -> tuple[LeftFile, ...]:
        """All files that the trial left, by path. `outputs/` may hold more (our own metrics): only recorded files count."""
        touched = {file.path for file in self.trial.files}
        kept = [
            LeftFile(path=file.path, origin="kept", record=file) for file in self.case.files if file.path not in touched
        ]
        touched |= {file.path for file in kept}
        code = [
            LeftFile(path=file.path, origin="codebase", record=file) for file in self.code if file.path not in touched
        ]
        made = [
            LeftFile(
                path=file.path,
                origin=file.change,
                size=file.size,
                gap="" if file.kept else file.note or "it was not kept",
                record=file,
            )
            for file in self.trial.files
            if file.change != "deleted" and file.path not in _MARKERS
        ]
        return tuple(sorted([*code, *kept, *made], key=lambda file: file.path))

    def unlisted(self, glob: str = "") -> str:
        """Why there may have been more files (that match the glob) than are recorded; empty where all are."""
        if glob and not _WILD.intersection(glob) and self.find(glob):
            return ""
        why = next((file.note for file in self.trial.files if file.path in _MARKERS and not file.kept), "")
        if why or not glob:
            return why
        closed = (file for file in self.files() if file.gap and file.size is None)
        behind = next((file for file in closed if leads_through(glob, file.path)), None)
        return f"{behind.path!r} is not at hand ({behind.gap})" if behind else ""

    def touched(self) -> tuple[OutputFile, ...]:
        """The files that the agent made, changed or deleted, as far as they are recorded."""
        return tuple(file for file in self.trial.files if file.path not in _MARKERS)

    def find(self, glob: str) -> list[LeftFile]:
        """The files that match a glob. Raises `Undecided` for a glob that leaves the folder."""
        files = {file.path: file for file in self.files()}
        return [files[path] for path in matching(glob, files)]

    def final_message(self) -> str | None:
        """What the agent said last. Raises `Undecided` where a part of it was cut out."""
        cut = self.trial.final_message_cut
        if cut:
            raise Undecided(f"the final message was so long that at least {cut:,} characters of it were cut out.")
        return self.trial.final_message

    def text(self, file: LeftFile) -> str:
        """The text of a file. Raises `Undecided` where it is too large, changed since, or not a file that can be read."""
        return decoded(self.data(file, limit=MAX_TEXT_BYTES))

    def data(self, file: LeftFile, *, limit: int) -> bytes:
        """The bytes of a file. Raises `Undecided` where there are more than `limit`, and as `text` does."""
        with self._open(file) as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise Undecided(f"the file {file.path!r} is larger than the {limit:,} bytes that are read.")
        self._require_same(file, hashlib.sha256(data).hexdigest())
        return data

    def ends(self, file: LeftFile, *, each: int) -> Ends:
        """Up to `each` bytes of the beginning and of the end, however long the file is. Raises `Undecided` as `text` does."""
        digest, head, tail, size, n_lines = hashlib.sha256(), b"", b"", 0, 0
        with self._open(file) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                room = each - len(head)
                head += chunk[:room]
                tail = (tail + chunk[room:])[-each:]
                size += len(chunk)
                n_lines += chunk.count(b"\n")
        self._require_same(file, digest.hexdigest())
        return Ends(head=head, tail=tail, size=size, n_lines=n_lines)

    def held_out_text(self, file: CaseFile) -> str:
        """The text of a file that is the author's, and that the agent never saw. Raises `Undecided` as `text` does."""
        return self.text(LeftFile(path=file.path, origin="kept", record=file))

    def put(self, file: CaseFile, folder: Path) -> None:
        """Put such a file into a copy of the end state, in place of whatever lies there. Raises `Undecided` as `data` does."""
        data = self.data(LeftFile(path=file.path, origin="kept", record=file), limit=_MAX_HELD_OUT)
        target = folder
        for part in PurePosixPath(file.path).parts:
            if target.is_symlink() or target.is_file():
                target.unlink()
            target.mkdir(exist_ok=True)
            target /= part
        if target.is_symlink():
            target.unlink()
        elif target.is_dir():
            shutil.rmtree(target)
        target.write_bytes(data)
        executable = file.source is not None and os.access(file.source, os.X_OK)
        target.chmod(0o700 if executable else 0o600)

    def patch(self) -> str:
        """The text of `diff.patch`, empty where there is none. Raises `Undecided` where it cannot be read."""
        if not os.path.lexists(self.outputs.parent / "diff.patch"):
            return ""
        with opened(self.outputs.parent, "diff.patch") as stream:
            return decoded(stream.read(MAX_TEXT_BYTES))

    def double_calls(self) -> tuple[DoubleCall, ...]:
        """What the doubles of the case were asked. Raises `Undecided` where there is no record of it."""
        if self.trial.double_calls is None:
            raise Undecided("the trial has no record of calls: its case had no doubles then, or it is a replay.")
        with opened(self.outputs.parent, DOUBLES) as stream:
            lines = stream.read().splitlines()
        try:
            return tuple(map(DoubleCall.model_validate_json, lines))
        except ValidationError as error:
            raise Undecided(f"the file {DOUBLES!r} is not as it was written.") from error

    def copy_to(self, folder: Path) -> list[str]:
        """Put a copy of the end state into an empty folder; returns the paths of files that could not be had.

        Links are made as `lay_links` does. Pipes, sockets and devices hold nothing of the result, and Python makes its caches
        anew: none of them is missed.
        """
        missing: list[str] = []
        links: dict[str, str] = {}
        for file in self.files():
            target = link_target(file.gap)
            if target is not None:
                links[file.path] = target
            elif not has_no_content(file.gap) and PurePosixPath(file.path).name != _CACHE:
                try:
                    self._copy(file, folder)
                except (Undecided, OSError):
                    missing.append(file.path)
        return sorted(missing + lay_links(folder, links))

    def _copy(self, file: LeftFile, folder: Path) -> None:
        parts = PurePosixPath(file.path).parts
        if not parts or file.path.startswith("/") or ".." in parts:
            raise Undecided(f"the file {file.path!r} does not lie in the trial's folder.")
        target = folder.joinpath(*parts)
        with self._open(file) as stream:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as copy:
                shutil.copyfileobj(stream, copy)
            executable = not isinstance(stream, io.BytesIO) and os.fstat(stream.fileno()).st_mode & 0o100
        target.chmod(0o700 if executable else 0o600)

    def _require_same(self, file: LeftFile, digest: str) -> None:
        if file.record.sha256 and not file.record.sha256.endswith(digest):
            raise Undecided(f"the file {file.path!r} has changed since the trial.")

    @contextmanager
    def _open(self, file: LeftFile) -> Generator[BinaryIO]:
        if file.gap:
            raise Undecided(f"the file {file.path!r} is not at hand: {file.gap}.")
        match file.record:
            case CaseFile(content=str(content)):
                yield io.BytesIO(content.encode())
            case CaseFile(source=str(source)):
                with opened(Path(source).parent, Path(source).name) as stream:
                    yield stream
            case record:
                with opened(self.outputs, record.path) as stream:
                    yield stream
