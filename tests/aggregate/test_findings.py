"""What stands against a trial as a measurement."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skilltrial.records.plan import Arm
from skilltrial.records.skill import SkillRef
from skilltrial.records.trial import SkillEvidence

UNKNOWN = SkillEvidence()
PASSED_BY = SkillEvidence(offered=True, attempted=False, loaded=False, read=False)
INJECTED = SkillEvidence(injected=True)
HIDDEN = SkillEvidence(offered=False, attempted=False, loaded=False, read=False)


def cells(treatment="P P", baseline="F F", n=9):
    """Enough equal cases that nothing else is found."""
    return {f"c{i}": {"with_skill": treatment.split(), "without_skill": baseline.split()} for i in range(n)}


def found(benchmark) -> dict[str, str]:
    """Severity by code."""
    return {finding.code: finding.severity for finding in benchmark.findings}


def give(evidence, *, arm="with_skill", repeats=(1, 2)):
    """A change that gives the trials of an arm another evidence."""
    return lambda t: {"evidence": evidence} if t.key.arm == arm and t.key.repeat in repeats else {}


def test_a_clean_trial_has_no_findings(scene) -> None:
    """Nothing is said where there is nothing to say."""
    assert scene(cells()).benchmark().findings == ()


@pytest.mark.parametrize(
    "evidence",
    [SkillEvidence(offered=True), SkillEvidence(loaded=True), SkillEvidence(read=True), INJECTED],
)
def test_a_baseline_with_the_skill_is_invalid(scene, evidence) -> None:
    """By whatever way it was there, in a single trial."""
    made = scene(cells())
    benchmark = made.with_trials(
        lambda t: {"evidence": evidence} if t.key.arm == "without_skill" and t.key.case_id == "c0" else {}
    ).benchmark()
    assert found(benchmark) == {"baseline-had-skill": "invalid"}
    assert "2 of 18 trials of without_skill" in benchmark.findings[0].message
    assert [str(key) for key in benchmark.findings[0].trials] == ["c0/without_skill/run-1", "c0/without_skill/run-2"]
    assert benchmark.lift.word == "cannot tell"


def test_a_leak_in_a_trial_that_ended_in_an_error_is_still_a_leak(scene) -> None:
    """The trial is in no rate, but its neighbours ran in the same place."""
    made = scene(cells(baseline="F harness_error"))
    benchmark = made.with_trials(give(INJECTED, arm="without_skill", repeats=(2,))).benchmark()
    assert found(benchmark)["baseline-had-skill"] == "invalid"


def test_an_old_version_as_baseline_may_have_its_skill(scene) -> None:
    """Old against new: both arms have a skill of that name, by design."""
    old = Arm(name="old_skill", role="baseline", skill=SkillRef(name="tidy", folder="/old", fingerprint="sha256:0"))
    new = Arm(name="new_skill", role="treatment", skill=SkillRef(name="tidy", folder="/new", fingerprint="sha256:1"))
    table = {f"c{i}": {"old_skill": ["F"], "new_skill": ["P"]} for i in range(9)}
    benchmark = scene(table, arms=(old, new)).benchmark()
    assert found(benchmark) == {}
    assert benchmark.lift.word == "better"


def test_an_old_version_that_was_never_read_is_invalid(scene) -> None:
    """Then new was compared with nothing."""
    old = Arm(name="old_skill", role="baseline", skill=SkillRef(name="tidy", folder="/old", fingerprint="sha256:0"))
    new = Arm(name="new_skill", role="treatment", skill=SkillRef(name="tidy", folder="/new", fingerprint="sha256:1"))
    made = scene({f"c{i}": {"old_skill": ["F"], "new_skill": ["P"]} for i in range(9)}, arms=(old, new))
    benchmark = made.with_trials(give(PASSED_BY, arm="old_skill")).benchmark()
    assert found(benchmark) == {"skill-never-reached": "invalid"}


def test_a_skill_that_no_trial_read_is_invalid(scene) -> None:
    """Offered and passed by: nothing was measured of it."""
    benchmark = scene(cells()).with_trials(give(PASSED_BY)).benchmark()
    assert found(benchmark) == {"skill-never-reached": "invalid"}
    assert "none of 18 trials" in benchmark.findings[0].message
    assert benchmark.lift.word == "cannot tell"


def test_a_skill_that_some_trials_read_is_a_warning(scene) -> None:
    """With how many of how many."""
    benchmark = scene(cells()).with_trials(give(PASSED_BY, repeats=(2,))).benchmark()
    assert found(benchmark) == {"skill-not-always-reached": "warning"}
    assert "9 of 18 trials" in benchmark.findings[0].message
    assert benchmark.lift.word == "better"


def test_a_skill_that_was_not_offered_is_invalid(scene) -> None:
    """It never stood in the agent's listing."""
    benchmark = scene(cells()).with_trials(give(HIDDEN, repeats=(2,))).benchmark()
    assert found(benchmark) == {"skill-not-offered": "invalid", "skill-not-always-reached": "warning"}


def test_a_skill_that_was_read_was_offered_somehow(scene) -> None:
    """A listing that we could not read is no fault of the trial."""
    read = SkillEvidence(offered=False, loaded=False, read=True)
    assert found(scene(cells()).with_trials(give(read)).benchmark()) == {}


def test_an_agent_that_cannot_tell_is_unknown_not_absent(scene) -> None:
    """Info, and no claim that the skill was not reached."""
    benchmark = scene(cells()).with_trials(give(UNKNOWN)).benchmark()
    assert found(benchmark) == {"skill-evidence-unknown": "info"}
    assert benchmark.lift.word == "better"


