"""A temporary folder of our own, which the next start removes where a kill left it: it holds what agents may not find."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

_NAME = re.compile(r"scratch-[0-9a-f]{12}")
_LOCK = ".lock"
_YOUNG_S = 5.0
"""A folder may be made and not locked yet."""


class Scratch:
    """A fresh, empty `folder` until `remove`; what killed programs left of such is removed first."""

    def __init__(self, base: Path | None = None) -> None:
        base = base or Path(tempfile.gettempdir())
        _sweep(base)
        self._root = base / f"scratch-{secrets.token_hex(6)}"
        self.folder = self._root / "files"
        self.folder.mkdir(parents=True, mode=0o700)
        self._lock = FileLock(self._root / _LOCK)
        self._lock.acquire(blocking=False)

    def remove(self) -> None:
        """Remove it with all that it holds; may be called twice."""
        shutil.rmtree(self._root, ignore_errors=True)
        self._lock.release()


def _sweep(base: Path) -> None:
    for root in base.glob("scratch-*"):
        with suppress(OSError, Timeout):
            status = root.lstat()
            if not _NAME.fullmatch(root.name) or root.is_symlink() or time.time() - status.st_mtime < _YOUNG_S:
                continue
            # Whoever made it and lives holds the lock; a kill gives it back.
            with FileLock(root / _LOCK, blocking=False):
                shutil.rmtree(root, ignore_errors=True)
