"""What a pilot says, and what is put in its place where it says nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from skilltrial.aggregate.design import design
from skilltrial.aggregate.pilot import pilot
from skilltrial.aggregate.scores import CaseScores
from skilltrial.records.design import Wanted
from skilltrial.records.pilot import Pilot
from skilltrial.records.suite import Case

Row = tuple[Sequence[float], Sequence[float]]


def _rows(*rows: Row) -> list[CaseScores]:
    return [
        CaseScores(case=Case(id=f"c{n}", prompt="p"), treatment=tuple(new), baseline=tuple(old), one_armed=())
        for n, (new, old) in enumerate(rows)
    ]


def _wanted(*, lift: float = 0.2, n_cases: int | None = None, repeats: int = 3) -> Wanted:
    return Wanted(lift=lift, power=0.8, alpha=0.05, n_cases=n_cases, repeats=repeats)


def test_nothing_to_compare_is_no_pilot() -> None:
    """Neither without cases nor with one arm alone."""
    assert pilot([]) is None
    assert pilot(_rows(([1.0], []))) is None


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([([1, 0], [0, 0])], "one case has no other beside it."),
        ([([1], [0]), ([1], [1])], "no case has two graded runs in each arm."),
        ([([1, 1], [0, 0]), ([1, 1], [0, 0])], "nothing varies in these trials, which others cannot count on."),
    ],
)
def test_what_too_few_trials_cannot_say_is_the_usual_value(rows: list[Row], why: str) -> None:
    """One case, one repeat, no variance at all: 0.03 between cases and 0.17 within, as statistics.md has them."""
    made = pilot(_rows(*rows))
    assert made is not None
    assert (made.between, made.treatment, made.baseline, made.why) == (0.03, 0.17, 0.17, why)
    assert made.assumed == ("between", "within")


def test_few_cases_do_not_make_the_variance_between_them_small() -> None:
    """Runs 1, 0 have the variance 0.5; both lifts are 0.5, so that nothing is left between cases: the usual 0.03 stands."""
    made = pilot(_rows(([1, 0], [0, 0]), ([1, 0], [0, 0])))
    assert made is not None
    assert (made.between, made.treatment, made.baseline, made.assumed) == (0.03, 0.5, 0, ("between",))


def test_a_large_variance_between_few_cases_is_believed() -> None:
    """Lifts 1 and -1 (variance 2), less half of the variances within (0): more than usual, and nothing is assumed."""
    made = pilot(_rows(([1, 1], [0, 0]), ([0, 0], [1, 1])))
    assert made is not None
    assert (made.between, made.assumed) == (2, ())


def test_the_usual_values_ask_for_24_cases() -> None:
    """statistics.md §4: a lift of 20 points with three repeats; without cases there is nothing to see with them."""
    made = design(_wanted())
    assert (made.cases_needed, made.repeats_needed, made.smallest_lift, made.power_here) == (24, None, None, None)
    assert [each.repeats for each in made.payoffs] == [6, 11, 24]  # sqrt(5, 20, 100 times 0.34 / 0.06), rounded up


def test_more_cases_see_less_and_so_do_more_runs() -> None:
    """The table falls in both directions, and has the design that there is."""
    made = design(_wanted(n_cases=6, repeats=4))
    assert 4 in made.repeats
    assert 6 in [row.n_cases for row in made.table]
    assert all(list(row.lifts) == sorted(row.lifts, reverse=True) for row in made.table)
    firsts = [row.lifts[0] for row in made.table]
    assert firsts == sorted(firsts, reverse=True)


def test_no_number_of_runs_makes_up_for_cases_that_differ() -> None:
    """Two cases whose lifts have the variance 1: nothing follows from running them more often."""
    wild = Pilot(between=1, treatment=0.1, baseline=0.1, n_cases=20)
    made = design(_wanted(n_cases=2), pilot=wild)
    assert made.repeats_needed is None
    assert made.smallest_lift is not None
    assert made.smallest_lift > 1


def test_a_single_case_is_no_design() -> None:
    """It has no power, and no line in the table."""
    made = design(_wanted(n_cases=1))
    assert (made.power_here, made.smallest_lift) == (None, None)
    assert 1 not in [row.n_cases for row in made.table]
