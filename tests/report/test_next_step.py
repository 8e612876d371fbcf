"""How many cases or runs a report that cannot tell asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.pilot import Pilot
from skilltrial.records.self_check import SAME_ARMS
from skilltrial.report.next_step import next_step

USUAL = Pilot(between=0.03, treatment=0.17, baseline=0.17, n_cases=6)


@pytest.fixture
def small(make: Callable[..., Benchmark]) -> Benchmark:
    """Six cases once each: one is gained, and nothing can be told."""
    cases = {(f"c{n}", f"case {n}"): {"with_skill": [[n < 2]], "without_skill": [[n < 1]]} for n in range(6)}
    return make(cases, {})


def _asked(benchmark: Benchmark, **fields: object) -> str:
    lift = benchmark.lift
    assert lift is not None
    told = {"word": "cannot tell", "estimate": 0.2, "n_cases": 6, "repeats_max": 3, "repeats_min": 3, **fields}
    made = replace(lift, **told)  # pyright: ignore[reportArgumentType] - the fields are given by name
    return next_step(benchmark.model_copy(update={"lift": made, "pilot": USUAL}))


def test_the_planner_says_how_many_cases_or_runs(small: Benchmark) -> None:
    """A lift of 20 points, two-sided at 95 %, three runs: 31 cases; 6 cases with any number of runs see 25 points at best."""
    assert _asked(small) == (
        "about 31 cases like these instead of 6 would show a difference of 20 points four times in five; "
        "`skilltrial power` tells more."
    )


def test_runs_are_named_where_they_can_do_it(small: Benchmark) -> None:
    """Twenty cases: (2.09 + 0.86)^2 (0.03 + 0.34 / r) / 20 is at most 0.04 from r = 6 on."""
    assert "or 6 runs of each (--runs 6), would show" in _asked(small, n_cases=20)


def test_a_difference_smaller_than_the_margin_is_not_planned_for(small: Benchmark) -> None:
    """It would not matter: the margin is."""
    assert "a difference of 10 points" in _asked(small, estimate=0.01)


def test_without_a_pilot_no_number_is_made_up(small: Benchmark) -> None:
    """Files of older versions have none."""
    assert next_step(small) == "add cases first, then repeats (--runs): both make the interval narrower."


def test_a_check_against_itself_asks_for_no_cases(small: Benchmark) -> None:
    """Nothing is to be shown there."""
    assert next_step(small.model_copy(update={"notices": (SAME_ARMS,)})).startswith("`skilltrial aa`")
