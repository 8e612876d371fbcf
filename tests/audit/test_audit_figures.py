"""The right figures, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skilltrial.records.foreign import Tally


def test_a_rate_is_the_mean_over_runs_of_the_share_of_criteria_that_passed(scene) -> None:
    """3 of 4, 2 of 4 and 4 of 4 are 0.75 on average; the spread is that of a sample, divided by n - 1."""
    audit = scene({"eval-0": {"with_skill": ["PPPF", "PPFF", "PPPP"]}}).audit()
    rate = audit.iterations[0].arms[0].pass_rate
    assert rate.mean == 0.75
    assert rate.stddev == pytest.approx(0.25)
    assert (rate.min, rate.max, rate.n) == (0.5, 1.0, 3)


def test_a_run_without_a_grading_is_in_no_rate(scene) -> None:
    """One run with 1 of 2 and one without a grading: 0.5, and 0.25 were it a failure."""
    (arm,) = scene({"eval-0": {"with_skill": ["PF", "?"]}}).audit().iterations[0].arms
    assert (arm.n_runs, arm.n_graded) == (2, 1)
    assert arm.pass_rate.mean == 0.5
    assert arm.pass_rate_if_ungraded_is_zero.mean == 0.25
    assert arm.pass_rate.stddev is None


def test_times_and_tokens_are_over_all_runs_that_have_them(scene) -> None:
    """A run that was not graded took its time too; one without timing is left out."""
    made = scene({"eval-0": {"with_skill": ["P", "?", "P"]}})
    made = made.with_runs(lambda run: {"timing": None} if run.run_number == 3 else {})
    (arm,) = made.audit().iterations[0].arms
    assert (arm.time_seconds.mean, arm.time_seconds.n) == (30.0, 2)
    assert (arm.tokens.mean, arm.tokens.n) == (3000, 2)


def test_a_verdict_that_is_neither_counts_neither_way(scene) -> None:
    """One passed, one failed, one unreadable: 0.5."""
    (arm,) = scene({"eval-0": {"with_skill": ["PFU"]}}).audit().iterations[0].arms
    assert arm.pass_rate.mean == 0.5


def test_a_summary_is_never_believed(scene) -> None:
    """The criteria say 1 of 2, whatever the summary says."""
    made = scene({"eval-0": {"with_skill": ["PF"]}})
    made = made.with_grading("iteration-1/eval-0/with_skill/run-1", tally=Tally(passed=2, total=2, pass_rate=1.0))
    assert made.audit().iterations[0].arms[0].pass_rate.mean == 0.5


@pytest.mark.parametrize("names", [("with_skill", "without_skill"), ("new_skill", "old_skill")])
def test_differences_are_treatment_minus_baseline_whatever_the_alphabet_says(scene, names) -> None:
    """1.0 against 0.5, 30 s against 20 s, 3,000 tokens against 2,000."""
    treatment, baseline = names
    delta = scene({"eval-0": {baseline: ["PF"], treatment: ["PP"]}}).audit().iterations[0].delta
    assert delta["pass_rate"] == 0.5
    assert delta["time_seconds"] == 10.0
    assert delta["tokens"] == 1000


def test_the_lift_weighs_cases_equally(scene) -> None:
    """Case 0 has +1 in one run, case 1 has 0 in three: the lift is 0.5 though the means over runs differ by 0.25."""
    table = {
        "eval-0": {"with_skill": ["P"], "without_skill": ["F"]},
        "eval-1": {"with_skill": ["P"] * 3, "without_skill": ["P"] * 3},
    }
    (iteration,) = scene(table).audit().iterations
    assert iteration.lift.estimate == 0.5
    assert iteration.delta["pass_rate"] == 0.25
    assert (iteration.lift.n_cases, iteration.lift.repeats_min, iteration.lift.repeats_max) == (2, 1, 3)
    assert iteration.lift.low < 0.5 < iteration.lift.high


def test_a_case_that_was_graded_in_one_arm_is_not_paired(scene) -> None:
    """Only the case with both arms speaks, and one case has no interval."""
    table = {"eval-0": {"with_skill": ["P"], "without_skill": ["F"]}, "eval-1": {"with_skill": ["P"]}}
    lift = scene(table).audit().iterations[0].lift
    assert (lift.estimate, lift.n_cases, lift.low, lift.word) == (1.0, 1, None, "cannot tell")


def test_without_both_roles_there_is_no_difference(scene) -> None:
    """Roles are not guessed from names."""
    (iteration,) = scene({"eval-0": {"alpha": ["P"], "beta": ["F"]}}).audit().iterations
    assert iteration.delta is None
    assert iteration.lift is None
    assert [own.pass_rate.mean for own in iteration.arms] == [1.0, 0.0]


def test_a_leftover_folder_is_no_run(scene) -> None:
    """`run-retry` with nothing but outputs is in no figure, and is found."""
    made = scene({"eval-0": {"with_skill": ["P", "?"]}})
    made = made.with_runs(lambda run: {"written_as": "run-retry", "timing": None} if run.run_number == 2 else {})
    audit = made.audit()
    assert audit.n_runs == audit.iterations[0].arms[0].n_runs == 1
    assert [finding.name for finding in audit.findings] == ["odd-run-folder"]


def test_a_clean_workspace_gives_no_finding(scene) -> None:
    """Nothing is found in what is right."""
    table = {
        "eval-0": {"with_skill": ["PP", "PF"], "without_skill": ["PF", "FF"]},
        "eval-1": {"with_skill": ["PPP", "PPF"], "without_skill": ["PFF", "FFF"]},
    }
    audit = scene(table).audit()
    assert audit.ok
    assert audit.n_runs == 8


def test_no_run_takes_nothing(scene) -> None:
    """0 tokens and 0 s are what tools write for what they do not know: the mean is over the other run alone."""
    made = scene({"eval-0": {"with_skill": ["P", "P"]}}).with_runs(
        lambda run: {"timing": replace(run.timing, total_tokens=0, duration_s=0.0)} if run.run_number == 1 else {}
    )
    own = made.audit().iterations[0].arms[0]
    assert (own.tokens.mean, own.tokens.n, own.time_seconds.mean, own.time_seconds.n) == (3000, 1, 30.0, 1)


def test_our_own_times_and_tokens_are_over_graded_trials(scene) -> None:
    """As our benchmark has them: 3,000 tokens of the one that was graded."""
    made = scene({"eval-0": {"with_skill": ["P", "?"]}}, family="native").with_runs(
        lambda run: {"timing": replace(run.timing, total_tokens=1000)} if run.run_number == 2 else {}
    )
    summary = {"with_skill": {"tokens": {"mean": 3000, "n": 1}}}
    metadata = {"runs_per_configuration": 1}
    assert not [
        each for each in made.findings({"run_summary": summary, "metadata": metadata}) if each.severity == "error"
    ]
