"""What a report says, whatever its format."""

from __future__ import annotations

import pytest

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.plan import Arm
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
