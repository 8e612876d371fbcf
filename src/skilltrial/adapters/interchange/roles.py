"""Which arm is the treatment and which the baseline: told by a known name, a record of conditions, or the person.

Never by the order of names. Where nothing tells, the role is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from skilltrial.adapters.interchange.values import objects, text
from skilltrial.errors import SpecError
from skilltrial.records.foreign import ForeignArm, Role
from skilltrial.records.json_value import Json, is_object

UNSAID = "unsaid"
"""The arm of runs whose arm nothing names."""
_TREATMENTS = frozenset({
    "with_skill", "with_skills", "with_the_skill", "new_skill", "treatment", "with", "withskill", "skill_on",
    "new", "candidate", "improved", "skilled",
})  # fmt: skip
_BASELINES = frozenset({
    "without_skill", "without_skills", "without_the_skill", "no_skill", "no_skills", "withoutskill", "noskill", "old_skill",
    "baseline", "control", "without", "vanilla", "skill_off", "old", "original", "previous",
})  # fmt: skip
_DISTINCT = frozenset({
    "with_skill", "with_skills", "without_skill", "without_skills", "no_skill", "new_skill", "old_skill",
})  # fmt: skip
_OLDER = frozenset({"old_skill", "old", "original", "previous"})
_PAIR: tuple[Role, Role] = ("baseline", "treatment")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINT = re.compile(r"[\s\-.]+")
_INSIDE = re.compile(
    r"(?<![a-z])((?:with|without|no|old|new)[_\-]?skills?|baseline|control|treatment)(?![a-z])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a record of conditions (or our own plan) says of the arms."""

    roles: Mapping[str, tuple[Role, str]] = field(default_factory=dict[str, tuple[Role, str]])
    skills: Mapping[str, str | None] = field(default_factory=dict[str, str | None])


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """`withSkill`, `with-skill`, `With Skill` -> `with_skill`."""
    return _JOINT.sub("_", _CAMEL.sub("_", name.strip())).lower()


@lru_cache(maxsize=4096)
def is_arm_name(name: str) -> bool:
    """Whether a name is one of those that people give to arms."""
    known = plain(name)
    return known in _TREATMENTS or known in _BASELINES


def is_distinct_arm_name(name: str) -> bool:
    """Whether a name can mean nothing but an arm."""
    return plain(name) in _DISTINCT


def arm_inside(name: str) -> tuple[str, str] | None:
    """An arm's name inside a longer one, and what is left: `eval-1-with_skill` -> `with_skill`, `eval-1-`."""
    found = list(_INSIDE.finditer(name))
    if not found:
        return None
    last = found[-1]
    return last[1], f"{name[: last.start()]}{name[last.end() :]}"


def read_conditions(value: Json) -> Conditions:
    """The arms of a `conditions.json`."""
    if not is_object(value):
        return Conditions()
    entries = [entry for entry in objects(value.get("conditions")) if text(entry.get("name"))]
    skills = {str(entry["name"]): text(entry.get("skill_path")) for entry in entries}
    without = [name for name in skills if skills[name] is None and _is_null(entries, name)]
    roles: dict[str, tuple[Role, str]] = {}
    turned = [_known(name, skills)[0] for name in skills] == ["treatment", "baseline"]  # by their names
    if value.get("mode") == "revision" and len(skills) == len(_PAIR) and not turned:
        for name, role in zip(skills, _PAIR, strict=True):
            roles[name] = (role, "conditions.json: in mode revision the first is the old skill, the second the new one")
    elif without and len(without) < len(skills):
        for name in skills:
            role: Role = "baseline" if name in without else "treatment"
            said = "no skill" if role == "baseline" else "a skill"
            roles[name] = (role, f"conditions.json gives it {said}")
    return Conditions(roles=roles, skills=skills)


def _is_null(entries: Iterable[Mapping[str, Json]], name: str) -> bool:
    return any(entry["name"] == name and "skill_path" in entry and entry["skill_path"] is None for entry in entries)


def read_plan(value: Json) -> Conditions:
    """The arms of our own `plan.json`."""
    if not is_object(value):
        return Conditions()
    roles: dict[str, tuple[Role, str]] = {}
    skills: dict[str, str | None] = {}
    for arm in objects(value.get("arms")):
        name, role = arm.get("name"), arm.get("role")
        if isinstance(name, str) and role in _PAIR:
            roles[name] = (role, "plan.json says it")
            skill = arm.get("skill")
            skills[name] = text(skill.get("path")) if is_object(skill) else None
    return Conditions(roles=roles, skills=skills)


@dataclass(frozen=True, slots=True)
class Casting:
    """What the person said: names of arms, or None."""

    treatment: str | None = None
    baseline: str | None = None

    def check(self, names: Iterable[str], root: str) -> None:
        """Raises `SpecError` for a name that no arm has."""
        known = sorted(set(names))
        for option, wanted in (("treatment", self.treatment), ("baseline", self.baseline)):
            if wanted is not None and wanted not in known:
                said = ", ".join(repr(name) for name in known) or "none"
                raise SpecError(
                    f"no arm is called {wanted!r}; the arms found are: {said}.",
                    where=root,
                    hint=f"Give --{option} one of these names.",
                    code="unknown-arm",
                )
        if self.treatment is not None and self.treatment == self.baseline:
            raise SpecError(
                f"{self.treatment!r} cannot be treatment and baseline at once.", where=root, hint="Name two arms."
            )

    def arms(self, names: Iterable[str], conditions: Conditions) -> tuple[ForeignArm, ...]:
        """The arms with their roles, treatments first, then baselines, then the others; else in the order given."""
        found = list(dict.fromkeys(names))
        cast = [self._arm(name, found, conditions) for name in found]
        order = {"treatment": 0, "baseline": 1, None: 2}
        return tuple(sorted(cast, key=lambda arm: order[arm.role]))

    def _arm(self, name: str, names: list[str], conditions: Conditions) -> ForeignArm:
        role, why = self._said(name, names) or conditions.roles.get(name) or _known(name, names)
        return ForeignArm(name=name, role=role, why=why, skill_path=conditions.skills.get(name))

    def _said(self, name: str, names: list[str]) -> tuple[Role | None, str] | None:
        if self.treatment is None and self.baseline is None:
            return None
        if name == self.treatment:
            return "treatment", "the person said it"
        if name == self.baseline:
            return "baseline", "the person said it"
        named = self.treatment or self.baseline
        if {self.treatment, self.baseline}.isdisjoint(names):
            return None  # the word was about other rounds
        if (self.treatment is None) != (self.baseline is None) and named in names and len(names) == len(_PAIR):
            return (
                "baseline" if self.treatment else "treatment"
            ), f"the only arm beside {named!r}, which the person named"
        return None, "the person named other arms"


def _known(name: str, names: Iterable[str]) -> tuple[Role | None, str]:
    others = {plain(other) for other in names}
    known = plain(name)
    if known in _TREATMENTS:
        return "treatment", f"{name!r} is a known name of the arm with the skill"
    if known in _OLDER:
        if others & (_BASELINES - _OLDER) and not others & _TREATMENTS:
            return None, f"{name!r} has a skill, and beside it is an arm without one: nothing says which is on trial"
        return "baseline", f"{name!r} is a known name of the arm with the older skill"
    if known in _BASELINES:
        return "baseline", f"{name!r} is a known name of the arm without the skill"
    return None, f"nothing says what {name!r} is"
