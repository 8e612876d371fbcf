"""Case families as clusters."""

from __future__ import annotations

import numpy as np
import pytest

from skilltrial.stats.families import by_family
from skilltrial.stats.lift_interval import lift_interval


def test_a_family_is_the_mean_of_its_cases() -> None:
    """Three cases of family a make one number; the case without one stands for itself."""
    assert by_family([0.0, 1.0, 0.5, 0.25, 0.75], ["a", "b", "a", None, "a"]) == pytest.approx([1.25 / 3, 1.0, 0.25])


def test_cases_without_a_family_are_not_one_family() -> None:
    """None is no name."""
    assert by_family([0, 1, 1], [None, None, None]) == [0, 1, 1]


def test_copies_of_a_case_do_not_make_the_lift_surer() -> None:
    """Four cases, each there five times: the interval of families is that of the four, that of twenty cases is narrower."""
    treatment, baseline = [1.0, 1.0, 0.5, 1.0], [0.0, 0.5, 0.5, 0.25]
    families = [name for name in "abcd" for _ in range(5)]
    many = [score for score in treatment for _ in range(5)], [score for score in baseline for _ in range(5)]
    assert lift_interval(by_family(many[0], families), by_family(many[1], families)) == lift_interval(
        treatment, baseline
    )
    naive, honest = lift_interval(*many).half_width, lift_interval(treatment, baseline).half_width
    assert naive is not None
    assert honest is not None
    assert naive < honest / 2


def test_coverage_where_cases_are_variants_of_one_another() -> None:
    """Eight families of five cases with the same chances: intervals of cases miss the truth, those of families do not."""
    rng = np.random.default_rng(4)
    families = [family for family in range(8) for _ in range(5)]
    hits = {"cases": 0, "families": 0}
    for _ in range(400):
        baseline = rng.beta(1.2, 1.2, 8)
        treatment = baseline + rng.uniform(0, 0.8, 8) * (1 - baseline)
        scores = [(rng.binomial(10, np.repeat(chance, 5)) / 10).tolist() for chance in (treatment, baseline)]
        for name, arms in (("cases", scores), ("families", [by_family(arm, families) for arm in scores])):
            interval = lift_interval(*arms)
            assert interval.low is not None
            assert interval.high is not None
            hits[name] += interval.low <= 0.2 <= interval.high
    assert hits["cases"] / 400 < 0.85
    assert hits["families"] / 400 >= 0.92


def test_a_case_without_its_family_is_an_error() -> None:
    """Rather than a family guessed."""
    with pytest.raises(ValueError, match="shorter"):
        by_family([1.0, 0.0], ["a"])
