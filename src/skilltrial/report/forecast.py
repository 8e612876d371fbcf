"""A forecast in two lines."""

from __future__ import annotations

from collections.abc import Callable

from skilltrial.records.budget import Estimate, Forecast
from skilltrial.report.figures import dollars, plural, seconds

_FEW_MINUTES = 120


def forecast_lines(forecast: Forecast) -> tuple[str, str]:
    """What will be run and what it will take, and what that is known from."""
    if not forecast.n_to_run:
        why = "--max-trials leaves no room" if forecast.n_beyond else "all trials are finished"
        return f"to run: nothing, {why}", "no agent is started"
    notes = [f"{forecast.n_finished:,} of {forecast.n_planned:,} finished"] if forecast.n_finished else []
    notes += [f"{forecast.n_beyond:,} beyond --max-trials"] if forecast.n_beyond else []
    kept = f" ({'; '.join(notes)})" if notes else ""
    parts = [
        _told(forecast.tokens, lambda n: f"{n:,.0f} tokens", "tokens unknown"),
        "no money" if forecast.free else _told(forecast.cost_usd, dollars, "cost unknown"),
        _told(forecast.seconds, _span, "time unknown"),
    ]
    first = f"to run: {plural(forecast.n_to_run, 'trial')}{kept}; {', '.join(parts)}"
    return first, f"{_basis(forecast)}{_judge(forecast)}"


def _told(estimate: Estimate | None, unit: Callable[[float], str], unknown: str) -> str:
    if estimate is None:
        return unknown
    if estimate.low is None or estimate.high is None or unit(estimate.low) == unit(estimate.high):
        return f"about {unit(estimate.mean)}"
    return f"about {unit(estimate.mean)} ({unit(estimate.low).split()[0]} to {unit(estimate.high)})"


def _span(value: float) -> str:
    return seconds(value) if value < _FEW_MINUTES else f"{value / 60:,.0f} min"


def _basis(forecast: Forecast) -> str:
    unknown = [forecast.tokens, forecast.seconds, *([] if forecast.free else [forecast.cost_usd])].count(None)
    earlier = f"from {plural(forecast.basis, 'earlier trial')} here with this agent and model"
    if not forecast.basis:
        return "unknown: no earlier trial here with this agent and model; --max-trials 2 makes a pilot"
    return f"{earlier}, which do not tell all" if unknown else earlier


def _judge(forecast: Forecast) -> str:
    if forecast.judge is None:
        return ""
    return f"; the judge apart: {_told(forecast.judge_usd, dollars, 'unknown')}"
