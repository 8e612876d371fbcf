"""A copy of our skill in a folder of skills: whole or not at all, and never over somebody's changes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, cast

from skilltrial.errors import SpecError, StoreError
from skilltrial.own_skill.place import NAME
from skilltrial.spec.skill import load_skill

MARKER = ".skilltrial"
"""What was installed, so that a changed copy is told from an old one; no file of the skill for its readers."""

Action = Literal["installed", "updated", "replaced", "up-to-date"]


class Installed(NamedTuple):
    """What was done, or would be."""

    folder: Path
    """The skill's own."""
    action: Action
    files: tuple[str, ...]
    """Paths in it, sorted."""


def install(source: Path, base: Path, below: str, *, force: bool, dry_run: bool) -> Installed:
    """Copy the skill `source` into `base / below / skilltrial`; `evals/` stays behind.

    A copy that is as it was installed is updated; a changed one stays unless `force`. Raises `SpecError` for that, and for links
    below `base`, which are not followed; `StoreError` where the disk refuses.
    """
    root = base / below
    target = root / NAME
    _refuse_links(base, target)
    new = {file.path: (source / file.path).read_bytes() for file in load_skill(source).files}
    digests = {path: _digest(data) for path, data in new.items()}
    try:
        action = _action(target, digests, force=force)
        if action != "up-to-date" and not dry_run:
            root.mkdir(parents=True, exist_ok=True)
            _put(target, new, digests)
    except OSError as error:
        raise StoreError(f"the skill cannot be written: {error.strerror}.", where=str(target)) from None
    return Installed(target, action, tuple(sorted(new)))


def _refuse_links(base: Path, target: Path) -> None:
    steps = [step for step in (target, *target.parents) if step != base and step.is_relative_to(base)]
    link = next((step for step in steps if step.is_symlink()), None)
    if link is not None:
        hint = "Links are not followed: name the folder of skills behind it with --to."
        raise SpecError("this is a link, and nothing was written.", where=str(link), hint=hint, code="link")


def _action(target: Path, wanted: Mapping[str, str], *, force: bool) -> Action:
    if not os.path.lexists(target):
        return "installed"
    if not target.is_dir():
        raise SpecError("this is no folder, and stays.", where=str(target), hint="Remove it.", code="file-exists")
    there = _files(target)
    if there == wanted:
        return "up-to-date"
    if force:
        return "replaced"
    before = _marked(target)
    if there == before:
        return "updated"
    what = "it is no copy of this command's" if before is None else f"changed there: {_changes(before, there)}"
    hint = "--force replaces the whole folder."
    raise SpecError(f"the skill that is there stays: {what}.", where=str(target), hint=hint, code="skill-changed")


def _changes(before: Mapping[str, str], there: Mapping[str, str]) -> str:
    changed = sorted(path for path in before.keys() | there.keys() if before.get(path) != there.get(path))
    shown = ", ".join(repr(path) for path in changed[:3])
    return shown if len(changed) <= 3 else f"{shown} and {len(changed) - 3} more"  # noqa: PLR2004 - as above


def _files(folder: Path) -> dict[str, str]:
    """The digest of every file but the marker; what is no file has none that could be right."""
    found: dict[str, str] = {}
    for at, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(at) / name).is_symlink()]
        for path in (Path(at) / name for name in (*names, *links)):
            plain = path.is_file() and not path.is_symlink()
            found[path.relative_to(folder).as_posix()] = _digest(path.read_bytes()) if plain else "no file"
    found.pop(MARKER, None)
    return found


def _marked(folder: Path) -> dict[str, str] | None:
    """The digests of what was installed; None where nobody knows."""
    try:
        read = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    files = cast("dict[str, object]", read).get("files") if isinstance(read, dict) else None
    return cast("dict[str, str]", files) if isinstance(files, dict) else None


def _put(target: Path, new: Mapping[str, bytes], digests: Mapping[str, str]) -> None:
    """Write beside the target, then rename; what was there comes back where that fails."""
    staging = Path(tempfile.mkdtemp(prefix=f".{NAME}-", suffix=".part", dir=target.parent))
    fresh, old = staging / "new", staging / "old"
    try:
        fresh.mkdir()
        marker = json.dumps({"schema_version": 1, "files": dict(digests)}, indent=2, sort_keys=True) + "\n"
        for path, data in {**new, MARKER: marker.encode()}.items():
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            with (fresh / path).open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        if target.exists():
            target.rename(old)
        try:
            fresh.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
