"""What a search may still take."""

from __future__ import annotations

from typing import Any

from skilltrial.operations.description_probing import most_runs, scaled
from skilltrial.records.budget import Estimate, Forecast
from skilltrial.records.optimisation import Candidate, Optimisation, PartedQuery, QueryTally, RewriteCall

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
