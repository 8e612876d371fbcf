"""A copy of each arm's skill in the iteration, so that edits during a run do not reach half of its trials."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from skilltrial.errors import SpecError, StoreError
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.skill import Skill


def snapshot(skill: Skill, arm: str, iteration: int, store: Store) -> Skill:
    """The same skill, with its folder in the workspace; made once, then used by every trial of the arm.

    Raises `SpecError` for a file that is not what it was when the skill was read: its fingerprint would be another.
    """
    return _kept(skill, f"{layout.iteration_dir(iteration)}/skills/{layout.slug(arm)}", store)


def snapshot_beside(skills: Sequence[Skill], arm: str, iteration: int, store: Store) -> tuple[Skill, ...]:
    """The same for the skills that lie beside the one of an arm."""
    place = f"{layout.iteration_dir(iteration)}/beside/{layout.slug(arm)}"
    return tuple(_kept(skill, f"{place}/{layout.slug(skill.name)}", store) for skill in skills)


def _kept(skill: Skill, place: str, store: Store) -> Skill:
    if not store.path(place).exists():
        staged = store.stage()
        for file in skill.files:
            _copy(Path(skill.folder, file.path), staged / file.path, sha256=file.sha256)
        store.publish(staged, place)
    return skill.model_copy(update={"folder": str(store.path(place))})


def _copy(source: Path, target: Path, *, sha256: str) -> None:
    try:
        data, mode = source.read_bytes(), source.stat().st_mode
    except OSError as error:
        raise SpecError(
            f"the file cannot be read ({error.strerror}).", where=str(source), hint="Did it just change?"
        ) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        hint = "Run again: a changed skill makes a new iteration."
        raise SpecError("the file is not what it was when the skill was read.", where=str(source), hint=hint)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(mode & 0o777 | 0o600)
    except OSError as error:
        raise StoreError(f"the skill cannot be copied ({error.strerror}).", where=str(target)) from error
