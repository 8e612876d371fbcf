"""Promoted baselines, and what becomes of them."""

from __future__ import annotations

import pytest

from skilltrial.errors import SpecError
from skilltrial.gate.drift import drift_of
from skilltrial.gate.promotion import promoted_baseline, require_treatment
from skilltrial.records.promoted import PromotedBaseline
from skilltrial.stats.lift_interval import lift_interval


def _promoted(scene) -> PromotedBaseline:
    return promoted_baseline(scene.plan, scene.benchmark(), scene.trials)


def test_what_is_promoted(scene) -> None:
    """Passes, trials, score, means of a trial; an unknown cost stays unknown."""
    found = scene({"a": {"with_skill": ["PP", "PF"], "without_skill": ["FF"]}}).with_trials(
        lambda trial: {"cost_usd": None} if trial.key.repeat == 2 else {}
    )
    case = _promoted(found).arms["with_skill"].cases["a"]
    assert (case.passed, case.n, case.score, case.seconds, case.tokens, case.cost_usd) == (
        1,
        2,
        0.75,
        30.0,
        1000.0,
        None,
    )
    assert case.answered == ("a1", "a2")


def test_no_path_and_no_text_is_in_it(even) -> None:
    """The file is committed."""
    text = _promoted(even(2)).model_dump_json()
    assert "/skills" not in text
    assert "holds" not in text


def test_the_same_workspace_gives_the_same_bytes(even) -> None:
    """No clock."""
    assert _promoted(even(3)).model_dump_json() == _promoted(even(3)).model_dump_json()


def test_nothing_graded_is_not_promoted(scene) -> None:
    """There would be nothing to hold others to."""
    with pytest.raises(SpecError, match="no trial of a treatment arm has a verdict"):
        require_treatment(_promoted(scene({"a": {"with_skill": ["-"], "without_skill": ["P"]}})), where="w")


def test_the_difference_is_now_minus_then_with_the_interval_of_the_lift(even) -> None:
    """Three cases: one fails now in one of two trials, the others are as they were: the mean of 0, 0 and -1/2."""
    drift = drift_of(_promoted(even(3)), _promoted(even(3, c1=["P", "F"])))
    by_hand = lift_interval([1, 0.5, 1], [1, 1, 1])
    assert drift.estimate == pytest.approx(-1 / 6)
    assert (drift.low, drift.high, drift.n_cases) == (by_hand.low, by_hand.high, 3)
    assert [case.change for case in drift.cases] == ["same", "worse", "same"]
    assert (drift.cases[1].passed_then, drift.cases[1].passed_now) == (2, 1)
    assert drift.cases[1].harm is not None
    assert drift.cases[1].harm > 0.5


def test_changed_new_and_gone_cases_are_not_compared(even) -> None:
    """Each with its reason; the rest is."""
    before = even(3)
    changed = before.with_cases(lambda case: {"prompt": "Another."} if case.id == "c0" else {})
    now, then = _promoted(changed), _promoted(before)
    arm = then.arms["with_skill"]
    without = {case_id: case for case_id, case in arm.cases.items() if case_id != "c1"} | {"gone": arm.cases["c1"]}
    then = then.model_copy(update={"arms": {"with_skill": arm.model_copy(update={"cases": without})}})
    why = {case.case_id: case.why for case in drift_of(then, now).cases}
    assert why == {
        "c0": "the task or its assertions were changed",
        "c1": "not in the promoted baseline",
        "c2": "",
        "gone": "no verdict now",
    }


def test_a_changed_assertion_changes_the_case(even) -> None:
    """Also where its text is the same."""
    before = even(2)
    changed = before.with_cases(
        lambda case: {"assertions": tuple(each.model_copy(update={"weight": 2.0}) for each in case.assertions)}
    )
    assert {case.change for case in drift_of(_promoted(before), _promoted(changed)).cases} == {"not compared"}


def test_other_verdicts_are_not_compared(scene) -> None:
    """A judge that was there then and is not now."""
    then = scene({"a": {"with_skill": ["PP"], "without_skill": ["PP"]}})
    now = scene({"a": {"with_skill": ["PU"], "without_skill": ["PP"]}})
    drift = drift_of(_promoted(then), _promoted(now))
    assert (drift.estimate, drift.cases[0].why) == (None, "other assertions have a verdict")


def test_other_models_and_versions_are_said(even) -> None:
    """Each in a sentence with both."""
    now = even(2).with_trials(
        lambda trial: {"harness": trial.harness.model_copy(update={"version": "2.0", "model_served": "model-b"})}
    )
    notes = drift_of(_promoted(even(2)), _promoted(now)).notes
    assert "Another version of it than the promoted one: 2.0, then 1.0." in notes
    assert "Another model than the promoted one: model-b, then model-a." in notes
