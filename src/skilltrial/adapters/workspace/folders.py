"""Trials in fresh folders of this machine."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import stat
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from threading import Lock

import anyio
import anyio.to_thread

from skilltrial.adapters.workspace.git import Repositories
from skilltrial.adapters.workspace.harvest import FileState, Start, harvest, identity_of, start_of
from skilltrial.adapters.workspace.place import choose_base
from skilltrial.errors import SpecError
from skilltrial.ports import PlacedSkill, SkillSource, TrialFolders
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import OutputFile

_TRIAL_FOLDER = re.compile(r"task-[0-9a-f]{12}")


class FolderWorkspace:
    """Folders below the system's temporary folder, readable by nobody else; names say nothing of what goes on in them.

    Both arms get the same repository with the same single commit; skills are placed after it, in a folder that git is
    told not to see in either arm. `redact` takes secrets out of what is collected. Raises `StoreError` where the temporary
    folder lies in a home or a project.
    """

    def __init__(
        self, root: Path | None = None, *, redact: Callable[[bytes], bytes] = bytes, isolation: str = "folder"
    ) -> None:
        self._redact = redact
        self._isolation = isolation
        self._base = choose_base(root, temporary=Path(tempfile.gettempdir()), home=Path.home())
        self._starts: dict[Path, Start] = {}
        self._kinds: dict[Hashable, Start] = {}
        self._locks: dict[Hashable, Lock] = {}
        self._repositories = Repositories()

    @property
    def isolation(self) -> str:
        """`folder`: fresh folders and nothing more, the agent can read what the person can read; else the sandbox's own words."""
        return self._isolation

    @asynccontextmanager
    async def open(
        self,
        files: Sequence[CaseFile],
        skill: SkillSource | None,
        *,
        skill_root: str,
        beside: Sequence[SkillSource] = (),
        code: Sequence[CaseFile] = (),
        announce: Callable[[Path], None] = lambda _root: None,
    ) -> AsyncGenerator[TrialFolders]:
        """Make the folders of one trial, and remove them on leaving; `announce` hears of their root before, in a thread.

        The files of `code`, a codebase, come first; `files` may take the places of some.

        Raises `SpecError` for a file that is not what it was when the plan was made, or that cannot be placed.
        """
        root = self._base / f"task-{secrets.token_hex(6)}"
        try:
            make = partial(self._make, root, (code, files), skill, beside, skill_root=skill_root, announce=announce)
            yield await anyio.to_thread.run_sync(make)
        finally:
            self._starts.pop(root, None)
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(_remove, root)

    async def collect(self, folders: TrialFolders, into: Path) -> tuple[OutputFile, ...]:
        """Copy what changed since `open` to `into/outputs/`, and write `into/diff.patch`."""
        return await anyio.to_thread.run_sync(harvest, self._starts[folders.root], into, self._redact)

    async def discard(self, root: Path) -> None:
        """Remove the folders of a trial whose `open` was killed, given its `root`; any other folder is left alone."""
        if root.is_absolute() and _TRIAL_FOLDER.fullmatch(root.name):
            await anyio.to_thread.run_sync(_remove, root)

    def _make(
        self,
        root: Path,
        files: tuple[Sequence[CaseFile], Sequence[CaseFile]],
        skill: SkillSource | None,
        beside: Sequence[SkillSource],
        *,
        skill_root: str,
        announce: Callable[[Path], None],
    ) -> TrialFolders:
        announce(root)
        work, home, tmp = root / "work", root / "home", root / "tmp"
        for folder in (root, work, home, tmp):
            folder.mkdir(mode=0o700)
        start = self._fill(work, *files, exclude=PurePosixPath(skill_root).parts[0])
        placed = _place(skill, work / skill_root) if skill else None
        others = [_place(other, work / skill_root) for other in beside]
        folders = {one.folder.relative_to(work).as_posix() for one in (placed, *others) if one}
        self._starts[root] = replace(start, skip=start.skip | folders)
        return TrialFolders(root=root, work=work, home=home, tmp=tmp, skill=placed)

    def _fill(self, work: Path, code: Sequence[CaseFile], files: Sequence[CaseFile], *, exclude: str) -> Start:
        """Make `work` a repository with these files. Many trials share a codebase, so that what is remembered is that alone."""
        base, more = (code, files) if code else (files, ())
        kind = (exclude, tuple((file.path, file.sha256 if file.content is None else file.content) for file in base))
        with self._locks.setdefault(kind, Lock()):  # the first is made once, whoever waits for it
            known = self._kinds.get(kind)
            if known is None:
                self._make_base(work, base, kind, exclude=exclude)
                known = self._kinds[kind] = start_of(work, base, frozenset([".git"]))
        if not (work / ".git").exists() and not self._repositories.restore(work, kind):
            self._make_base(work, base, kind, exclude=exclude)
        states = {file.path: _write(file, work) for file in more}
        if more:
            self._repositories.amend(work)
        return replace(
            known,
            work=work,
            identity=identity_of(work),
            files=(*code, *files),
            states={**known.states, **states} if states else known.states,
        )

    def _make_base(self, work: Path, base: Sequence[CaseFile], kind: Hashable, *, exclude: str) -> None:
        for file in base:
            _write(file, work)
        self._repositories.make(work, exclude=exclude, kind=kind)


