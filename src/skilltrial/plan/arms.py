"""The arms of a comparison, from names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from skilltrial.errors import PlanError
from skilltrial.records.plan import Arm
from skilltrial.records.skill import Skill, SkillRef

DEFAULT_ARMS = ("with_skill", "without_skill")
_TREATMENTS = {"with_skill", "new_skill"}
_BASELINES = {"without_skill", "old_skill"}


def make_arms(names: Sequence[str], skill: Skill, others: Mapping[str, Skill]) -> tuple[Arm, ...]:
    """The arms in the order given, treatment first.

    `others` holds the skills of arms that bring their own (an old version, a rival). Known names say their role
    themselves; otherwise the last arm is the baseline. Nothing follows from the alphabet.
    """
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise PlanError(f"the arm {repeated[0]!r} is named twice.", hint="Give each arm its own name.")
    for name in names:
        if name not in others and name not in _TREATMENTS | {"without_skill"}:
            raise PlanError(
                f"the arm {name!r} has no skill.",
                hint=f"Say which folder it uses: --arms {_example(name)}. Known without a path: with_skill, without_skill.",
            )
    baselines = [name for name in names if name in _BASELINES] or list(names[1:][-1:])
    if len(baselines) > 1:
        raise PlanError(
            f"two arms are baselines: {' and '.join(baselines)}.", hint="Compare with one of them at a time."
        )
    arms = [_arm(name, "baseline" if name in baselines else "treatment", skill, others) for name in names]
    return tuple(sorted(arms, key=lambda arm: arm.role == "baseline"))


def _example(name: str) -> str:
    return f"with_skill,{name}=PATH" if name in _BASELINES else f"{name}=PATH,without_skill"


def _arm(name: str, role: Literal["treatment", "baseline"], skill: Skill, others: Mapping[str, Skill]) -> Arm:
    used = None if name == "without_skill" else others.get(name, skill)
    ref = SkillRef(name=used.name, folder=used.folder, fingerprint=used.fingerprint) if used else None
    return Arm(name=name, role=role, skill=ref)
