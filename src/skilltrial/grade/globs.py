"""Globs over what a trial left; `spec.globs` says how they are written. A path that is equal to the glob always matches."""

from __future__ import annotations

from collections.abc import Iterable

from skilltrial.grade.decision import Undecided
from skilltrial.grade.patterns import search
from skilltrial.spec.globs import glob_pattern


def matching(glob: str, paths: Iterable[str]) -> list[str]:
    """The paths that match, in their order. Raises `Undecided` for a glob that leaves the trial's folder."""
    wanted = _relative(glob)
    pattern = glob_pattern(wanted)
    return [path for path in paths if path == wanted or search(pattern, path) is not None]


def leads_through(glob: str, path: str) -> bool:
    """Whether the glob asks for something below `path`, as one folder after the other; `**` asks for no certain one."""
    asked, parts = _relative(glob).split("/"), path.split("/")
    return len(asked) > len(parts) and all(
        part == wanted or (wanted != "**" and search(glob_pattern(wanted), part) is not None)
        for wanted, part in zip(asked, parts, strict=False)
    )


def _relative(glob: str) -> str:
    parts = [part for part in glob.split("/") if part != "."]
    if not glob or glob.startswith(("/", "~")) or ".." in parts or not any(parts):
        raise Undecided(f"the path {glob!r} does not lie in the trial's folder; give one relative to it.")
    return "/".join(parts)
