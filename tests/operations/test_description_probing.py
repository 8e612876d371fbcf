"""What a search may still take, and what is left of its ceilings."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.operations.description_probing import left_to, most_runs, scaled
from skilltrial.records.budget import Ceilings, Estimate, Forecast
from skilltrial.records.optimisation import Candidate, Optimisation, PartedQuery, QueryTally, RewriteCall, Spent

OWN = Candidate(number=0, description="Its own description.")
DONE = OWN.model_copy(update={"tallies": (QueryTally(id="train0", should_trigger=True, n_loaded=1),)})


def a_search(**changes: Any) -> Optimisation:
    """Four queries of train, three of validation, five of test; three runs, five rounds."""
    sizes = {"train": 4, "validation": 3, "test": 5}
    queries = [
        {"id": f"{part}{n}", "query": "q", "should_trigger": True, "part": part}
        for part, k in sizes.items()
        for n in range(k)
    ]
    values: dict[str, Any] = {
        "skill_name": "s",
        "number": 1,
        "created_at": "now",
        "digest": "d",
        "test_digest": "t",
        "skill_file_digest": "f",
        "queries_path": "p",
        "queries": tuple(PartedQuery.model_validate(each) for each in queries),
        "runs": 3,
        "threshold": 0.5,
        "rounds": 5,
        "patience": 2,
        "harness": None,
        "model": None,
        "rewriter": "m",
        "candidates": (OWN,),
        **changes,
    }
    return Optimisation(**values)


def test_the_most_that_is_still_to_come() -> None:
    """3 ((1 + 5) 7 + 2 x 5) = 156 at the beginning; after the own and one round 3 (4 x 7 + 10) = 114; then the test alone, 30."""
    assert most_runs(a_search()) == 156
    assert most_runs(a_search(candidates=(DONE,), calls=(RewriteCall(round=1, answer="x", refused="no"),))) == 114
    assert most_runs(a_search(candidates=(DONE,), ended="enough")) == 30


def test_the_forecast_of_the_first_part_is_that_of_the_whole_at_the_same_price() -> None:
    """8 runs for 2 dollars are 40 for 10; what is unknown stays unknown."""
    part = Forecast(n_planned=10, n_finished=2, n_to_run=8, cost_usd=Estimate(mean=2.0, low=1.0, high=3.0))
    whole = scaled(part, 40)
    assert (whole.n_to_run, whole.n_finished, whole.cost_usd, whole.tokens) == (40, 0, Estimate(mean=10.0), None)
    assert scaled(part.model_copy(update={"n_to_run": 0}), 40).cost_usd is None


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
