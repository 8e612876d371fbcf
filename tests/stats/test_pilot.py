"""What a pilot says: by hand, where it says nothing, and on average the truth."""

from __future__ import annotations

import numpy as np
import pytest

from skilltrial.stats.permutation import Stratum
from skilltrial.stats.pilot import pilot_spread


def test_by_hand() -> None:
    """Case 1: (1, 0) and (0, 0); case 2: (1, 1) and (0, 0). Within: treatment (1/2 + 0)/2 = 1/4, baseline 0.

    Differences 1/2 and 1, variance 1/8; the repeats explain 1/4 over 2 = 1/8; nothing is left between the cases.
    """
    spread = pilot_spread([Stratum((1, 0), (0, 0)), Stratum((1, 1), (0, 0))])
    assert spread is not None
    assert (spread.between, spread.treatment, spread.baseline) == pytest.approx((0, 0.25, 0))


def test_unequal_repeats_and_graded_scores_by_hand() -> None:
    """Treatment: (0.2, 0.4) has 0.02, a single 1 says nothing of its arm: 0.02. Baseline: (0, 0, 0) and (0, 0): 0.

    Differences 0.3 and 1, variance 0.245; explained (0.02/2 + 0.02/1)/2 = 0.015; between 0.23.
    """
    spread = pilot_spread([Stratum((0.2, 0.4), (0, 0, 0)), Stratum((1,), (0, 0))])
    assert spread is not None
    assert (spread.between, spread.treatment, spread.baseline) == pytest.approx((0.23, 0.02, 0))


def test_less_than_what_the_repeats_explain_is_zero_not_negative() -> None:
    """All four differences are 0, though trials vary: 0 - 1/2 would be below 0."""
    spread = pilot_spread([Stratum((1, 0), (1, 0))] * 4)
    assert spread is not None
    assert spread.between == 0


@pytest.mark.parametrize(
    "strata", [[], [Stratum((1, 0), (0, 1))], [Stratum((1,), (0, 1)), Stratum((0,), (0, 1))], [Stratum((1,), (0,))] * 9]
)
def test_what_a_pilot_does_not_show_is_unknown(strata: list[Stratum]) -> None:
    """One case has no spread between cases; single trials have none within."""
    assert pilot_spread(strata) is None


def test_on_average_it_is_the_truth() -> None:
    """2,000 cases with lifts of 0 or 0.4 (variance 0.04) from a chance of 0.3: 0.3 x 0.7 = 0.21 and (0.21 + 0.21)/2."""
    rng = np.random.default_rng(8)
    chances = rng.choice([0.3, 0.7], 2_000)
    strata = [Stratum(tuple(rng.binomial(1, p, 3).tolist()), tuple(rng.binomial(1, 0.3, 3).tolist())) for p in chances]
    spread = pilot_spread(strata)
    assert spread is not None
    assert (spread.between, spread.treatment, spread.baseline) == pytest.approx((0.04, 0.21, 0.21), abs=0.02)
