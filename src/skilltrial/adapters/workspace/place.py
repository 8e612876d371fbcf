"""Where trials may live: outside home and any project, so that agents find nothing of the person's above them."""

from __future__ import annotations

import os
from pathlib import Path

from skilltrial.errors import StoreError

_SIGNS = (".claude", "CLAUDE.md", "CLAUDE.local.md", ".agents", "AGENTS.md", "GEMINI.md", "QWEN.md", ".git")
"""What agents look for in the folders above theirs."""
_ALTERNATIVES = (Path("/var/tmp"), Path("/tmp"))  # noqa: S108 - folders with random names are made in them


def choose_base(root: Path | None, *, temporary: Path, home: Path) -> Path:
    """The folder in which trials get their folders: `root` where given, else a temporary folder that fits.

    Raises `StoreError` where none does.
    """
    candidates = [root] if root else list(dict.fromkeys([temporary, *_ALTERNATIVES]))
    problems: list[str] = []
    for candidate in candidates:
        base = Path(os.path.realpath(candidate))
        problem = _why_not(base, Path(os.path.realpath(home)))
        if problem is None:
            return base
        problems.append(problem)
    raise StoreError(
        f"there is no place for the trials' folders: {'; '.join(problems)}.",
        hint="Set TMPDIR to a folder outside your home and outside any project.",
    )


def _why_not(base: Path, home: Path) -> str | None:
    if not base.is_dir():
        return f"{str(base)!r} is no folder"
    if not os.access(base, os.W_OK | os.X_OK):
        return f"{str(base)!r} cannot be written to"
    if home != Path(home.anchor) and base.is_relative_to(home):
        return f"{str(base)!r} lies in the home folder, where agents find the person's own set-up"
    for folder in (base, *base.parents):
        for sign in _SIGNS:
            if os.path.lexists(folder / sign):
                return f"{str(base)!r} has {str(folder / sign)!r} above it, which agents would read"
    return None
