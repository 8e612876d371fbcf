"""A folder of somebody's repository as it was at a commit. Reads objects only: no checkout, no hook, no filter, no index."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from skilltrial.adapters.workspace.repository import LFS_POINTER, NOTHING, Repository
from skilltrial.errors import PlanError, StoreError

_TIMEOUT_S = 120.0
_LINK = "120000"
_SUBMODULE = "160000"
_MOST_BYTES = 512 * 1024 * 1024
"""Of all files together: more is no skill, and would fill the memory or the disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What was read."""

    commit: str
    path: str
    """The folder inside the repository; empty for its root."""
    folder: Path
    """Where the copy lies."""


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    blob: str
    size: int
    path: str


def read_revision(
    folder: Path, ref: str, *, path: str | None, into: Path, skips: Callable[[str], bool], env: Mapping[str, str]
) -> Revision:
    """Write the files that `folder` (or `path` from the repository's root) had at `ref` into a new folder below `into`.

    Files for which `skips` is true are left out. The content is as git keeps it: line ends are not converted. Raises
    `PlanError` where there is no repository, no such ref, no skill at that ref, or content that the repository does not hold.
    """
    install = "Install git, or give a folder: --baseline PATH."
    git = Repository(folder, env, protocols=NOTHING, timeout_s=_TIMEOUT_S, hint=install)
    prefix = git.ask("rev-parse", "--show-prefix")
    if prefix is None:
        raise PlanError(
            f"its repository cannot be read: git says {git.said!r}.",
            where=str(folder),
            hint="--baseline git:REF is for a skill that is kept in git; give a folder otherwise: --baseline PATH.",
        )
    commit = (
        None if ref.startswith("-") or "\0" in ref else git.ask("rev-parse", "--verify", "--quiet", ref + "^{commit}")
    )
    if not commit:
        raise PlanError(
            f"there is no commit, tag or branch {ref!r} in the skill's repository.",
            where=str(folder),
            hint="`git tag` and `git branch --all` show what there is; a shallow clone may lack it.",
        )
    place = (prefix if path is None else path).strip("/")
    entries = [entry for entry in _entries(git, commit, place, ref) if not skips(entry.path)]
    _refuse_huge(entries, place)
    name = PurePosixPath(place).name or Path(git.ask("rev-parse", "--show-toplevel") or folder).name
    copy = into / name
    with git.batch() as batch:
        # Links last: no file is written through one.
        for entry in sorted(entries, key=lambda entry: entry.mode == _LINK):
            _write(copy, entry, _content(batch, entry, place), place)
    return Revision(commit=commit, path=place, folder=copy)


def _entries(git: Repository, commit: str, place: str, ref: str) -> list[_Entry]:
    listing = git.run("ls-tree", "-r", "-l", "-z", "--full-tree", f"{commit}:{place}")
    entries = [] if listing is None else list(_parsed(listing))
    if "SKILL.md" not in {entry.path for entry in entries}:
        raise PlanError(
            f"there was no skill at {ref!r} ({commit[:12]}) in {place or 'the root of its repository'!r}.",
            hint="If it had another place then, name that, from the repository's root: git:REF:PATH.",
        )
    return entries


def _parsed(listing: bytes) -> Iterator[_Entry]:
    for line in listing.split(b"\0"):
        facts, _, path = line.partition(b"\t")
        if path:
            mode, _, blob, size = facts.decode().split()
            yield _Entry(mode, blob, int(size) if size.isdigit() else 0, os.fsdecode(path))


def _refuse_huge(entries: list[_Entry], place: str) -> None:
    total = sum(entry.size for entry in entries)
    if total > _MOST_BYTES:
        largest = max(entries, key=lambda entry: entry.size)
        where = f"{place}/{largest.path}".lstrip("/")
        raise PlanError(
            f"the old version has {total / 1e6:,.0f} MB, more than {_MOST_BYTES / 1e6:,.0f} MB; the largest file is {where!r}.",
            hint="Check it out into a folder of its own (`git worktree add`) and give --baseline PATH.",
        )


def _content(batch: subprocess.Popen[bytes], entry: _Entry, place: str) -> bytes:
    where = f"{place}/{entry.path}".lstrip("/")
    hint = "Check the old version out into a folder of its own (`git worktree add`) and give --baseline PATH."
    if entry.mode == _SUBMODULE:
        raise PlanError(f"{where!r} is a submodule, whose files are not in this repository.", hint=hint)
    data = _blob(_open(batch.stdin), _open(batch.stdout), entry.blob)
    if data is None:
        raise PlanError(f"the content of {where!r} is not in this repository.", hint=hint)
    if data.startswith(LFS_POINTER):
        raise PlanError(f"{where!r} is kept in Git LFS, not in the repository itself.", hint=hint)
    return data


def _blob(question: IO[bytes], answer: IO[bytes], blob: str) -> bytes | None:
    try:
        question.write(f"{blob}\n".encode())
        question.flush()
    except BrokenPipeError:
        return None
    head = answer.readline().split()
    if len(head) != 3 or head[1] != b"blob":  # noqa: PLR2004 - name, type, size
        return None
    size = int(head[2])
    data = answer.read(size)
    answer.read(1)
    return data if len(data) == size else None


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:  # never: both were asked for
        raise PlanError("git cannot be talked to.")
    return pipe


def _write(copy: Path, entry: _Entry, data: bytes, place: str) -> None:
    parts = entry.path.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        raise PlanError(f"the path {entry.path!r} in {place!r} would leave the skill's folder.")
    target = copy.joinpath(*parts)
    try:
        if not target.parent.resolve().is_relative_to(copy.resolve()):
            raise PlanError(f"the path {entry.path!r} in {place!r} would leave the skill's folder through a link.")
        target.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode == _LINK:
            target.symlink_to(os.fsdecode(data))
            return
        target.write_bytes(data)
        target.chmod(0o755 if entry.mode == "100755" else 0o644)
    except (OSError, ValueError, RuntimeError) as error:  # the latter for links in a circle, before Python 3.13
        raise StoreError(f"the file of the old version cannot be written ({error}).", where=str(target)) from error
