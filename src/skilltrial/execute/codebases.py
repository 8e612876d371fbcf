"""A copy of each codebase in the iteration, and what the cases start with."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from skilltrial.errors import StoreError
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.plan import CodeFile, Plan, codebase_digest
from skilltrial.records.suite import CaseFile


def keep_codebases(plan: Plan, iteration: int, store: Store, folders: Mapping[str, Path]) -> None:
    """Put the codebases into the iteration, from folders by digest; those that are there already stay."""
    for codebase in plan.codebases:
        place = layout.codebase_dir(iteration, codebase.digest)
        if not store.path(place).exists():
            staged = store.stage()
            shutil.copytree(folders[codebase.digest], staged, dirs_exist_ok=True)
            store.publish(staged, place)


def code_files(plan: Plan, iteration: int, store: Store) -> dict[str, tuple[CaseFile, ...]]:
    """The files of each case's codebase, by the case's id; only cases that have one.

    Raises `StoreError` where a copy is gone or is not what it was.
    """
    found: dict[str, tuple[CaseFile, ...]] = {}
    for codebase in plan.codebases:
        folder = store.path(layout.codebase_dir(iteration, codebase.digest))
        files = tuple(_files(folder))
        facts = (CodeFile(file.path, file.sha256, executable) for file, executable in files)
        if codebase_digest(facts) != codebase.digest:
            raise StoreError(
                "the copy of the codebase is not what it was, or gone.",
                where=str(folder),
                hint="Remove the folder and run again, or use --iteration new.",
            )
        found |= dict.fromkeys(codebase.case_ids, tuple(file for file, _ in files))
    return found


def folder_files(folder: Path) -> tuple[CaseFile, ...]:
    """All files of a copy of a codebase."""
    return tuple(file for file, _ in _files(folder))


def starting_files(plan: Plan, code: Mapping[str, tuple[CaseFile, ...]], case_id: str) -> tuple[CaseFile, ...]:
    """What a case starts with: its own files, and those of its codebase whose places they do not take."""
    own = plan.case(case_id).files
    taken = {file.path for file in own}
    return (*(file for file in code.get(case_id, ()) if file.path not in taken), *own)


def _files(folder: Path) -> Iterator[tuple[CaseFile, bool]]:
    for parent, _, names in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            data, mode = path.read_bytes(), path.stat().st_mode
            relative = path.relative_to(folder).as_posix()
            file = CaseFile(path=relative, source=str(path), sha256=hashlib.sha256(data).hexdigest())
            yield file, bool(mode & stat.S_IXUSR)
