"""A folder of skills: which ones are in it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from skilltrial.errors import SpecError
from skilltrial.spec.skill import SKILL_FILE

_DEPTH = 8
_MOST = 20_000
_SKIPPED = re.compile(r"\.(git|hg|svn|skilltrial|venv|cache)|node_modules|__pycache__|.*-workspace|iteration-\d+|cells")


def is_folder_of_skills(path: Path) -> bool:
    """Whether the path names no skill, but a folder that has some. Raises `SpecError` for one of far too many folders."""
    if not path.is_dir() or any(item.name.lower() == SKILL_FILE.lower() for item in path.iterdir()):
        return False
    return bool(find_skills(path))


def find_skills(folder: Path) -> tuple[Path, ...]:
    """The folders with a SKILL.md below this one, sorted by path, at most 8 levels down; a skill's own folder is not searched.

    Workspaces and version control are left out. Of a folder and links to it only one counts.
    """
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - `..` goes away while links stay, which resolve() would follow
    found: list[Path] = []
    n_seen = 0
    for root, names, files in os.walk(folder):
        n_seen += 1
        if n_seen > _MOST:
            raise SpecError(
                f"there are more than {_MOST:,} folders below this one.",
                where=str(folder),
                hint="Give the folder of a skill, or one that holds little else than skills.",
            )
        here = Path(root)
        if SKILL_FILE in files and here != folder:
            found.append(here)
            names.clear()
            continue
        deep = len(here.relative_to(folder).parts) >= _DEPTH
        names[:] = [] if deep else sorted(name for name in names if not _SKIPPED.fullmatch(name))
        # Links are not followed, but may be skills themselves.
        found += [here / name for name in names if (here / name).is_symlink() and (here / name / SKILL_FILE).is_file()]
    own = {os.path.realpath(path): path for path in sorted(found, key=lambda path: (not path.is_symlink(), path))}
    return tuple(sorted(own.values()))
