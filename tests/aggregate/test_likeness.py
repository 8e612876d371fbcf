"""What the arms do not have in common beside the skill."""

from __future__ import annotations

import pytest

from skilltrial.records.conduct import Conduct
from skilltrial.records.plan import Arm, HarnessChoice
from skilltrial.records.skill import SkillRef
from skilltrial.records.trial import Attempt

SKILL = SkillRef(name="tidy", folder="/skills/tidy", fingerprint="sha256:1")
WITHOUT = Arm(name="without_skill", role="baseline")


def cells(n=9):
    """Enough equal cases that nothing else is found."""
    return {f"c{i}": {"with_skill": ["P", "P"], "without_skill": ["F", "F"]} for i in range(n)}


def found(benchmark) -> dict[str, str]:
    """Severity by code."""
    return {finding.code: finding.severity for finding in benchmark.findings}


def message(benchmark, code: str) -> str:
    """What a finding says."""
    return next(finding.message for finding in benchmark.findings if finding.code == code)


def listing(skills: dict[str, tuple[str, ...] | None]):
    """A change that gives the trials of each arm a listing."""
    return lambda t: {
        "conduct": Conduct(n_inspected=1, outside=(), live=(), shadows=(), listed=skills[t.key.arm]),
    }


def facts(**by_arm: str):
    """A change that gives the trials of each arm another version."""
    return lambda t: {"harness": t.harness.model_copy(update={"version": by_arm[t.key.arm]})}


def test_a_sibling_in_one_arm_is_invalid(scene) -> None:
    """Every trial of the other arm has told its listing, and none had it."""
    made = scene(cells()).with_trials(listing({"with_skill": ("tidy", "pdf"), "without_skill": ()}))
    benchmark = made.benchmark()
    assert found(benchmark) == {"sibling-in-one-arm": "invalid"}
    assert "in with_skill only: pdf." in message(benchmark, "sibling-in-one-arm")
    assert len(benchmark.findings[0].trials) == 18


def test_a_sibling_where_the_other_arm_does_not_tell_is_a_warning(scene) -> None:
    """A missing listing refutes nothing."""
    made = scene(cells()).with_trials(listing({"with_skill": None, "without_skill": ("pdf",)}))
    benchmark = made.benchmark()
    assert found(benchmark) == {"sibling-in-one-arm": "warning"}
    assert "as far as the trials of with_skill tell" in message(benchmark, "sibling-in-one-arm")


def test_a_sibling_in_both_arms_is_said(scene) -> None:
    """It competes with the skill alike in both; a plugin's prefix makes no other skill."""
    made = scene(cells()).with_trials(listing({"with_skill": ("tidy", "docs:pdf"), "without_skill": ("/pdf",)}))
    assert found(made.benchmark()) == {"other-skills-listed": "info"}


def test_what_an_arm_declares_beside_the_skill_is_no_stray_sibling(scene) -> None:
    """The difference is said as one that was asked for."""
    pdf = SkillRef(name="pdf", folder="/skills/pdf", fingerprint="sha256:2")
    arms = (Arm(name="with_skill", role="treatment", skill=SKILL, beside=(pdf,)), WITHOUT)
    made = scene(cells(), arms=arms).with_trials(listing({"with_skill": ("tidy", "pdf"), "without_skill": ()}))
    benchmark = made.benchmark()
    assert found(benchmark) == {"arms-differ-by-request": "warning"}
    assert "skills beside (pdf sha256:2, none)" in message(benchmark, "arms-differ-by-request")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"harness": HarnessChoice(name="stub", model="large")}, "model (large, model-asked)"),
        ({"harness": HarnessChoice(name="codex", model="model-asked")}, "agent program (codex, stub)"),
        ({"harness": HarnessChoice(name="stub", model="model-asked", args=("-x",))}, "arguments (-x, none)"),
        ({"prompt_prefix": "Use the skill."}, "prompt prefix"),
        ({"env": {"MODE": "1"}}, "environment (MODE, none)"),
    ],
)
def test_arms_that_differ_by_request(scene, fields, words: str) -> None:
    """The verdict is on all that differs; what that is, is named."""
    arms = (Arm(name="with_skill", role="treatment", skill=SKILL, **fields), WITHOUT)
    benchmark = scene(cells(), arms=arms).benchmark()
    assert found(benchmark) == {"arms-differ-by-request": "warning"}
    assert f"differ in more than the skill: {words}." in benchmark.findings[0].message


def test_two_versions_are_a_warning(scene) -> None:
    """An update in the middle of a run."""
    benchmark = scene(cells()).with_trials(facts(with_skill="1.0", without_skill="1.1")).benchmark()
    assert found(benchmark) == {"mixed-versions": "warning"}
    assert "(1.0, 1.1)" in benchmark.findings[0].message


def test_versions_of_two_programs_are_not_mixed(scene) -> None:
    """Arms that were asked to run in different programs have different versions."""
    arms = (
        Arm(name="with_skill", role="treatment", skill=SKILL, harness=HarnessChoice(name="codex", model="m")),
        WITHOUT,
    )
    benchmark = scene(cells(), arms=arms).with_trials(facts(with_skill="1.0", without_skill="1.1")).benchmark()
    assert found(benchmark) == {"arms-differ-by-request": "warning"}


def test_uneven_counts_are_said(scene) -> None:
    """One of 20 trials without a verdict is no unequal exclusion, but its case has fewer runs in one arm."""
    table = cells(10)
    table["c3"]["with_skill"] = ["P", "U"]
    benchmark = scene(table).benchmark()
    assert found(benchmark) == {"uneven-counts": "info"}
    assert "1 of 10 (c3)" in benchmark.findings[0].message


@pytest.mark.parametrize(("n_retried", "expected"), [(0, {}), (1, {"uneven-retries": "info"})])
def test_uneven_retries_are_said(scene, n_retried: int, expected: dict[str, str]) -> None:
    """One of 18 is more than 5 in 100."""
    twice = (
        Attempt(outcome="harness_error", started_at="2026-03-01T12:00:00Z", duration_ms=1),
        Attempt(outcome="completed", started_at="2026-03-01T12:00:00Z", duration_ms=1),
    )
    made = scene(cells()).with_trials(
        lambda t: {"attempts": twice} if n_retried and str(t.key) == "c0/with_skill/run-1" else {}
    )
    benchmark = made.benchmark()
    assert found(benchmark) == expected
    if expected:
        assert "1 of 18 trials of with_skill and 0 of 18 trials of without_skill" in benchmark.findings[0].message


def test_retries_in_both_arms_are_alike(scene) -> None:
    """Nothing is uneven then."""
    attempt = Attempt(outcome="completed", started_at="2026-03-01T12:00:00Z", duration_ms=1)
    assert found(scene(cells()).with_trials(lambda _: {"attempts": (attempt, attempt)}).benchmark()) == {}
