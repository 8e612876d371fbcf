"""A copy of each arm's skill in the iteration, so that edits during a run do not reach half of its trials."""

from __future__ import annotations

import shutil
from pathlib import Path

from skilltrial.errors import SpecError
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.skill import Skill


def snapshot(skill: Skill, arm: str, iteration: int, store: Store) -> Skill:
    """The same skill, with its folder in the workspace; made once, then used by every trial of the arm."""
    place = f"{layout.iteration_dir(iteration)}/skills/{layout.slug(arm)}"
    if not store.path(place).exists():
        staged = store.stage()
        for file in skill.files:
            target = staged / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.copy2(Path(skill.folder, file.path), target)
            except OSError as error:
                raise SpecError(
                    f"the file {file.path!r} cannot be copied ({error.strerror}).",
                    where=skill.folder,
                    hint="Did it just change?",
                ) from error
        store.publish(staged, place)
    return skill.model_copy(update={"folder": str(store.path(place))})
