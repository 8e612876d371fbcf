"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from skilltrial.errors import StoreError

_NEW_FILE = 0o666


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file, or make it: written beside it, flushed to the disk, then renamed. An old file's mode is kept.

    A link is followed, so that what it points to is replaced. Raises `StoreError` where the system refuses, and for what is there
    and no regular file: a device would be replaced too.
    """
    path = Path(os.path.realpath(path))
    part: Path | None = None
    try:
        _require_file(path)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        part = Path(name)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.chmod(path.stat().st_mode & 0o7777 if path.exists() else _NEW_FILE & ~_umask())
        part.replace(path)
    except BaseException as error:
        if part is not None:
            part.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise StoreError(f"the file cannot be written: {error.strerror}.", where=str(path)) from None


def _require_file(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise StoreError("this is no regular file, and is not replaced.", where=str(path))


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
