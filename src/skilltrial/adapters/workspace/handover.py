"""Work folders that stay where they are until somebody else has run the trials in them."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.adapters.workspace.harvest import FileState, Start, harvest, start_of
from skilltrial.adapters.workspace.place import choose_base
from skilltrial.adapters.workspace.tree import open_folder, walk
from skilltrial.errors import SpecError, StoreError
from skilltrial.ports import SkillSource
from skilltrial.records.handover import FINAL, STREAM, TIMING, WORK, StartFile, Ticket
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import OutputFile, TrialKey

_LASTING = Path("/var/tmp")  # noqa: S108 - what lies there outlives a restart; the folder's name is random
_MAX_READ = 64 << 20
_HASHED = 20_000_000
"""Larger files, which are never kept, are known again by their size."""


class HandoverFolder:
    """One folder below which every trial has its own. `redact` takes secrets out of all that is collected."""

    def __init__(self, root: Path, *, redact: Callable[[bytes], bytes]) -> None:
        self._root = root
        self._redact = redact

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    async def place(
        self,
        token: str,
        key: TrialKey,
        *,
        files: Sequence[CaseFile],
        skill: SkillSource | None,
        skill_root: str,
        code: Sequence[CaseFile] = (),
    ) -> Ticket:
        """Make the work folder of a trial, as a run would; raises `SpecError` for files that cannot be placed."""
        target = self._root / token
        target.mkdir(mode=0o700)
        workspace = FolderWorkspace(self._root)
        async with workspace.open(files, skill, skill_root=skill_root, code=code) as folders:
            placed = folders.skill.folder.relative_to(folders.work) if folders.skill else None
            work = folders.work.rename(target / WORK)
        skip = (".git", placed.as_posix()) if placed else (".git",)
        states = start_of(work, files, frozenset(skip)).states
        return Ticket(
            id=token,
            key=key,
            skill=placed.name if placed else None,
            start={path: StartFile(size=state.size, sha256=state.sha256) for path, state in states.items()},
            skip=skip,
        )

    def write(self, name: str, text: str) -> None:
        """A file of ours below the folder."""
        (self._root / name).write_text(text, encoding="utf-8", errors="replace", newline="")

    def read(self, name: str) -> str | None:
        """The text of a file that came back; None where there is none.

        Raises `SpecError` for links, devices and files of more than 64 MB.
        """
        path = self._root / name
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            if not path.parent.resolve().is_relative_to(self._root.resolve()):
                raise SpecError("its folder is a link that leads elsewhere.", where=str(path))
            handle = os.open(path, flags)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SpecError(f"it is a link, or cannot be read ({error.strerror}).", where=str(path)) from None
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise SpecError("it is no regular file.", where=str(path))
            if status.st_size > _MAX_READ:
                raise SpecError(f"it is larger than {_MAX_READ >> 20} MB.", where=str(path))
            return self._redact(file.read(_MAX_READ)).decode("utf-8", "replace")

    def fingerprint(self, token: str) -> str:
        """Of all that came back for a trial: the work folder and the files beside it. Raises `OSError` where it is gone."""
        digest = hashlib.sha256()
        for name in (FINAL, STREAM, TIMING):
            digest.update(f"{name}\0{self.read(f'{token}/{name}')!r}\0".encode("utf-8", "backslashreplace"))
        folder = open_folder(self._root / token / WORK)
        try:
            for entry in walk(folder, skip=frozenset({".git"})):
                hashed = entry.trap or (entry.sha256() if entry.size <= _HASHED else "")
                digest.update(f"{entry.path}\0{entry.size}\0{hashed}\0".encode("utf-8", "backslashreplace"))
        finally:
            os.close(folder)
        return f"sha256:{digest.hexdigest()}"

    def collect(self, ticket: Ticket, files: Sequence[CaseFile], into: Path) -> tuple[OutputFile, ...]:
        """Copy what changed since `place` to `into/outputs/`, and write `into/diff.patch`."""
        work = self._root / ticket.id / WORK
        status = work.lstat()
        start = Start(
            work=work,
            identity=(status.st_dev, status.st_ino),
            files=files,
            states={path: FileState(state.size, state.sha256) for path, state in ticket.start.items()},
            skip=frozenset(ticket.skip),
        )
        return harvest(start, into, self._redact)


def make_root(wanted: Path | None, *, name: str) -> Path:
    """A new folder for trials, outside home and projects. Raises `SpecError` for one that was asked for and cannot be used."""
    if wanted is None:
        base = choose_base(
            None, temporary=_LASTING if _LASTING.is_dir() else Path(tempfile.gettempdir()), home=Path.home()
        )
        root = base / name
    else:
        root = wanted.absolute()
    try:
        root.mkdir(parents=True, mode=0o700, exist_ok=wanted is not None)
        is_empty = not any(root.iterdir())
    except OSError as error:
        raise StoreError(f"cannot be made ({error.strerror}).", where=str(root)) from error
    if not is_empty:
        raise SpecError("this folder is not empty.", where=str(root), hint="Give --out a new one.")
    try:
        choose_base(root, temporary=root, home=Path.home())
    except StoreError as error:
        root.rmdir()
        hint = "Give --out a folder outside your home and outside any project."
        raise SpecError(error.message, hint=hint) from error
    return root
