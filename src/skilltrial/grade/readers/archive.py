"""Archives: the names of what is in them. Nothing is unpacked."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from skilltrial.grade.readers.refusal import MAX_UNPACKED, Broken

_MAX_NAMES = 100


def read_archive(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """`names` of the first files (100, or `most`), with their sizes in bytes; `more`: there are others, or may be."""
    most = asked.get("most", _MAX_NAMES)
    if path.stat().st_size == 0:
        raise Broken("is empty")
    names = _zip_names(path) if zipfile.is_zipfile(path) else _tar_names(path)
    try:
        found = list(islice(names, most + 1))
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, ValueError) as error:
        raise Broken(f"is no archive that can be opened ({str(error)[:200]})") from error
    named = [each for each in found[:most] if each is not None]
    return {"names": named, "more": len(named) < len(found)}


def _zip_names(path: Path) -> Iterator[list[Any] | None]:
    with zipfile.ZipFile(path) as archive:
        for part in archive.infolist():
            yield [part.filename, part.file_size]


def _tar_names(path: Path) -> Iterator[list[Any] | None]:
    """In one pass: the next name lies behind all of a file. None, at the end, where what follows is too far away."""
    n_bytes = 0
    with tarfile.open(path, mode="r|*") as archive:
        for part in archive:
            yield [part.name, part.size]
            n_bytes += part.size
            if n_bytes > MAX_UNPACKED:
                yield None
                return