def test_an_injected_skill_says_nothing_of_discovery(scene) -> None:
    """The lift of its text stands, with a warning."""
    benchmark = scene(cells()).with_trials(give(INJECTED)).benchmark()
    assert found(benchmark) == {"skill-injected": "warning"}
    assert benchmark.lift.word == "better"


def test_cases_that_should_not_trigger_do_not_ask_for_the_skill(scene) -> None:
    """Not reaching it there is right."""
    made = scene(cells()).with_cases(lambda case: {"skill_should_trigger": case.id != "c0"})
    benchmark = made.with_trials(lambda t: {"evidence": PASSED_BY} if t.key.case_id == "c0" else {}).benchmark()
    assert "skill-not-always-reached" not in found(benchmark)
    assert "triggered-on-negative" not in found(benchmark)


def test_a_skill_that_loads_where_it_should_not_is_a_warning(scene) -> None:
    """Two trials of one case."""
    benchmark = scene(cells()).with_cases(lambda case: {"skill_should_trigger": case.id != "c0"}).benchmark()
    assert found(benchmark) == {"triggered-on-negative": "warning"}
    assert "2 of 2 trials" in benchmark.findings[0].message


def test_unequal_exclusions_are_a_warning(scene) -> None:
    """1 of 20 against 0 of 20 is exactly 5 points and passes; 2 of 20 does not."""
    row = {"with_skill": ["P"] * 2, "without_skill": ["F"] * 2}
    one = {f"c{i}": dict(row) for i in range(10)}
    one["c0"]["with_skill"] = ["P", "U"]
    assert "unequal-exclusions" not in found(scene(one).benchmark())
    one["c1"]["with_skill"] = ["P", "U"]
    benchmark = scene(one).benchmark()
    assert found(benchmark) == {"unequal-exclusions": "warning"}
    assert "2 of 20 trials of with_skill and 0 of 20 trials of without_skill" in benchmark.findings[0].message


def test_few_cases_are_said(scene) -> None:
    """Seven, not eight."""
    assert found(scene(cells(n=7)).benchmark()) == {"few-cases": "info"}
    assert found(scene(cells(n=8)).benchmark()) == {}


def test_fewer_than_four_cases_cannot_settle_anything(scene) -> None:
    """Three say so, four do not."""

    def told(n: int) -> str:
        return next(f.message for f in scene(cells(n=n)).benchmark().findings if f.code == "few-cases")

    assert "With fewer than 4 no result, however clear, settles the question" in told(3)
    assert "With fewer than 8 only large effects are visible" in told(4)


def test_no_case_is_not_called_few(scene) -> None:
    """Nothing graded has its own words."""
    assert "few-cases" not in found(scene(cells("U", "U", n=3)).benchmark())


def test_timeouts_count_and_are_said(scene) -> None:
    """They are graded on what they had; the rate holds them."""
    benchmark = scene(cells("P timed_out:F", "F timed_out:F")).benchmark()
    assert found(benchmark) == {"timeouts": "warning"}
    assert benchmark.cases[0].treatment == 0.5


def test_errors_of_tools_are_no_failures(scene) -> None:
    """They are in no rate: P beside an error is 1, not 1/2."""
    benchmark = scene(cells("P harness_error", "F harness_error")).benchmark()
    assert found(benchmark) == {"harness-errors": "warning"}
    assert "18 of 36 trials" in benchmark.findings[0].message
    assert benchmark.cases[0].treatment == 1


def test_what_is_left_to_run_is_said(scene) -> None:
    """Not run and cancelled alike."""
    benchmark = scene(cells("P -", "F cancelled")).benchmark()
    assert found(benchmark) == {"unfinished": "warning"}
    assert "18 of 36 planned trials" in benchmark.findings[0].message


def test_strays_are_said(scene) -> None:
    """Processes that outlived the agent."""
    assert found(scene(cells()).with_trials(lambda _: {"n_strays": 1}).benchmark()) == {"strays": "info"}


def test_two_models_are_a_warning_and_unknown_is_no_second_one(scene) -> None:
    """Served names count; a trial that reports none does not."""

    def serve(name):
        return lambda t: (
            {"harness": t.harness.model_copy(update={"model_served": name})} if t.key.arm == "with_skill" else {}
        )

    made = scene(cells())
    assert found(made.with_trials(serve(None)).benchmark()) == {}
    benchmark = made.with_trials(serve("model-b")).benchmark()
    assert found(benchmark) == {"mixed-models": "warning"}
    assert "(model-a, model-b)" in benchmark.findings[0].message


def test_replays_are_said(scene) -> None:
    """Recorded trials are labelled."""
    made = scene(cells()).with_trials(lambda t: {"harness": t.harness.model_copy(update={"discovery": "recorded"})})
    assert found(made.benchmark()) == {"recorded": "info"}


def test_invalid_findings_come_first(scene) -> None:
    """A reader who stops early has read the worst."""
    made = scene(cells("P harness_error", n=3)).with_trials(give(PASSED_BY))
    severities = [finding.severity for finding in made.benchmark().findings]
    assert severities == sorted(severities, key=["invalid", "warning", "info"].index)
    assert severities[0] == "invalid"


def test_every_code_is_in_the_docs() -> None:
    """With its severity and what to do, in docs/findings.md; and the docs know no other."""
    root = Path(__file__).resolve().parents[2]
    sources = [path.read_text() for path in sorted((root / "src/skilltrial/aggregate").glob("*.py"))]
    made = re.compile(r'(?:code=|_finding\(\s*)"([a-z-]+)"')
    codes = {code for text in sources for code in made.findall(text)}
    listed = re.findall(r"(?m)^\| `([a-z-]+)` \| (?:invalid|warning|info)", (root / "docs/findings.md").read_text())
    assert codes == set(listed)
    assert len(listed) == len(set(listed))
