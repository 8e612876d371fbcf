"""The files of an imported iteration beside its outputs: the same as those that `run` leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from skilltrial.grade.native import to_native as grading_file
from skilltrial.importing.events import events_of
from skilltrial.importing.native import Native
from skilltrial.importing.values import plain
from skilltrial.records import layout
from skilltrial.records.grading import Grading
from skilltrial.records.json_value import Json
from skilltrial.records.suite import Case
from skilltrial.records.trial import Trial


class NativeFile(NamedTuple):
    """A file by its path within the iteration's folder."""

    path: str
    text: str


def native_files(native: Native) -> Iterator[NativeFile]:
    """All but plan.json, the benchmark and what is copied."""
    plan = native.plan
    for case in plan.suite.cases:
        yield NativeFile(f"{_case_dir(case)}/{layout.EVAL_METADATA}", _json(_metadata(case, plan.digest)))
    gradings = {grading.key: grading for grading in native.gradings}
    for trial in native.trials:
        folder = trial_dir(trial)
        case = plan.case(trial.key.case_id)
        yield NativeFile(f"{folder}/{layout.TRIAL}", trial.model_dump_json(indent=2) + "\n")
        events = events_of(native.runs[trial.key])
        if events:
            lines = "".join(event.model_dump_json(exclude_none=True) + "\n" for event in events)
            yield NativeFile(f"{folder}/{layout.TRANSCRIPT}", lines)
        yield NativeFile(f"{folder}/{layout.TIMING}", _json(_timing(trial, case)))
        yield NativeFile(f"{folder}/{layout.GRADING}", _json(_grading(gradings[trial.key], trial, case)))


def trial_dir(trial: Trial) -> str:
    """The trial's folder within the iteration's."""
    return layout.trial_dir(0, trial.key).partition("/")[2]


def _case_dir(case: Case) -> str:
    return layout.case_dir(0, case.id).partition("/")[2]


def _metadata(case: Case, digest: str) -> Json:
    return {
        "eval_id": _eval_id(case),
        "eval_name": case.name or case.id,
        "prompt": case.prompt or None,
        "expected_output": case.expected_output,
        "assertions": [assertion.text for assertion in case.assertions],
        "plan_digest": digest,
    }


def _timing(trial: Trial, case: Case) -> Json:
    seconds = None if trial.duration_ms is None else trial.duration_ms / 1000
    return {
        "eval_id": _eval_id(case),
        "config": trial.key.arm,
        "total_tokens": trial.usage.total_tokens,
        "duration_ms": trial.duration_ms,
        "total_duration_seconds": seconds,
        "timestamp": trial.started_at,
        "executor_start": trial.started_at,
        "executor_duration_seconds": seconds,
        "source": "imported",
        "usage": trial.usage.model_dump(),
        "cost_usd": trial.cost_usd,
    }


def _grading(grading: Grading, trial: Trial, case: Case) -> Json:
    return grading_file(grading, trial, eval_id=_eval_id(case))


def import_record(native: Native, source: Json) -> str:
    """`imported/import.json`: where each trial was, and what of its run no other file of ours holds."""
    runs: list[Json] = [
        {
            "trial": str(key),
            "place": run.place,
            "written_as": run.written_as or run.run_number,
            "user_notes": list(run.grading.user_notes) if run.grading else [],
            "extra": plain(run.extra),
            "timing_extra": plain(run.timing.extra) if run.timing else {},
            "grading_extra": plain(run.grading.extra) if run.grading else {},
        }
        for key, run in native.runs.items()
    ]
    return _json({"schema_version": 1, **source, "runs": runs})


def _eval_id(case: Case) -> str | int:
    return case.id if case.written_id is None else case.written_id


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
