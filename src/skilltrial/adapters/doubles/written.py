"""Files that a double writes for a call: inside the trial's folders, links followed nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from skilltrial.adapters.inner_file import write_inside


def write_files(files: Mapping[str, str], *, cwd: str, within: Sequence[Path]) -> None:
    """Write texts by path relative to `cwd`, which must lie in one of the folders. Raises `OSError` where that cannot be."""
    for path, text in files.items():
        root, below = _place(Path(cwd), within)
        if path.startswith("/"):
            raise OSError(f"{path!r} leads out of the folder")
        write_inside(root, PurePosixPath(below / path), text.encode("utf-8", "replace"))


def _place(cwd: Path, within: Sequence[Path]) -> tuple[Path, Path]:
    for folder in within:
        if cwd.is_relative_to(folder):
            return folder, cwd.relative_to(folder)
    raise OSError("the current folder is none of this task's")
