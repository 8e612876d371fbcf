"""Opening any workspace: ours as it is, another tool's through the importers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.review.earlier import WithEarlier
from skilltrial.review.optimisations import SEARCHES
from skilltrial.review.subject import Subject

if TYPE_CHECKING:
    from skilltrial.interchange.incoming import Imported

_MOST = 8


class _Opened(NamedTuple):
    folder: Path
    """A workspace of ours, perhaps one that is removed again."""
    imported: Imported | None = None


@contextmanager
def opened(
    path: Path,
    *,
    by: str,
    now: Callable[[], datetime],
    previous: Path | None = None,
    blind: bool = False,
) -> Generator[Subject]:
    """What is at this path, to be looked at; another tool's files are copied, and the copy is removed at the end.

    What people say of another tool's workspace goes into that one. Raises `SpecError` for what is no workspace, and for folders
    of several, which it names.
    """
    with ExitStack() as stack:
        found = _open(path, stack)
        before = _open(previous, stack).folder if previous else None
        own = wiring.open_store(found.folder, write=False)
        store = WithEarlier(own, wiring.open_store(before, write=False)) if before else own
        journal, writable = own, found.folder
        if found.imported:
            writable = _top(found.imported)
            journal = wiring.open_store(writable, write=False)
        yield Subject(
            store=store,
            journal=journal,
            name=str(path),
            by=by,
            now=now,
            foreign=found.imported.foreign.family if found.imported else None,
            notices=_notices(found.imported) if found.imported else (),
            places={each.number: each.place for each in found.imported.iterations} if found.imported else {},
            previous=str(previous) if previous else None,
            blind=blind,
            read_only=not os.access(writable, os.W_OK),
        )


def _open(path: Path, stack: ExitStack) -> _Opened:
    if path.is_file():
        raise SpecError("this is a file.", where=str(path), hint=f"Give the folder of the workspace: {path.parent}")
    store = wiring.open_store(path, write=False)
    if iterations(store):
        return _Opened(path)
    if folder := _of_triggers(path, store):
        return _Opened(folder)
    from skilltrial.interchange.incoming import ImportRequest, import_workspace  # noqa: PLC0415 - numpy, for others' only

    _refuse_parts(path, store)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="skilltrial-", ignore_cleanup_errors=True))
    target = Path(folder, "workspace")
    return _Opened(target, import_workspace(ImportRequest(path=path, to=target, durable=False)))


def _of_triggers(path: Path, store: Store) -> Path | None:
    """The newest search for a description, or the trigger trials, where nothing else was ever run."""
    searches = sorted(store.find(SEARCHES), key=lambda place: (len(place), place), reverse=True)
    folders = [path / Path(place).parent for place in searches] + [path / layout.TRIGGERS]
    return next((each for each in folders if each.is_dir() and iterations(wiring.open_store(each, write=False))), None)


def _refuse_parts(path: Path, store: Store) -> None:
    """Folders around and inside of workspaces of ours, which nobody else made."""
    if (path / layout.PLAN).is_file():
        hint = f"Open the workspace, and choose the iteration there: {path.absolute().parent}"
        raise SpecError("this is one iteration of a workspace.", where=str(path), hint=hint)
    from skilltrial.operations.matrix import read_matrix  # noqa: PLC0415 - no workspace of ours waits for all stages
    from skilltrial.operations.portfolio import read_portfolio  # noqa: PLC0415

    parts: list[str] = []
    if matrix := read_matrix(store):
        parts = [cell.workspace for cell in matrix.cells]
    elif portfolio := read_portfolio(store):
        parts = [row.run.workspace for row in portfolio.rows if row.run]
    if parts:
        more = f", and {len(parts) - _MOST} more" if len(parts) > _MOST else ""
        hint = f"Open one of them: {', '.join(parts[:_MOST])}{more}."
        raise SpecError("there are several workspaces in here.", where=str(path), hint=hint)


def _top(imported: Imported) -> Path:
    root = Path(imported.foreign.root)
    return root if root.is_dir() else root.parent


def _notices(imported: Imported) -> tuple[str, ...]:
    """What an import says of itself, for a person who did not ask for one."""
    found = [notice for each in imported.iterations for notice in each.benchmark.notices]
    n_repairs = sum(each.n_repairs for each in imported.iterations)
    if n_repairs:
        found.append(f"{n_repairs:,} values were put right while reading; `skilltrial audit` lists them.")
    left = [*(f"{each.place}: {each.reason}" for each in imported.foreign.refused), *imported.foreign.stray]
    if left:
        more = f", and {len(left) - _MOST:,} more" if len(left) > _MOST else ""
        found.append(f"Not read ({len(left):,}): {'; '.join(left[:_MOST])}{more}.")
    return tuple(dict.fromkeys(found))
