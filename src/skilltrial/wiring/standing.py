"""What agents would find of the skill on this machine before any trial places it."""
# ruff: noqa: PLC0415 - a command that only reads files does not load adapters

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from skilltrial.errors import PlanError

if TYPE_CHECKING:
    from skilltrial.ports import Harness


def refuse_copies(harnesses: Iterable[Harness], names: Collection[str]) -> None:
    """Raise `PlanError` where an agent program would find a skill of one of these names whatever a trial places.

    A fresh home keeps a person's own skills out; this is about what it does not keep out.
    """
    from skilltrial.adapters.harness.standing import copies, standing_roots

    for harness in harnesses:
        found = copies(names, standing_roots(harness.capabilities.standing))
        if found:
            raise PlanError(
                f"{harness.name} finds a skill of this name in every arm, with or without ours: {str(found[0])!r}.",
                hint="Move it away for the trial, rename the skill, or run in a container.",
                code="skill-installed",
            )


def personal_copies(names: Collection[str], env: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each skill of one of these names in the person's home, for agents that keep that home."""
    from skilltrial.adapters.harness.standing import copies, personal_roots

    return tuple(
        f"A skill of this name is installed in {folder}: an agent with your home may take it in any arm. Move it away until "
        "all tasks are done."
        for folder in copies(names, personal_roots(env))
    )
