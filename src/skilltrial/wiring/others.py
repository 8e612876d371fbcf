"""Other tools' workspaces: read them, write them."""
# ruff: noqa: PLC0415 - a command that only reads files does not load model clients

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial import plugins

if TYPE_CHECKING:
    from skilltrial.ports import Exporter, ExportFile
    from skilltrial.records.foreign import ForeignWorkspace
    from skilltrial.records.trial import OutputFile


def read_foreign(path: Path, *, treatment: str | None = None, baseline: str | None = None) -> ForeignWorkspace:
    """Somebody else's workspace as it is; the names are the person's words on which arm is which.

    Raises `SpecError` where nothing is found or no arm is called so, and `StoreError` where it cannot be read.
    """
    from skilltrial.adapters.interchange import reader

    return reader.read(path, treatment=treatment, baseline=baseline)


def exporter(name: str) -> Exporter:
    """The exporter of this name; `SpecError` for an unknown one."""
    return plugins.load(plugins.EXPORTERS, name)()


def copy_outputs(source: Path, into: Path, *, skip: frozenset[str] = frozenset()) -> tuple[OutputFile, ...]:
    """Copy somebody else's output files below `into`; see `adapters.interchange.copies`."""
    from skilltrial.adapters.interchange import copies

    return copies.copy_outputs(source, into, skip=skip)


def copy_file(source: Path, into: Path) -> bool:
    """Copy one regular file that somebody else wrote, following no link; whether that was possible."""
    from skilltrial.adapters.interchange import copies

    return copies.copy_file(source, into)


def write_export(folder: Path, files: Iterable[ExportFile]) -> None:
    """All files of an export below a new or empty folder, or none; raises `StoreError`."""
    from skilltrial.adapters.interchange import export_tree

    export_tree.write_export(folder, files)


def is_unfinished_export(path: Path) -> bool:
    """Whether a folder is what a killed export left."""
    from skilltrial.adapters.interchange import export_tree

    return path.match(export_tree.UNFINISHED)
