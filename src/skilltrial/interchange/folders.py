"""Folders that a person gave to be written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from skilltrial.errors import SpecError


def is_free(folder: Path, *, but: Callable[[Path], bool]) -> bool:
    """Whether there is nothing yet, `but` aside. Raises `SpecError` for what cannot be a folder."""
    try:
        return not folder.exists() or all(but(path) for path in folder.iterdir())
    except OSError as error:
        raise SpecError(f"cannot be used as a folder ({error.strerror}).", where=str(folder)) from error


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a path lies in a folder, or is it, once links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
