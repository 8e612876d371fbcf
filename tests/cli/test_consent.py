"""When a person is asked before a run."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.cli.consent import Consent
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.records.budget import Ceilings, Estimate, Forecast


def concern(*, max_cost: float | None = None, **facts: Any) -> str | None:
    """Why it asks above 5 dollars, of 30 trials."""
    forecast = Forecast.model_validate({"n_planned": 30, "n_finished": 0, "n_to_run": 30, **facts})
    ceilings = Ceilings(max_cost_usd=max_cost)
    return Consent(ask_above_usd=5, yes=False, ceilings=ceilings, progress=Progress(Screen())).concern(forecast)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"cost_usd": Estimate(mean=5)}, None),
        ({"cost_usd": Estimate(mean=6)}, "about $6.00 is more than --ask-above $5.00"),
        ({"cost_usd": Estimate(mean=6), "max_cost": 5.0}, None),
        ({}, "what 30 trials will cost is unknown"),
        ({"free": True}, None),
    ],
)
def test_the_agents_cost_asks(facts: dict[str, Any], why: str | None) -> None:
    """Above the threshold or unknown, and not held by a ceiling."""
    assert concern(**facts) == why


def test_the_judge_counts_where_agents_are_free_or_held() -> None:
    """No ceiling holds it, and a local model does not make it free."""
    judge: dict[str, Any] = {"judge": "openai:m", "n_to_judge": 30, "judge_usd": Estimate(mean=7)}
    said = "about $7.00 (with the judge) is more than --ask-above $5.00"
    assert concern(free=True, **judge) == said
    assert concern(cost_usd=Estimate(mean=1), max_cost=2, **judge) == said
    assert concern(n_to_run=0, **judge) == said
    assert concern(free=True, **{**judge, "judge_usd": None}) == "what the judge of 30 trials will cost is unknown"
