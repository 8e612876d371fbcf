"""A judge's figures corrected by labels, against values worked out by hand and a small simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from skilltrial.stats.judge_correction import (
    Groups,
    corrected_lift,
    ppi_mean,
    rogan_gladen,
    stratum_weights,
)

Y = [1, 1, 0, 0]
F = [1, 1, 1, 0]
T3 = 3.182446305284263
"""97.5 % quantile of t with 3 degrees of freedom, of any table."""


def test_four_labels_and_four_others_are_as_worked_out_by_hand() -> None:
    """Slope 2/3, k = 1/3; 1/2 - 1/4 + 1/4; variance 1/16 + 1/9 · 1/16."""
    found = ppi_mean(Y, F, [1, 1, 0, 1])
    half = T3 * math.sqrt(1 / 16 + 1 / 144)
    assert found.tuning == pytest.approx(1 / 3)
    assert found.estimate == pytest.approx(1 / 2)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0.5 - half, 0.5 + half))


def test_without_further_items_the_labels_speak_alone() -> None:
    """Mean 1/2, variance 1/3 over 4."""
    found = ppi_mean(Y, F, [])
    assert (found.estimate, found.tuning) == (0.5, 0)
    assert found.interval is not None
    assert found.interval.high == pytest.approx(0.5 + T3 * math.sqrt(1 / 12))


def test_a_judge_that_says_the_opposite_is_not_relied_on() -> None:
    """The covariance is below zero, and k with it cut to 0."""
    assert ppi_mean([1, 0, 1, 0], [0, 1, 0, 1], [1] * 50).tuning == 0


def test_per_case_differences_go_in_as_they_are() -> None:
    """The same formula for numbers from -1 to 1: slope 1, k = 1/2, 0.25 - 0.5 · 0.5 + 0.5 · 0.25."""
    found = ppi_mean([0.0, 0.5], [0.25, 0.75], [0.0, 0.5])
    assert found.tuning == pytest.approx(1 / 2)
    assert found.estimate == pytest.approx(0.25 - 0.25 + 0.125)


def test_weights_undo_a_draw_of_equal_numbers() -> None:
    """Of 90 passes a person takes 1 of 2, of 10 fails 0 of 2: the rate is 0.45, whatever the judge is relied on."""
    weights = stratum_weights(["pass", "pass", "fail", "fail"], {"pass": 90, "fail": 10})
    found = ppi_mean([1, 0, 0, 0], [1, 1, 0, 0], [1] * 90 + [0] * 10, weights=weights)
    assert weights == [45, 45, 5, 5]
    assert found.estimate == pytest.approx(0.45)


def test_a_stratum_without_a_label_is_refused_and_an_empty_one_is_not() -> None:
    """Nothing is known of items that nobody looked at."""
    with pytest.raises(ValueError, match="fail"):
        stratum_weights(["pass"], {"pass": 3, "fail": 1})
    assert stratum_weights(["pass"], {"pass": 3, "fail": 0}) == [3]


def test_items_of_one_case_are_no_independent_items() -> None:
    """Four labels of two cases, alike within each: sums off the mean are 1/2 · 1/2 each way, t with 1 degree."""
    groups = Groups(labelled=["a", "a", "b", "b"], rest=[])
    found = ppi_mean([1, 1, 0, 0], [1, 1, 1, 1], [], groups=groups)
    assert found.interval is not None
    half = 12.706204736 * math.sqrt(2 * (1 / 16 + 1 / 16))
    assert found.interval.high - found.estimate == pytest.approx(half)


def test_labels_of_one_case_have_no_interval() -> None:
    """One case says nothing about how cases vary."""
    assert ppi_mean([1, 0], [1, 1], [], groups=Groups(labelled=["a", "a"], rest=[])).interval is None


def test_the_corrected_lift_is_the_judges_and_what_it_is_off_by() -> None:
    """Differences 0.5, 0.1, corrections -0.1, 0.1: mean 0.3, standard deviation 0.1 · sqrt 2, t with 1 degree."""
    found = corrected_lift([0.5, 0.1], [-0.1, 0.1], n_labels=8, least_half_width=0)
    assert found.estimate == pytest.approx(0.3)
    assert found.interval is not None
    assert found.interval.high - 0.3 == pytest.approx(12.706204736 * 0.1)


def test_the_corrected_lift_is_never_surer_than_the_raw_one() -> None:
    """Where all cases agree the interval has the width that the raw one has."""
    found = corrected_lift([0.5, 0.5], [0, 0], n_labels=8, least_half_width=0.4)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0.1, 0.9))


def test_the_true_rate_follows_from_the_rates_of_error() -> None:
    """(0.8 + 0.8 - 1) / 0.7 and its variance, by hand."""
    found = rogan_gladen(80, 100, right_passes=9, n_passes=10, right_fails=8, n_fails=10)
    assert found is not None
    assert found.estimate == pytest.approx(6 / 7)
    variance = (0.0016 + (1 / 7) ** 2 * 0.016 + (6 / 7) ** 2 * 0.009) / 0.49
    assert found.interval is not None
    assert found.interval.low == pytest.approx(6 / 7 - 1.959963985 * math.sqrt(variance))
    assert found.interval.high == 1


def test_a_judge_near_chance_is_refused() -> None:
    """0.6 + 0.5 is less than 1.2; 0.6 + 0.6 is not."""
    assert rogan_gladen(80, 100, right_passes=6, n_passes=10, right_fails=5, n_fails=10) is None
    assert rogan_gladen(80, 100, right_passes=6, n_passes=10, right_fails=6, n_fails=10) is not None


def test_labels_of_one_kind_give_no_error_rates() -> None:
    """Without an item that people fail, specificity is unknown."""
    assert rogan_gladen(80, 100, right_passes=6, n_passes=10, right_fails=0, n_fails=0) is None


def test_the_interval_covers_the_truth_where_the_judges_own_does_not() -> None:
    """Sensitivity 0.9, specificity 0.8, true rate 0.85, 60 labels of 200: 93 % in 4,000 sets, at least 90 % in these 400."""
    rng = np.random.default_rng(11)
    covered = 0
    for _set in range(400):
        truth = rng.random(200) < 0.85
        judged = np.where(truth, rng.random(200) < 0.9, rng.random(200) < 0.2)
        found = ppi_mean(truth[:60].tolist(), judged[:60].tolist(), judged[60:].tolist())
        assert found.interval is not None
        covered += found.interval.low <= 0.85 <= found.interval.high
    assert covered >= 360
