"""Student's t quantiles against scipy and closed forms."""

from __future__ import annotations

import math

import pytest
from scipy import special, stats

from skilltrial.stats.student_t import incomplete_beta, t_probability, t_quantile

DEGREES = (0.5, 1, 2, 3, 4, 7, 9, 19, 39, 99, 1000, 100_000)
PROBABILITIES = (1e-12, 1e-4, 0.025, 0.3, 0.49, 0.5, 0.501, 0.6, 0.75, 0.9, 0.95, 0.975, 0.995, 1 - 1e-9)


@pytest.mark.parametrize("df", DEGREES)
def test_quantiles_agree_with_scipy(df: float) -> None:
    """Ten digits, in the middle and far out, from half a degree of freedom to a hundred thousand."""
    for probability in PROBABILITIES:
        assert t_quantile(probability, df) == pytest.approx(stats.t.ppf(probability, df), rel=1e-10, abs=1e-15)


def test_one_degree_is_a_tangent() -> None:
    """With one degree of freedom (Cauchy) the quantile is tan(pi (p - 1/2)): at 3/4 that is tan(pi/4) = 1."""
    assert t_quantile(0.75, 1) == pytest.approx(1, rel=1e-13)
    assert t_quantile(0.975, 1) == pytest.approx(math.tan(0.475 * math.pi), rel=1e-12)


def test_next_to_the_median_no_digits_are_lost() -> None:
    """There t is the distance from 1/2 over the density at 0, which is 3/8 for four degrees of freedom."""
    assert t_quantile(0.5 + 2**-20, 4) == pytest.approx(2**-20 * 8 / 3, rel=1e-10)


def test_quantiles_mirror_around_the_median() -> None:
    """P(T <= -t) = P(T >= t)."""
    assert t_quantile(0.25, 5) == -t_quantile(0.75, 5)


@pytest.mark.parametrize(("probability", "df"), [(0, 3), (1, 3), (0.5, 0), (math.nan, 3)])
def test_a_question_without_answer_is_an_error(probability: float, df: float) -> None:
    """Probabilities of 0 and 1, NaN, and no degrees of freedom have no quantile."""
    with pytest.raises(ValueError, match="no t quantile"):
        t_quantile(probability, df)


def test_incomplete_beta_agrees_with_scipy() -> None:
    """Also at its ends, where the continued fraction is not used."""
    for a, b in ((0.5, 0.5), (2, 3), (50, 0.5), (0.5, 500)):
        for x in (0.0, 1e-6, 0.2, 0.5, 0.9, 0.999999, 1.0):
            assert incomplete_beta(a, b, x=x) == pytest.approx(special.betainc(a, b, x), rel=1e-10)


@pytest.mark.parametrize("df", DEGREES)
def test_probabilities_agree_with_scipy(df: float) -> None:
    """Far out on the lower side too, where digits are easily lost."""
    for t in (-50, -3, -0.5, 0, 0.1, 2, 700, math.inf, -math.inf):
        assert t_probability(t, df) == pytest.approx(stats.t.cdf(t, df), rel=1e-10, abs=1e-15)


def test_next_to_the_median_probabilities_keep_their_digits() -> None:
    """The density of one degree at 0 is 1 / pi."""
    assert t_probability(1e-9, 1) - 0.5 == pytest.approx(1e-9 / math.pi, rel=1e-6)


@pytest.mark.parametrize(("t", "df"), [(1, 0), (math.nan, 3)])
def test_no_distribution_is_an_error(t: float, df: float) -> None:
    """No degrees of freedom, and NaN."""
    with pytest.raises(ValueError, match="no t distribution"):
        t_probability(t, df)
