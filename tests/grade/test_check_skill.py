"""`skill_invoked` and `skill_not_invoked`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skilltrial.grade.checks.skill import check_skill_invoked, check_skill_not_invoked
from skilltrial.grade.decision import Undecided
from skilltrial.grade.material import Material
from skilltrial.records.suite import SkillInvoked, SkillNotInvoked
from skilltrial.records.trial import SkillEvidence

Make = Callable[..., Material]
CHECK = SkillInvoked(id="s", text="s")


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({"offered": True, "loaded": True}, "PASS"),
        ({"offered": True, "loaded": False, "read": True}, "PASS"),
        ({"offered": True, "attempted": True, "loaded": False}, "FAIL"),
        ({"offered": True, "attempted": False, "loaded": False, "read": False}, "FAIL"),
    ],
)
def test_the_skills_text_reached_the_agent_by_its_own_choice(material: Make, evidence: Any, expected: str) -> None:
    """By the skill tool or by reading SKILL.md."""
    assert check_skill_invoked(CHECK, material(evidence=SkillEvidence(**evidence))).verdict == expected


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ({"injected": True}, "in the prompt from the start"),
        ({"offered": False, "loaded": False}, "never named the skill"),
        ({"offered": True}, "cannot tell"),
    ],
)
def test_where_there_was_no_choice_or_no_sight_of_it_there_is_no_verdict(
    material: Make, evidence: Any, reason: str
) -> None:
    """The reason is said."""
    with pytest.raises(Undecided, match=reason):
        check_skill_invoked(CHECK, material(evidence=SkillEvidence(**evidence)))


def test_a_baseline_cannot_fail_for_a_skill_it_was_not_given(material: Make) -> None:
    """Whatever its evidence says."""
    made = material(arm_has_skill=False, evidence=SkillEvidence(offered=False, loaded=False))
    with pytest.raises(Undecided, match="no skill was offered in this arm"):
        check_skill_invoked(CHECK, made)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({"offered": True, "attempted": False, "loaded": False, "read": False}, "PASS"),
        ({"offered": True, "loaded": True}, "FAIL"),
        ({"offered": True, "attempted": True, "loaded": False}, "FAIL"),
        ({"offered": True, "loaded": False, "read": True}, "FAIL"),
    ],
)
def test_a_skill_stays_out_where_it_is_neither_asked_for_nor_read(material: Make, evidence: Any, expected: str) -> None:
    """Asking for it counts, whether or not it was given."""
    check = SkillNotInvoked(id="n", text="n")
    assert check_skill_not_invoked(check, material(evidence=SkillEvidence(**evidence))).verdict == expected


@pytest.mark.parametrize("evidence", [{"injected": True}, {"offered": False, "loaded": False}, {"offered": True}])
def test_a_skill_that_could_not_be_chosen_did_not_stay_out(material: Make, evidence: Any) -> None:
    """Neither did one whose loading cannot be seen."""
    with pytest.raises(Undecided):
        check_skill_not_invoked(SkillNotInvoked(id="n", text="n"), material(evidence=SkillEvidence(**evidence)))
