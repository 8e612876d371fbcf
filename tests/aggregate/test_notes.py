"""Observations by code: each with its figures, in plain sentences."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from skilltrial.aggregate.notes import MOST
from skilltrial.records.usage import Usage

START = datetime(2026, 3, 1, tzinfo=UTC)


def rows(*cells: tuple[str, str]) -> dict[str, dict[str, list[str]]]:
    """A row a case: treatment and baseline."""
    return {
        f"c{n}": {"with_skill": new.split(), "without_skill": old.split()}
        for n, (new, old) in enumerate(cells, start=1)
    }


def test_assertions_that_tell_the_arms_apart(scene) -> None:
    """One holds in both trials with the skill alone, one without it alone, and the third always."""
    notes = scene(rows(("PFP PFP", "FPP FPP"))).benchmark().notes
    assert (
        "Assertions that hold clearly less often with with_skill than with without_skill: 1 of 3 ('c1 holds 2' 0/2 against 2/2)."
        in notes
    )
    assert (
        "Assertions that hold clearly more often with with_skill than with without_skill: 1 of 3 ('c1 holds 1' 2/2 against 0/2)."
        in notes
    )


def test_assertions_with_the_same_text_are_told_apart_by_their_case(scene) -> None:
    """Else the same words would stand there twice."""
    alike = scene(rows(("P P", "P P"), ("P P", "P P"))).with_cases(
        lambda case: {"assertions": tuple(each.model_copy(update={"text": "it ends"}) for each in case.assertions)}
    )
    gradings = tuple(
        grading.model_copy(
            update={"results": tuple(each.model_copy(update={"text": "it ends"}) for each in grading.results)}
        )
        for grading in alike.gradings
    )
    notes = replace(alike, gradings=gradings).benchmark().notes
    assert (
        "Assertions that pass in every graded trial of both arms: 2 of 2 ('it ends' of c1, 'it ends' of c2)." in notes
    )


def test_arms_that_lost_different_shares(scene) -> None:
    """One of four and none of four."""
    unequal = scene(rows(("P P", "F F"), ("P harness_error", "F F"))).benchmark().notes
    assert (
        "Without a verdict are 1 of 4 trials of with_skill and 0 of 4 trials of without_skill: the arms may be left with "
        "different tasks." in unequal
    )
    equal = scene(rows(("P -", "F U"))).benchmark().notes
    assert not [note for note in equal if note.startswith("Without")]


def test_ceiling_and_floor(scene) -> None:
    """Two cases that always pass, one that never scores, one between."""
    notes = scene(rows(("P P", "P P"), ("P", "P"), ("F F", "F F"), ("P", "F"))).benchmark().notes
    assert "All trials of both arms pass in 2 of 4 cases (c1, c2): no skill can gain there." in notes
    assert (
        "All trials of both arms score 0 in 1 of 4 cases (c3): they are too hard, or their assertions cannot be met."
        in notes
    )


@pytest.mark.parametrize(("seconds", "is_far"), [(19, False), (21, True)])
def test_a_trial_that_took_far_more_than_the_others(scene, seconds, is_far) -> None:
    """Nine of 10 seconds have no spread: twice the median is far."""
    made = scene(rows(*[("P", "F")] * 10)).with_trials(
        lambda t: {"duration_ms": 1000 * (seconds if (t.key.case_id, t.key.arm) == ("c4", "with_skill") else 10)}
    )
    found = [note for note in made.benchmark().notes if note.startswith("Outliers of time")]
    told = (
        "Outliers of time, over 3.5 robust deviations and twice the median of their arm: 1 of 20 trials; the farthest is "
        "c4/with_skill/run-1 21.0 s, median 10.0 s."
    )
    assert found == ([told] if is_far else [])


def test_where_trials_differ_much_anyway_nothing_is_an_outlier(scene) -> None:
    """Tokens of 2^0 … 2^9 thousand: the median distance of the logs is 2.5 doublings, and 13 would be far."""
    made = scene(rows(*[("P", "F")] * 10)).with_trials(
        lambda t: {"usage": Usage(input_tokens=1000 * 2 ** (int(t.key.case_id[1:]) - 1), output_tokens=0)}
    )
    assert not [note for note in made.benchmark().notes if note.startswith("Outliers of tokens")]


@pytest.mark.parametrize(("late", "is_told"), [("F", True), ("P", False)])
def test_drift(scene, late, is_told) -> None:
    """Ten cases with one repeat in the first hour and one in the second, in which all fail: 1/2 above and below each mean."""
    made = scene(rows(*[(f"P {late}", f"P {late}")] * 10)).with_trials(
        lambda t: {"started_at": (START + timedelta(hours=t.key.repeat)).isoformat()}
    )
    found = [note for note in made.benchmark().notes if note.startswith("Drift")]
    told = (
        "Drift: within cases and arms, the later half of 40 trials scores 100 points lower than the earlier half "
        "(standard error 0)."
    )
    assert found == ([told] if is_told else [])


def test_drift_needs_times_that_differ(scene) -> None:
    """Replays all start at once, and imports may have no times, or ones without a zone."""
    made = scene(rows(*[("P F", "P F")] * 10))
    assert not [note for note in made.benchmark().notes if note.startswith("Drift")]
    times = ["", "soon", "2026-03-01T12:00:00", "2026-03-01T12:00:00Z"]
    odd = made.with_trials(lambda t: {"started_at": times[int(t.key.case_id[1:]) % 4]})
    assert odd.benchmark().notes


def test_there_are_never_many(scene) -> None:
    """Whatever there is to say."""
    table = rows(
        ("PFP PFP", "FPP FPP"), ("P P", "P P"), ("F F", "F F"), ("P F", "F P"), ("P harness_error", "F F"), ("F", "P")
    )
    assert 6 < len(scene(table).benchmark().notes) <= MOST


def test_means_that_are_equal_on_paper_have_not_fallen(scene) -> None:
    """1/5 and 2/5 against 0 and 3/5 are 3/10 twice, which floating point puts 5e-17 apart: no case fell, and the lift is 0."""
    cells = {"with_skill": ["FFFFF", "PPPFF"], "without_skill": ["PFFFF", "PPFFF"]}
    found = scene({"one": cells, "two": cells}).benchmark()
    assert [row.difference for row in found.cases] == [0, 0]
    assert found.lift.estimate == 0
    assert not any("fell" in note for note in found.notes)
