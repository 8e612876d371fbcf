"""What a report says, whatever its format."""

from __future__ import annotations

import pytest

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.plan import Arm, HarnessChoice
from skilltrial.records.skill import SkillRef
from skilltrial.report.account import account

PDF = SkillRef(name="pdf", folder="/skills/pdf", fingerprint="sha256:2")


@pytest.mark.parametrize(("in_baseline", "said"), [((PDF,), "pdf"), ((), None)])
def test_skills_beside_in_every_arm_are_a_fact(
    better: Benchmark, in_baseline: tuple[SkillRef, ...], said: str | None
) -> None:
    """No difference between the arms would tell of them; where they are one, it does."""
    arms = (
        Arm(name="with_skill", role="treatment", beside=(PDF,)),
        Arm(name="without_skill", role="baseline", beside=in_baseline),
    )
    benchmark = better.model_copy(update={"metadata": better.metadata.model_copy(update={"arms": arms})})
    assert dict(account(benchmark).facts).get("skills beside, in every arm") == said


def test_arms_with_agents_of_their_own_share_none(better: Benchmark) -> None:
    """A model that one arm asked for is not said of all."""
    arms = (
        Arm(name="with_skill", role="treatment", harness=HarnessChoice(name="codex", version="1.0", model="large")),
        Arm(name="without_skill", role="baseline", harness=HarnessChoice(name="pi", version="2.0")),
    )
    benchmark = better.model_copy(update={"metadata": better.metadata.model_copy(update={"arms": arms})})
    facts = dict(account(benchmark).facts)
    assert (facts["agent of with_skill"], facts["agent of without_skill"]) == ("codex 1.0 large", "pi 2.0")
    assert not {"agent program", "model asked for"} & facts.keys()
