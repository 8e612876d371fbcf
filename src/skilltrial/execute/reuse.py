"""Copies of trials that an earlier iteration has made under the same conditions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from skilltrial.errors import StoreError
from skilltrial.execute.resume import read_trial
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.json_value import Json
from skilltrial.records.plan import Plan, PlannedTrial
from skilltrial.records.trial import Trial, TrialKey, TrialOrigin


def take_over(plan: Plan, iteration: int, store: Store) -> int:
    """Put a copy of each trial that the plan marks as reused in its place, where there is nothing yet; how many.

    Each appears whole or not at all, and says in its run.json what it is a copy of. Its grading comes along; whether that
    still holds is decided where trials are graded. Raises `StoreError` where the earlier trial has gone or cannot be copied.
    """
    copied = 0
    for planned in plan.trials:
        if planned.reused_from is not None:
            place = layout.trial_dir(iteration, planned.key)
            if not store.path(place).exists():
                _copy(planned, planned.reused_from, place, plan=plan, store=store)
                copied += 1
    return copied


def _copy(planned: PlannedTrial, origin: TrialOrigin, place: str, *, plan: Plan, store: Store) -> None:
    source = store.path(layout.trial_dir(origin.iteration, origin.key))
    trial = read_trial(store, origin.iteration, origin.key)
    if trial is None or trial.plan_digest != origin.plan_digest:
        raise StoreError("a trial that was to be reused is no more what it was.", where=str(source), hint="Run again.")
    staged = store.stage()
    try:
        shutil.copytree(source, staged, symlinks=True, dirs_exist_ok=True)
        copy = trial.model_copy(
            update={"key": planned.key, "plan_digest": plan.digest, "reused_from": origin},
        )
        _write(copy, staged)
        store.publish(staged, place)
    except (OSError, shutil.Error) as error:
        raise StoreError(f"a trial cannot be copied ({error}).", where=str(source)) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _write(copy: Trial, staged: Path) -> None:
    (staged / layout.TRIAL).write_text(copy.model_dump_json(indent=2) + "\n", encoding="utf-8")
    _rename(staged / layout.TIMING, {"config": copy.key.arm})
    _rename(staged / layout.GRADING, {"config": copy.key.arm, "key": _dumped(copy.key)})


def _dumped(key: TrialKey) -> Json:
    return key.model_dump(mode="json")


def _rename(file: Path, names: dict[str, Json]) -> None:
    """Give the copy its own names. A file that cannot be read goes: it is made again, or was of no use before."""
    try:
        data = json.loads(file.read_bytes())
        file.write_text(json.dumps({**data, **names}, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except FileNotFoundError:
        return
    except (ValueError, TypeError, RecursionError):
        file.unlink()
