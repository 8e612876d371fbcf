"""A forecast in two lines."""

from __future__ import annotations

from collections.abc import Callable

from skilltrial.records.budget import Estimate, Forecast
from skilltrial.report.figures import dollars, plural, seconds

_FEW_SECONDS = 120


def forecast_lines(forecast: Forecast) -> tuple[str, str]:
    """What will be run and what it will probably take; the ranges, and what that is known from."""
    if not forecast.n_to_run:
        why = "--max-trials leaves no room" if forecast.n_beyond else "all trials are finished"
        return f"to run: nothing, {why}", f"no agent is started{_judge(forecast)}"
    notes = [f"{forecast.n_finished:,} of {forecast.n_planned:,} finished"] if forecast.n_finished else []
    notes += [f"{forecast.n_beyond:,} beyond --max-trials"] if forecast.n_beyond else []
    kept = f" ({'; '.join(notes)})" if notes else ""
    return f"to run: {plural(forecast.n_to_run, 'trial')}{kept}: {_means(forecast)}", _basis(forecast)


def _means(forecast: Forecast) -> str:
    parts = [
        _mean(forecast.tokens, _tokens, "tokens unknown"),
        "no money" if forecast.free else _mean(forecast.cost_usd, dollars, "cost unknown"),
        _mean(forecast.seconds, _span, "time unknown"),
    ]
    return ("about " if forecast.basis else "") + ", ".join(parts)


def _basis(forecast: Forecast) -> str:
    parts = [text for text in (_range(forecast.tokens, _tokens), _range(forecast.cost_usd, dollars)) if text]
    ranges = f"range {', '.join(parts)}; " if parts else ""
    known = f"{ranges}from {plural(forecast.basis, 'earlier trial')} of this agent and model"
    if not forecast.basis:
        known = "no earlier trial of this agent and model here; --max-trials 2 makes a pilot"
    return f"{known}{_judge(forecast)}"


def _judge(forecast: Forecast) -> str:
    if forecast.judge is None or not forecast.n_to_judge:
        return ""
    of = "" if forecast.n_to_judge == forecast.n_to_run else f" of {plural(forecast.n_to_judge, 'trial')}"
    calls = "" if forecast.n_judge_calls <= forecast.n_to_judge else f"{plural(forecast.n_judge_calls, 'call')}, "
    return f"; judge{of} apart, {calls}{_mean(forecast.judge_usd, dollars, 'unknown')}"


def _mean(estimate: Estimate | None, unit: Callable[[float], str], unknown: str) -> str:
    return unknown if estimate is None else unit(estimate.mean)


def _range(estimate: Estimate | None, unit: Callable[[float], str]) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    low, high = unit(estimate.low), unit(estimate.high)
    return "" if low == high else f"{low.split()[0]}–{high}"


def _tokens(number: float) -> str:
    return f"{number:,.0f} tokens"


def _span(value: float) -> str:
    return seconds(value) if value < _FEW_SECONDS else f"{value / 60:,.0f} min"
