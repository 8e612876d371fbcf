"""Roles are told by names, records or the person, and never by an order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.adapters.interchange.reader import read
from skilltrial.adapters.interchange.roles import Casting, Conditions, read_conditions
from skilltrial.errors import SpecError

Plant = Callable[[Mapping[str, Any]], Path]
HELD = {"expectations": [{"text": "A", "passed": True, "evidence": "e"}]}


def roles(*names: str, conditions: Conditions | None = None, casting: Casting | None = None) -> dict[str, str | None]:
    """Roles by name, in the order in which they come out."""
    arms = (casting or Casting()).arms(names, conditions or Conditions())
    return {arm.name: arm.role for arm in arms}


@pytest.mark.parametrize("name", ["with_skill", "with-skill", "withSkill", "With Skill", "new_skill", "treatment"])
def test_known_treatments(name: str) -> None:
    """In all their spellings."""
    assert roles(name) == {name: "treatment"}


@pytest.mark.parametrize(
    "name", ["without_skill", "no_skill", "noSkill", "old_skill", "baseline", "control", "without-skill"]
)
def test_known_baselines(name: str) -> None:
    """In all their spellings."""
    assert roles(name) == {name: "baseline"}


@pytest.mark.parametrize(
    "names", [("a", "b"), ("claude_with_skill", "gemini_with_skill"), ("with_skill (iter5)",), ("v1", "v2")]
)
def test_other_names_have_no_role(names: tuple[str, ...]) -> None:
    """Neither the alphabet nor a part of a name tells."""
    assert set(roles(*names).values()) == {None}


@pytest.mark.parametrize("other", ["new_skill", "with_skill"])
def test_the_old_skill_is_the_baseline(other: str) -> None:
    """Against the new one, whatever that is called; treatments come first."""
    assert list(roles("old_skill", other).items()) == [(other, "treatment"), ("old_skill", "baseline")]


def test_the_old_skill_against_none() -> None:
    """Which of them is on trial is not said."""
    assert roles("old_skill", "without_skill") == {"without_skill": "baseline", "old_skill": None}


def test_conditions_name_the_arm_without_a_skill() -> None:
    """Names say nothing then."""
    said = read_conditions({"mode": "new-skill", "conditions": [
        {"name": "b", "skill_path": "/x/SKILL.md"}, {"name": "a", "skill_path": None},
    ]})  # fmt: skip
    assert roles("a", "b", conditions=said) == {"b": "treatment", "a": "baseline"}


def test_conditions_of_a_revision_are_old_and_new() -> None:
    """The first is the old skill, as its runner subtracts them."""
    said = read_conditions({"mode": "revision", "conditions": [
        {"name": "x", "skill_path": "/old"}, {"name": "y", "skill_path": "/new"},
    ]})  # fmt: skip
    assert roles("x", "y", conditions=said) == {"y": "treatment", "x": "baseline"}


def test_known_names_come_before_the_order_of_a_revision() -> None:
    """Written the other way round, the old skill is still the old one."""
    said = read_conditions({"mode": "revision", "conditions": [
        {"name": "new_skill", "skill_path": "/new"}, {"name": "old_skill", "skill_path": "/old"},
    ]})  # fmt: skip
    assert roles("old_skill", "new_skill", conditions=said) == {"new_skill": "treatment", "old_skill": "baseline"}


def test_the_person_has_the_last_word() -> None:
    """Also against known names; arms that were not named have no role."""
    casting = Casting(treatment="without_skill", baseline="with_skill")
    assert roles("with_skill", "without_skill", "third", casting=casting) == {
        "without_skill": "treatment", "with_skill": "baseline", "third": None,
    }  # fmt: skip


def test_the_word_is_about_rounds_with_these_arms() -> None:
    """Names of other rounds speak for themselves."""
    casting = Casting(treatment="v2", baseline="v1")
    assert roles("with_skill", "without_skill", casting=casting) == {
        "with_skill": "treatment", "without_skill": "baseline",
    }  # fmt: skip


def test_one_word_is_enough_for_two_arms() -> None:
    """The other arm is the other one."""
    assert roles("a", "b", casting=Casting(baseline="a")) == {"b": "treatment", "a": "baseline"}


def test_one_word_is_not_enough_for_three() -> None:
    """Which of the others is meant is not guessed."""
    assert roles("a", "b", "c", casting=Casting(treatment="a")) == {"a": "treatment", "b": None, "c": None}


def test_an_unknown_name_lists_the_arms(plant: Plant) -> None:
    """So that the next try is right."""
    root = plant({"iteration-1/eval-0/x/grading.json": HELD, "iteration-1/eval-0/y/grading.json": HELD})
    with pytest.raises(SpecError, match="no arm is called 'z'; the arms found are: 'x', 'y'"):
        read(root, treatment="z")


def test_an_arm_cannot_be_both(plant: Plant) -> None:
    """Nothing would be compared."""
    root = plant({"iteration-1/eval-0/x/grading.json": HELD, "iteration-1/eval-0/y/grading.json": HELD})
    with pytest.raises(SpecError, match="cannot be treatment and baseline at once"):
        read(root, treatment="x", baseline="x")


def test_roles_say_what_they_were_told_by(plant: Plant) -> None:
    """Every arm has a reason."""
    root = plant({
        "iteration-1/conditions.json": {
            "mode": "new-skill", "run_nonce": "n", "harness": "codex",
            "conditions": [{"name": "x", "skill_path": "/s"}, {"name": "y", "skill_path": None}],
        },
        "iteration-1/eval-0/x/grading.json": HELD,
        "iteration-1/eval-0/y/grading.json": HELD,
    })  # fmt: skip
    workspace = read(root)
    assert [(arm.name, arm.role, arm.why, arm.skill_path) for arm in workspace.iterations[0].arms] == [
        ("x", "treatment", "conditions.json gives it a skill", "/s"),
        ("y", "baseline", "conditions.json gives it no skill", None),
    ]
    assert (workspace.family, workspace.harness) == ("slow-powers", "codex")
