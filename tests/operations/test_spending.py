"""What is left of ceilings."""

from __future__ import annotations

import pytest

from skilltrial.operations.spending import left_to, no_room_to_call, with_calls
from skilltrial.records.budget import Ceilings
from skilltrial.records.optimisation import RewriteCall, Spent


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


def a_call(cost: float | None, tokens: int | None = None) -> RewriteCall:
    """One of the rewriting model; half of the tokens are read."""
    n = None if tokens is None else tokens // 2
    return RewriteCall(round=1, cost_usd=cost, input_tokens=n, output_tokens=n)


def test_calls_count_as_runs_do() -> None:
    """0.7 and 0.1 and 0.3, and once more 0.3 for the one that does not tell; tokens that none tells count nothing."""
    spent = with_calls(Spent(n_runs=14, cost_usd=0.7, tokens=500), [a_call(0.1), a_call(0.3), a_call(None)])
    assert (spent.n_runs, spent.cost_usd, spent.tokens) == (14, pytest.approx(1.4), 500)
    assert with_calls(Spent(tokens=500), [a_call(0.1, 40)]).tokens == 540
    assert with_calls(Spent(cost_usd=None), [a_call(0.1)]).cost_usd is None


def test_no_call_begins_that_would_not_fit() -> None:
    """Of one dollar 0.5 and 0.2 are spent: 0.2 more fits, and 0.4 would not. Nor after the last trial that is allowed."""
    one = Ceilings(max_cost_usd=1.0)
    assert no_room_to_call(one, Spent(cost_usd=0.5), [a_call(0.2)]) == ""
    full = "--max-cost 1 leaves no room for another call of the model."
    assert no_room_to_call(one, Spent(cost_usd=0.3), [a_call(0.4)]) == full
    assert no_room_to_call(one, Spent(cost_usd=0.9), [a_call(0.1)]) == "--max-cost 1 is reached."
    assert no_room_to_call(one, Spent(cost_usd=0.5), [a_call(None)]) == ""
    tokens = Ceilings(max_tokens=1000)
    assert no_room_to_call(tokens, Spent(tokens=900), [a_call(None, 60)]).startswith("--max-tokens 1000 leaves no room")
    assert no_room_to_call(Ceilings(max_trials=8), Spent(n_runs=8), []) == "--max-trials 8 is reached."
    assert no_room_to_call(Ceilings(), Spent(cost_usd=None), [a_call(None)]) == ""
