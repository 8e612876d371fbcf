"""What a run took, out of the many spellings of it, in seconds, tokens and dollars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from skilltrial.adapters.interchange.values import child, finite, first_number, text, whole
from skilltrial.records.foreign import ForeignTiming
from skilltrial.records.json_value import Json, is_object

_AGENT_S = ("executor_duration_seconds", "agent_duration_seconds", "execution_time_seconds")
_MS = ("duration_ms", "elapsed_ms", "total_duration_ms", "latency_ms", "latencyMs", "time_ms", "durationMs", "wall_ms",
       "avg_ms")  # fmt: skip
_S = ("total_duration_seconds", "duration_seconds", "elapsed_seconds", "elapsed_s", "duration_s", "time_seconds", "seconds",
      "elapsed", "duration", "time_s", "wall_seconds", "wall_time_seconds", "total_seconds")  # fmt: skip
_TOTAL = ("total_tokens", "tokens", "tokens_total", "totalTokens", "token_count", "tokens_used")
_INPUT = ("input_tokens", "n_input_tokens", "prompt_tokens", "tokens_in")
_OUTPUT = ("output_tokens", "n_output_tokens", "completion_tokens", "tokens_out")
_CACHE = ("cache_creation_input_tokens", "cache_read_input_tokens")
_COST = ("total_cost_usd", "cost_usd", "cost", "total_cost", "costUsd", "usd")
_START = (
    "executor_start",
    "started_at",
    "start_time",
    "start_iso",
    "start",
    "startedAt",
    "start_ts",
    "start_ms",
    "timestamp",
)
_END = ("executor_end", "completed_at", "finished_at", "end_time", "end_iso", "end", "finishedAt", "end_ts", "end_ms")
_FIGURES = ("duration", "total", "input", "output", "cost", "grader")
_SPELLED = ((*_AGENT_S, *_MS, *_S), _TOTAL, _INPUT, _OUTPUT, _COST, ("grader_duration_seconds",))
_THOUSANDTHS = frozenset(_MS)
_READ = {key: (name, rank) for name, keys in zip(_FIGURES, _SPELLED, strict=True) for rank, key in enumerate(keys)}
"""What a key means, and how much it comes after the other spellings of the same."""
_MILLISECONDS_SINCE = 1e11
"""Moments above it are in milliseconds: in seconds they would be after the year 5000."""


def read_timing(value: Json, place: str) -> ForeignTiming | None:
    """The figures of an object; None where it is none.

    What is no figure goes along in `extra`, and so do further spellings of the same figure, which may contradict it.
    """
    if not is_object(value):
        return None
    figures, extra = _figures(value)
    usage = child(value, "usage")
    if usage and "input" not in figures:
        inside, _ = _figures(usage)
        figures.update({name: each for name, each in inside.items() if name in {"input", "output"}})
        if "input" in inside:
            figures["input"] += sum(first_number(usage, key) or 0 for key in _CACHE)
    total = figures.get("total")
    if total is None and "input" in figures and "output" in figures:
        total = figures["input"] + figures["output"]
    return ForeignTiming(
        place=place,
        total_tokens=whole(total),
        input_tokens=whole(figures.get("input")),
        output_tokens=whole(figures.get("output")),
        duration_s=_duration(figures, extra),
        grader_s=figures.get("grader"),
        cost_usd=figures.get("cost"),
        started_at=next((extra[key] for key in _START if isinstance(extra.get(key), str)), None),
        extra=extra,
    )


def _figures(value: Mapping[str, Json]) -> tuple[dict[str, float], dict[str, Json]]:
    """The figures by meaning, the best spelling of each; and everything else."""
    figures: dict[str, float] = {}
    best: dict[str, tuple[int, str]] = {}
    extra: dict[str, Json] = {}
    for key, each in value.items():
        known = _READ.get(key)
        figure = None if known is None else finite(each)
        if known is None or figure is None:
            extra[key] = each
            continue
        name, rank = known
        if name in best:
            former = best[name]
            if former[0] < rank:
                extra[key] = each
                continue
            extra[former[1]] = value[former[1]]
        figures[name], best[name] = figure / 1000 if key in _THOUSANDTHS else figure, (rank, key)
    return figures, extra


def merged(first: ForeignTiming | None, second: ForeignTiming | None) -> ForeignTiming | None:
    """The first, with what it lacks from the second."""
    if first is None or second is None:
        return first or second
    fields = ("total_tokens", "input_tokens", "output_tokens", "duration_s", "grader_s", "cost_usd", "started_at")
    lacking = {
        name: getattr(second, name)
        for name in fields
        if getattr(first, name) is None and getattr(second, name) is not None
    }
    return replace(first, **lacking) if lacking else first


def has_figures(timing: ForeignTiming | None) -> bool:
    """Whether anything in it is known."""
    return timing is not None and (
        timing.total_tokens is not None or timing.duration_s is not None or timing.cost_usd is not None
    )


def _duration(figures: Mapping[str, float], extra: Mapping[str, Json]) -> float | None:
    if "duration" in figures:
        return figures["duration"]
    start = next((moment for key in _START if (moment := _moment(extra.get(key))) is not None), None)
    end = next((moment for key in _END if (moment := _moment(extra.get(key))) is not None), None)
    return end - start if start is not None and end is not None and end >= start else None


def _moment(value: Json) -> float | None:
    """Seconds since 1970."""
    figure = finite(value) if not isinstance(value, str) else None
    if figure is not None:
        return figure / 1000 if figure > _MILLISECONDS_SINCE else figure
    said = text(value)
    if said is None:
        return None
    try:
        moment = datetime.fromisoformat(said)
        return moment.timestamp() if moment.tzinfo else moment.replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None
