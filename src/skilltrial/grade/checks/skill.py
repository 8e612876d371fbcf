"""`skill_invoked`: the agent came to the skill's text by itself."""

from __future__ import annotations

from skilltrial.grade.decision import CheckResult, Undecided, failed, passed
from skilltrial.grade.material import Material
from skilltrial.records.suite import SkillInvoked


def check_skill_invoked(assertion: SkillInvoked, material: Material) -> CheckResult:  # noqa: ARG001 - one shape for all checks
    """Loaded by the skill tool, or SKILL.md read as a file: both are the agent's own choice.

    Raises `Undecided` in an arm without a skill (a baseline cannot fail for what it was not given), where the skill's text was
    in the prompt from the start, where the agent never listed the skill, and where the harness cannot tell.
    """
    seen = material.trial.evidence
    if not material.arm_has_skill:
        raise Undecided("no skill was offered in this arm, so the question does not arise here.")
    if seen.injected:
        raise Undecided("the skill's text was in the prompt from the start, so the agent had nothing to choose.")
    if seen.loaded:
        return passed("the agent loaded the skill.")
    if seen.read:
        return passed("the agent read the skill's SKILL.md as a file.")
    if seen.offered is False:
        raise Undecided("the agent's own listing never named the skill, so it could not choose it.")
    if seen.loaded is None:
        raise Undecided("this harness cannot tell whether the skill was loaded.")
    if seen.attempted:
        return failed("the agent asked for the skill, but its text was not given to it.")
    return failed("the agent neither asked for the skill nor read its SKILL.md.")
