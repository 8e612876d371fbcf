"""What is left of ceilings."""

from __future__ import annotations

import pytest

from skilltrial.operations.spending import left_to
from skilltrial.records.budget import Ceilings
from skilltrial.records.optimisation import Spent


def test_ceilings_hold_for_all_descriptions_together() -> None:
    """Of 20 runs, 14 are done, 4 of them by this one, which so may have 10 in all."""
    ceilings = Ceilings(max_trials=20, max_cost_usd=1.0)
    spent, own = Spent(n_runs=14, cost_usd=0.7, tokens=None), Spent(n_runs=4, cost_usd=0.2, tokens=None)
    left = left_to(ceilings, spent, own)
    assert isinstance(left, Ceilings)
    assert (left.max_trials, left.max_cost_usd, left.max_tokens) == (10, pytest.approx(0.5), None)
    assert left_to(ceilings, Spent(n_runs=20, cost_usd=0.7), Spent()) == "--max-trials 20 is reached."
    unknown = left_to(ceilings, Spent(n_runs=14, cost_usd=None), Spent())
    assert unknown == "--max-cost cannot be held: what earlier runs took is unknown."
