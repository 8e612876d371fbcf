"""What is refused before it is computed with."""

from __future__ import annotations

import math

import pytest

from skilltrial.stats.domain import check_finite, check_scores, check_share


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_named_with_its_place(value: float) -> None:
    """The third of three."""
    with pytest.raises(ValueError, match=f"value 2 is {value!r}, not a number"):
        check_finite([0.0, 1e9, value], "value")


@pytest.mark.parametrize("value", [math.nan, -0.001, 1.001, 85])
def test_a_score_is_from_0_to_1(value: float) -> None:
    """85 is not 0.85."""
    with pytest.raises(ValueError, match="score 1 is"):
        check_scores([0.5, value], "score")


@pytest.mark.parametrize("value", [math.nan, 0, 1, 95])
def test_a_share_is_between_0_and_1(value: float) -> None:
    """Neither end is one."""
    with pytest.raises(ValueError, match="alpha is between 0 and 1"):
        check_share(value, "alpha")


def test_what_is_fine_passes() -> None:
    """Both ends are scores."""
    check_finite([-1e300, 0], "value")
    check_scores([0, 1], "score")
    check_share(0.05, "alpha")