def _write(file: CaseFile, work: Path) -> FileState:
    """Place a file."""
    target = _inside(work, file.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.content is not None:
        data, executable = file.content.encode(), False
    else:
        data, executable = _read(Path(file.source or ""))
    digest = hashlib.sha256(data).hexdigest()
    if file.content is None and digest != file.sha256:
        hint = "Run again: a changed file makes a new iteration."
        raise SpecError("the file is not what it was when the plan was made.", where=str(file.source), hint=hint)
    target.write_bytes(data)
    target.chmod(0o755 if executable else 0o644)
    return FileState(len(data), digest)


def _place(skill: SkillSource, root: Path) -> PlacedSkill:
    source = Path(os.path.realpath(skill.folder))
    folder = root / _folder_name(skill)
    if os.path.lexists(folder):
        message = f"a file of the case, or another skill, is where the skill {skill.name!r} has to be."
        raise SpecError(message, where=str(skill.folder), hint="Put it elsewhere.")
    folder.mkdir(parents=True)
    for path in skill.files:
        target = _inside(folder, path)
        real = Path(os.path.realpath(source / path))
        if not real.is_relative_to(source):
            raise SpecError(
                f"{path!r} is a link that leaves the skill.", where=str(skill.folder), hint="Copy the file."
            )
        data, executable = _read(real)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(0o755 if executable else 0o644)
    return PlacedSkill(name=skill.name, description=skill.description, folder=folder)


def _folder_name(skill: SkillSource) -> str:
    """The skill's own name where it can name a folder, else its folder's."""
    if PurePosixPath(skill.name).parts == (skill.name,) and skill.name not in {".", ".."} and "\0" not in skill.name:
        return skill.name
    return skill.folder.name


def _inside(folder: Path, path: str) -> Path:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or ".git" in parts:
        raise SpecError(f"{path!r} is no path inside a trial's folder.", hint="Use a relative path without '..'.")
    return folder.joinpath(*parts)


def _read(path: Path) -> tuple[bytes, bool]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise SpecError("it is no regular file.", where=str(path))
        return file.read(), bool(mode & stat.S_IXUSR)


def _remove(root: Path) -> None:
    """Whatever the agent did to it: read-only or endlessly deep folders, a link in its place."""
    if root.is_symlink():
        root.unlink()
        return
    if not root.exists():
        return
    try:
        shutil.rmtree(root)
    except (OSError, RecursionError):
        for argv in (["chmod", "-R", "u+rwX", str(root)], ["rm", "-rf", "--", str(root)]):
            subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)
