"""`skill_invoked` and `skill_not_invoked`: whether the agent came to the skill's text by itself."""

from __future__ import annotations

from skilltrial.grade.decision import CheckResult, Undecided, failed, passed
from skilltrial.grade.material import Material
from skilltrial.records.suite import SkillInvoked, SkillNotInvoked
from skilltrial.records.trial import SkillEvidence


def check_skill_invoked(assertion: SkillInvoked, material: Material) -> CheckResult:  # noqa: ARG001 - one shape for all checks
    """Loaded by the skill tool, or SKILL.md read as a file: both are the agent's own choice.

    Raises `Undecided` in an arm without a skill (a baseline cannot fail for what it was not given), where the skill's text was
    in the prompt from the start, where the agent never listed the skill, and where the harness cannot tell.
    """
    seen = _evidence(material)
    if seen.loaded:
        return passed("the agent loaded the skill.")
    if seen.read:
        return passed("the agent read the skill's SKILL.md as a file.")
    _check_sight(seen)
    if seen.attempted:
        return failed("the agent asked for the skill, but its text was not given to it.")
    return failed("the agent neither asked for the skill nor read its SKILL.md.")


def check_skill_not_invoked(assertion: SkillNotInvoked, material: Material) -> CheckResult:  # noqa: ARG001 - as above
    """The skill was offered, and the agent neither loaded it, nor asked for it, nor read its SKILL.md.

    Raises `Undecided` as `check_skill_invoked` does.
    """
    seen = _evidence(material)
    if seen.loaded or seen.attempted:
        return failed("the agent loaded the skill." if seen.loaded else "the agent asked for the skill.")
    if seen.read:
        return failed("the agent read the skill's SKILL.md as a file.")
    _check_sight(seen)
    return passed("the agent neither asked for the skill nor read its SKILL.md.")


def _evidence(material: Material) -> SkillEvidence:
    if not material.arm_has_skill:
        raise Undecided("no skill was offered in this arm, so the question does not arise here.")
    if material.trial.evidence.injected:
        raise Undecided("the skill's text was in the prompt from the start, so the agent had nothing to choose.")
    return material.trial.evidence


def _check_sight(seen: SkillEvidence) -> None:
    if seen.offered is False:
        raise Undecided("the agent's own listing never named the skill, so it could not choose it.")
    if seen.loaded is None:
        raise Undecided("this harness cannot tell whether the skill was loaded.")
