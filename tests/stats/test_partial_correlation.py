"""Correlation within classes."""

from __future__ import annotations

import numpy as np
import pytest

from skilltrial.stats.partial_correlation import class_sums, within_correlation


def test_what_two_classes_differ_in_does_not_count() -> None:
    """Within each class y falls as x rises, though the class with the larger x has the larger y."""
    sums = class_sums([0, 1, 10, 11], [1, 0, 6, 5], ["a", "a", "b", "b"], order="ab")
    assert float(within_correlation(sums)) == pytest.approx(-1)


def test_one_class_has_pearsons_correlation() -> None:
    """From x 1, 2, 3 and y 1, 3, 2: covariance 1, spreads 2 and 2."""
    assert float(within_correlation(class_sums([1, 2, 3], [1, 3, 2], "aaa", order="a"))) == pytest.approx(1 / 2)


def test_sums_of_cases_add_up() -> None:
    """The bootstrap over cases relies on it."""
    parts = [class_sums([1], [1], "a", order="a"), class_sums([2, 3], [3, 2], "aa", order="a")]
    assert float(within_correlation(np.sum(parts, axis=0))) == pytest.approx(1 / 2)


def test_what_does_not_vary_correlates_with_nothing() -> None:
    """That is no correlation of 0."""
    assert np.isnan(within_correlation(class_sums([1, 1], [0, 1], "aa", order="a")))
