"""What arms differ in, and what they may not."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.errors import PlanError
from skilltrial.plan.differences import confounded, differences, require_alike, require_distinct
from skilltrial.plan.plan import arm_facts
from skilltrial.records.plan import Arm, HarnessChoice
from skilltrial.records.skill import SkillRef

PLANS = HarnessChoice(name="claude-code", model="opus", version="2.1.0")
SKILL = SkillRef(name="tidy", folder="/s", fingerprint="sha256:aa")
OTHER = SkillRef(name="lint", folder="/l", fingerprint="sha256:bb")


def arm(name: str = "with_skill", **fields: Any) -> Arm:
    """A treatment with the skill, unless told otherwise."""
    return Arm.model_validate({"name": name, "role": "treatment", "skill": SKILL, **fields})


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"skill": None}, "the skill"),
        ({"harness": HarnessChoice(name="codex", model="opus")}, "the agent program (claude-code, codex)"),
        ({"harness": HarnessChoice(name="claude-code", model="haiku")}, "the model (opus, haiku)"),
        ({"harness": HarnessChoice(name="claude-code")}, "the model (opus, its own)"),
        (
            {"harness": HarnessChoice(name="claude-code", model="opus", args=("--effort", "high"))},
            "the arguments of the agent program",
        ),
        ({"beside": (OTHER,)}, "the skills beside (none, lint)"),
        ({"prompt_prefix": "Think."}, "the words before the prompt"),
        ({"env": {"MODE": "$MODE"}}, "the variables (MODE)"),
    ],
)
def test_each_thing_that_an_arm_may_have_of_its_own_is_a_difference(fields: dict[str, Any], said: str) -> None:
    """One at a time, with both values where they say something."""
    assert differences(arm(), arm("other", **fields), PLANS) == (said,)


def test_the_plans_own_agent_program_named_by_an_arm_is_no_difference() -> None:
    """Nothing differs, so such a pair is refused."""
    same = arm("other", harness=PLANS)
    assert differences(arm(), same, PLANS) == ()
    with pytest.raises(PlanError, match="with_skill and other both hold the same skill"):
        require_distinct([arm(), same], PLANS)


def test_arms_with_one_skill_and_two_models_can_be_compared() -> None:
    """Their difference names the models."""
    other = arm("other", harness=HarnessChoice(name="claude-code", model="haiku", version="2.1.0"))
    require_distinct([arm(), other], PLANS)
    assert differences(arm(), other, PLANS) == ("the model (opus, haiku)",)


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (PLANS.model_copy(update={"version": "2.1.1"}), r"version of the agent program \(2.1.0, 2.1.1\)"),
        (PLANS.model_copy(update={"sandbox": "bwrap"}), r"sandbox \(None, bwrap\)"),
    ],
)
def test_what_no_arm_can_ask_for_may_not_differ(choice: HarnessChoice, said: str) -> None:
    """Refused when the plan is made, so before anything is spent."""
    with pytest.raises(PlanError, match=said) as refused:
        require_alike([arm(), arm("other", harness=choice)], PLANS)
    assert refused.value.code == "undeclared_difference"


def test_a_model_beside_the_skill_is_said_to_confound_the_comparison() -> None:
    """With the skill alone, or the model alone, nothing is to be said."""
    haiku = HarnessChoice(name="claude-code", model="haiku", version="2.1.0")
    bare = arm("without_skill", role="baseline", skill=None)
    assert confounded([arm(), bare], PLANS) == ()
    assert confounded([arm(harness=haiku), arm("old_skill", role="baseline")], PLANS) == ()
    (said,) = confounded([arm(harness=haiku), bare], PLANS)
    assert said.startswith("with_skill and without_skill differ in the skill and in the model (haiku, opus): ")


def test_an_arm_with_nothing_of_its_own_has_the_facts_that_it_always_had() -> None:
    """So iterations from before arms had settings go on."""
    assert arm_facts(arm()) == ["sha256:aa"]
    own = arm(beside=(OTHER,), prompt_prefix="Think.", env={"B": "2"})
    assert arm_facts(own) == [
        "sha256:aa",
        {"beside": [["lint", "sha256:bb"]], "prompt_prefix": "Think.", "env": {"B": "2"}},
    ]
