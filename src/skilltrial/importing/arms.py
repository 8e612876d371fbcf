"""The arms of an imported iteration, with roles that somebody told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from skilltrial.errors import PlanError
from skilltrial.records.foreign import ForeignArm, ForeignIteration
from skilltrial.records.plan import Arm
from skilltrial.records.skill import SkillRef

UNKNOWN = "unknown (imported)"
_EARLIER = ("old", "prev", "previous", "before", "earlier", "snapshot")


def make_arms(iteration: ForeignIteration, skill: SkillRef, *, told: Sequence[str] = ()) -> tuple[Arm, ...]:
    """The arms that have runs: the compared two first. `told` are the names that the person gave.

    A third arm of unknown role stands behind the others as one more treatment. Raises `PlanError`,
    naming the arms, where two or more are there and nothing says which is which.
    """
    ran = {run.arm for run in iteration.runs}
    known = [arm for arm in iteration.arms if arm.name in ran]
    found = sorted(known, key=lambda arm: (arm.name not in told, arm.role is None))
    roles = {arm.role for arm in found}
    if len(found) > 1 and not {"treatment", "baseline"} <= roles:
        raise PlanError(
            f"nothing says which arm is the treatment and which the baseline. The arms are {_listed(found)}.",
            where=iteration.place or ".",
            hint="Say it: --treatment NAME --baseline NAME.",
        )
    return tuple(_arm(arm, skill) for arm in found)


def unplaced(iteration: ForeignIteration) -> list[str]:
    """Names of arms with runs whose role nothing tells."""
    ran = {run.arm for run in iteration.runs}
    return [arm.name for arm in iteration.arms if arm.role is None and arm.name in ran]


def _arm(arm: ForeignArm, skill: SkillRef) -> Arm:
    role: Literal["treatment", "baseline"] = arm.role or "treatment"
    if role == "treatment":
        return Arm(name=arm.name, role=role, skill=skill)
    return Arm(name=arm.name, role=role, skill=_other_version(arm, skill))


def _other_version(arm: ForeignArm, skill: SkillRef) -> SkillRef | None:
    """A baseline has a skill where the files give its place or call it the old one; else it is the arm without any."""
    words = arm.name.lower().replace("-", "_").split("_")
    if arm.skill_path is None and words[0] not in _EARLIER:
        return None
    return SkillRef(name=skill.name, folder=arm.skill_path or UNKNOWN, fingerprint=UNKNOWN)


def _listed(arms: Sequence[ForeignArm]) -> str:
    return ", ".join(f"{arm.name!r} ({arm.role or 'role unknown'})" for arm in arms)
