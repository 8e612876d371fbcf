"""Every planned trial stands once, counted or excluded with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skilltrial.errors import StoreError
from skilltrial.records.trial import Reason


def test_every_planned_trial_stands_exactly_once(scene) -> None:
    """Ten ends that a trial can come to: four are runs, six are excluded."""
    made = scene(
        {
            "one": {
                "with_skill": ["PF", "timed_out:FF", "harness_error", "UU", "?"],
                "without_skill": ["agent_failed:PP", "cancelled", "-", "PU", "timed_out:UU"],
            }
        }
    )
    benchmark = made.benchmark()
    runs = [(run.configuration, run.run_number) for run in benchmark.runs]
    excluded = [(entry.key.arm, entry.key.repeat) for entry in benchmark.excluded]
    assert runs == [("with_skill", 1), ("with_skill", 2), ("without_skill", 1), ("without_skill", 4)]
    assert sorted(runs + excluded) == sorted((p.key.arm, p.key.repeat) for p in made.plan.trials)


def test_reasons_of_exclusion(scene) -> None:
    """Each says what happened, in its own words where there are any."""
    made = scene({"one": {"with_skill": ["harness_error", "UU", "?"], "without_skill": ["-", "cancelled"]}})
    limited = Reason(code="rate_limited", message="429")
    made = made.with_trials(lambda t: {"reason": limited} if t.outcome == "harness_error" else {})
    assert [(entry.outcome, entry.reason) for entry in made.benchmark().excluded] == [
        ("harness_error", "rate_limited: 429"),
        ("completed", "nothing graded: no verdict on any of 2 assertions"),
        ("completed", "nothing graded: there is no grading yet"),
        ("not_run", "it has not been run, or not to its end"),
        ("cancelled", "cancelled"),
    ]


def test_a_case_without_assertions_is_excluded_and_says_so(scene) -> None:
    """Nothing to hold is not everything held."""
    made = scene({"one": {"with_skill": ["?"], "without_skill": ["?"]}}).with_cases(lambda _: {"assertions": ()})
    benchmark = made.benchmark()
    assert {entry.reason for entry in benchmark.excluded} == {"nothing graded: the case has no assertions"}
    assert benchmark.runs == ()


def test_two_records_of_one_trial_are_an_error(scene) -> None:
    """A copied run folder must not be counted twice, nor one of two be picked in silence."""
    made = scene({"one": {"with_skill": ["P"], "without_skill": ["F"]}})
    with pytest.raises(StoreError, match=r"'one/with_skill/run-1'.*copied"):
        replace(made, trials=(*made.trials, made.trials[0])).benchmark()


def test_a_trial_outside_the_plan_is_left_out_and_named(scene) -> None:
    """It is in no rate, and a finding says that it is there."""
    made = scene({"one": {"with_skill": ["P", "F"], "without_skill": ["F"]}})
    benchmark = made.with_plan(trials=tuple(p for p in made.plan.trials if p.key.repeat == 1)).benchmark()
    assert benchmark.cases[0].treatment == 1
    assert [f.trials[0].repeat for f in benchmark.findings if f.code == "unplanned-trials"] == [2]


def test_ungraded_assertions_are_counted_with_their_reason(scene) -> None:
    """Also those of trials without any verdict or grading."""
    benchmark = scene({"one": {"with_skill": ["PU", "UU"], "without_skill": ["FU", "?"]}}).benchmark()
    assert [(row.reason[:8], row.count) for row in benchmark.ungraded] == [("no judge", 4), ("The tria", 2)]
    assert benchmark.ungraded[0].examples[0] == "one/with_skill/run-1: one holds 2"
    assert benchmark.verdict_counts == {"PASS": 1, "FAIL": 1, "UNGRADED": 6}
    assert benchmark.cases[0].ungraded == 6


def test_assertions_are_counted_per_arm(scene) -> None:
    """Passed, graded and ungraded, for each arm by its name."""
    benchmark = scene({"one": {"with_skill": ["PP", "PU"], "without_skill": ["PF", "FF"]}}).benchmark()
    second = benchmark.assertions[1]
    assert second.passed == {"with_skill": 1, "without_skill": 0}
    assert second.graded == {"with_skill": 1, "without_skill": 2}
    assert second.ungraded == {"with_skill": 1, "without_skill": 0}
