"""The folder of one trial: how its files are written, and how it comes to its place in the workspace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

from pydantic_core import PydanticSerializationError

from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.events import AssistantMessage, ToolCall
from skilltrial.records.json_value import Json
from skilltrial.records.suite import Case
from skilltrial.records.trial import HarnessResult, OutputFile, Trial, TrialKey

_DEEPEST = 100
"""Levels of lists and objects that are kept."""
_METRICS = "metrics.json"


def encodable(result: HarnessResult) -> HarnessResult:
    """An agent's stream may hold half characters (lone surrogates), which no file can; they become U+FFFD.

    What is nested too deeply for a writer of JSON is cut off.
    """
    try:
        result.model_dump_json()
    except PydanticSerializationError:
        return HarnessResult.model_validate(_writable(result.model_dump(), _DEEPEST))
    return result


def _writable(value: Json, left: int) -> Json:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict | list | tuple) and left == 0:
        return "…"
    if isinstance(value, dict):
        items = cast("dict[Json, Json]", value).items()
        return {_writable(key, left): _writable(item, left - 1) for key, item in items}
    if isinstance(value, list | tuple):
        return [_writable(item, left - 1) for item in cast("list[Json]", value)]
    return value


def write_trial(trial: Trial, result: HarnessResult, case: Case, staged: Path) -> None:
    """Write all files of a trial that are made from its records into its staging folder, run.json last."""
    lines = "".join(event.model_dump_json(exclude_none=True) + "\n" for event in result.events)
    (staged / layout.TRANSCRIPT).write_text(lines, encoding="utf-8")
    outputs = staged / layout.OUTPUTS
    outputs.mkdir(exist_ok=True)
    kept = [file for file in trial.files if file.kept and file.change != "deleted"]
    # The agent may have a file, or a folder, of that name; on some disks whatever its capitals.
    if not any(file.path.partition("/")[0].casefold() == _METRICS for file in trial.files):
        _write_json(outputs / _METRICS, _metrics(trial, result, kept, len(lines)))
    _write_json(staged / layout.TIMING, _timing(trial, case))
    (staged / layout.TRIAL).write_text(trial.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _metrics(trial: Trial, result: HarnessResult, kept: Sequence[OutputFile], transcript_chars: int) -> Json:
    """skill-creator's outputs/metrics.json; null where there is no transcript that could tell."""
    calls = trial.tool_calls
    steps = [event for event in result.events if isinstance(event, AssistantMessage | ToolCall)]
    return {
        "tool_calls": calls,
        "total_tool_calls": None if calls is None else sum(calls.values()),
        "total_steps": None if calls is None else len(steps),
        "files_created": [file.path for file in kept],
        "errors_encountered": trial.n_tool_errors,
        "output_chars": sum(file.size or 0 for file in kept),
        "transcript_chars": None if calls is None else transcript_chars,
    }


def _timing(trial: Trial, case: Case) -> Json:
    """skill-creator's, skill-builder's and eval-magic's timing.json at once."""
    seconds = None if trial.duration_ms is None else round(trial.duration_ms / 1000, 3)
    return {
        "eval_id": case.id if case.written_id is None else case.written_id,
        "config": trial.key.arm,
        "total_tokens": trial.usage.total_tokens,
        "duration_ms": trial.duration_ms,
        "total_duration_seconds": seconds,
        "timestamp": trial.started_at,
        "executor_start": trial.started_at,
        "executor_end": _later(trial.started_at, trial.duration_ms),
        "executor_duration_seconds": seconds,
        "source": "transcript",
        "usage": trial.usage.model_dump(),
        "cost_usd": trial.cost_usd,
    }


def _later(start: str | None, duration_ms: int | None) -> str | None:
    """The time so much later, written as the start is; None where one of them is not known."""
    if start is None or duration_ms is None:
        return None
    end = datetime.fromisoformat(start) + timedelta(milliseconds=duration_ms)
    return end.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _write_json(path: Path, data: Json) -> None:
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def keep_attempt(staged: Path, number: int) -> None:
    """What a failed try left goes into `attempts/<k>`, so that the next one starts with an empty folder."""
    kept = staged / "attempts" / str(number)
    kept.mkdir(parents=True)
    for item in list(staged.iterdir()):
        if item.name != "attempts":
            item.rename(kept / item.name)


def publish_trial(store: Store, iteration: int, key: TrialKey, staged: Path) -> None:
    """Put a trial's folder into its place; what was there is kept aside."""
    place = layout.trial_dir(iteration, key)
    _move_aside(store, iteration, place)
    store.publish(staged, place)


def _move_aside(store: Store, iteration: int, place: str) -> None:
    if not store.path(place).exists():
        return
    name = place.partition("/")[2].replace("/", "--")
    folder = f"{layout.iteration_dir(iteration)}/superseded"
    store.publish(store.path(place), f"{folder}/{name}--{len(store.find(f'{folder}/{name}--*')) + 1}")
