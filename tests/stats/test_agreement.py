"""Agreement of raters, against values worked out by hand and published ones."""

from __future__ import annotations

import numpy as np
import pytest

from skilltrial.stats.agreement import (
    bootstrap_interval,
    cohen_kappa,
    confusion,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)

PERSON = ["P"] * 7 + ["F"] * 5
JUDGE = [*["P"] * 6, "F", *["P"] * 2, *["F"] * 3]
_ = None
# Krippendorff 2011, Computing Krippendorff's alpha-reliability, section D: four observers, twelve units, missing cells.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]


def test_twelve_items_have_the_table_that_was_counted() -> None:
    """Rows are the person's, columns the judge's."""
    assert confusion(PERSON, JUDGE, ("P", "F")).tolist() == [[6, 1], [2, 3]]


def test_twelve_items_have_the_agreement_worked_out_by_hand() -> None:
    """Raw 9/12; kappa (3/4 - 19/36) / (17/36) = 8/17; AC1 (3/4 - 15/32) / (17/32) = 9/17."""
    table = confusion(PERSON, JUDGE, ("P", "F"))
    figures = [float(figure(table)) for figure in (raw_agreement, cohen_kappa, gwet_ac1)]
    assert figures == pytest.approx([3 / 4, 8 / 17, 9 / 17])


def test_ac1_stays_high_where_kappa_falls_since_nearly_all_pass() -> None:
    """Both agree on 98 of 100: kappa (0.98 - 0.9802) / 0.0198 is below 0, AC1 (0.98 - 0.0198) / 0.9802 is not."""
    table = np.array([[98.0, 1.0], [1.0, 0.0]])
    assert float(cohen_kappa(table)) == pytest.approx(-0.0002 / 0.0198)
    assert float(gwet_ac1(table)) == pytest.approx(0.9602 / 0.9802)


def test_kappa_is_undefined_where_both_say_the_same_of_all() -> None:
    """Chance gives all of the agreement; that is no kappa of 0 and none of 1."""
    table = np.array([[12.0, 0.0], [0.0, 0.0]])
    assert np.isnan(cohen_kappa(table))
    assert float(gwet_ac1(table)) == 1


def test_three_categories_have_the_kappa_of_a_worked_example() -> None:
    """Agree 20 + 10 + 15 of 60, shares (25, 15, 20) and (23, 16, 21): p_e = (575 + 240 + 420) / 3600."""
    table = np.array([[20.0, 3.0, 2.0], [1.0, 10.0, 4.0], [2.0, 3.0, 15.0]])
    chance = (25 * 23 + 15 * 16 + 20 * 21) / 3600
    assert float(cohen_kappa(table)) == pytest.approx((0.75 - chance) / (1 - chance))


def test_a_stack_of_tables_has_a_figure_each() -> None:
    """The bootstrap relies on it."""
    table = confusion(PERSON, JUDGE, ("P", "F"))
    assert cohen_kappa(np.stack([table, table.T])).tolist() == pytest.approx([8 / 17, 8 / 17])


def test_an_unknown_category_is_refused() -> None:
    """Else it would be dropped without a word."""
    with pytest.raises(ValueError, match="UNSURE"):
        confusion(["UNSURE"], ["P"], ("P", "F"))


def test_alpha_is_the_published_one_for_names_and_for_ranks() -> None:
    """0.743 nominal, 0.815 ordinal."""
    assert krippendorff_alpha(OBSERVERS) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(OBSERVERS, level="ordinal") == pytest.approx(0.815, abs=5e-4)


def test_alpha_of_one_category_or_of_no_pair_is_unknown() -> None:
    """Where nothing could disagree nothing was measured."""
    assert krippendorff_alpha([[1, 1], [1, 1]]) is None
    assert krippendorff_alpha([[1, None], [None, 0]]) is None


def test_the_interval_draws_whole_cases() -> None:
    """Two cases, one all right and one all wrong, give 0, 1/2 and 1, however many items they have."""
    tables = np.array([[[50.0, 0], [0, 50]], [[0, 50], [50, 0]]])
    interval = bootstrap_interval(tables, raw_agreement, np.random.default_rng(1))
    assert interval is not None
    assert (interval.low, interval.high) == (0, 1)


def test_the_interval_is_the_same_for_the_same_seed() -> None:
    """A report is the same every time."""
    tables = np.random.default_rng(3).integers(0, 5, (6, 2, 2)).astype(float)
    first, second = (bootstrap_interval(tables, cohen_kappa, np.random.default_rng(7)) for _time in range(2))
    assert first == second
    assert first is not None
    assert first.low < float(cohen_kappa(tables.sum(axis=0))) < first.high


def test_there_is_no_interval_of_one_case_or_of_a_figure_that_is_mostly_undefined() -> None:
    """Both agree on nearly everything: most resamples have no kappa."""
    same = np.array([[4.0, 0], [0, 0]])
    mixed = np.array([[3.0, 0], [1, 0]])
    assert bootstrap_interval(same[None], raw_agreement, np.random.default_rng(1)) is None
    assert bootstrap_interval(np.stack([same, same, mixed]), cohen_kappa, np.random.default_rng(1)) is None
