"""The probability that a case got worse, against scipy's integration and closed forms."""

from __future__ import annotations

import math

import pytest
from scipy import integrate, stats

from skilltrial.stats.harm import harm_probability

PAIRS = [
    ((0, 3), (3, 3)),
    ((1, 3), (2, 3)),
    ((5, 10), (9, 10)),
    ((50, 100), (60, 100)),
    ((0, 0), (3, 3)),
    ((2, 2), (0, 7)),
]


@pytest.mark.parametrize(("treatment", "baseline"), PAIRS)
def test_agrees_with_scipy(treatment: tuple[int, int], baseline: tuple[int, int]) -> None:
    """Density of baseline's chance times the probability that treatment's is below it, integrated over all chances."""
    below = stats.beta(treatment[0] + 0.5, treatment[1] - treatment[0] + 0.5)
    above = stats.beta(baseline[0] + 0.5, baseline[1] - baseline[0] + 0.5)
    oracle = integrate.quad(lambda x: above.pdf(x) * below.cdf(x), 0, 1, limit=500, epsabs=1e-12)[0]
    assert harm_probability(treatment, baseline) == pytest.approx(oracle, abs=1e-9)


def test_no_trials_in_one_arm_by_hand() -> None:
    """Arcsine prior for treatment, x = sin^2 t, P(p1 < x) = 2 t / pi; one failure of baseline has the density
    (4 / pi) cos^2 t on (0, pi/2): (8 / pi^2) times the integral of t cos^2 t, (pi^2 - 4) / 16, is 1/2 - 2 / pi^2.
    """
    assert harm_probability((0, 0), (0, 1)) == pytest.approx(0.5 - 2 / math.pi**2, abs=1e-12)


@pytest.mark.parametrize("counts", [(0, 0), (0, 3), (2, 3), (40, 40)])
def test_equal_counts_are_a_coin(counts: tuple[int, int]) -> None:
    """All pass in both arms is no evidence either way."""
    assert harm_probability(counts, counts) == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize(("treatment", "baseline"), PAIRS)
def test_harm_and_help_are_one(treatment: tuple[int, int], baseline: tuple[int, int]) -> None:
    """The chances are never exactly equal."""
    total = harm_probability(treatment, baseline) + harm_probability(baseline, treatment)
    assert total == pytest.approx(1, abs=1e-9)


def test_a_thousand_trials_are_still_a_probability() -> None:
    """No overflow, and not above 1."""
    assert 0.999 < harm_probability((0, 500), (500, 500)) <= 1


@pytest.mark.parametrize("counts", [(2, 1), (-1, 3)])
def test_impossible_counts_are_refused(counts: tuple[int, int]) -> None:
    """In either arm."""
    with pytest.raises(ValueError, match="impossible"):
        harm_probability(counts, (0, 1))
    with pytest.raises(ValueError, match="impossible"):
        harm_probability((0, 1), counts)
