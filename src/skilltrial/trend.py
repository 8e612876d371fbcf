"""The iterations of a workspace side by side, and what changed between them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import get_args

from skilltrial.errors import SkilltrialError, SpecError
from skilltrial.iterations import iteration_row, read_rows
from skilltrial.pipeline import summarise
from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.history import History, HistoryVersion
from skilltrial.records.json_value import Json, is_list, is_object, real
from skilltrial.records.trend import Change, Trend, TrendPoint
from skilltrial.records.workspace_benchmark import IterationRow

_HARMLESS: frozenset[Change] = frozenset({"skill", "version of the agent program"})
"""Iterations stay comparable: the one is what is asked about, the other changes all the time."""


def read_trend(store: Store) -> Trend:
    """What all iterations came to; nothing is run or written.

    An iteration that was never graded to its end is aggregated from what is there; one that cannot be read has its error. Raises
    `SpecError` where there is no iteration and no history.
    """
    numbers = iterations(store)
    versions, notice = read_history(store)
    if not numbers and versions is None:
        raise _nothing(store, notice)
    rows = {row.iteration: row for row in read_rows(store)}
    points: list[TrendPoint] = []
    before: IterationRow | None = None
    for number in numbers:
        point = _point(store, number, rows.get(number), before)
        points.append(point)
        before = point.row or before
    return Trend(
        skill_name=before.skill_name if before else versions.skill_name if versions else "",
        points=tuple(points),
        versions=versions,
        notices=(notice,) if notice else (),
    )


def changes(before: IterationRow, after: IterationRow) -> tuple[Change, ...]:
    """What differs between two iterations, in a fixed order."""
    pairs: Mapping[Change, bool] = {
        "skill": before.skill_fingerprint != after.skill_fingerprint,
        "suite": before.suite_digest != after.suite_digest,
        "model": before.models != after.models,
        "agent program": before.harness != after.harness,
        "version of the agent program": before.harness == after.harness
        and before.harness_version != after.harness_version,
        "judge": before.judge != after.judge,
        "baseline": _baseline(before) != _baseline(after),
    }
    return tuple(name for name in get_args(Change) if pairs[name])


def read_history(store: Store) -> tuple[History | None, str]:
    """The `history.json` of a workspace, whoever wrote it, and what to say where it cannot be used.

    Unknown keys are passed over, and versions without a name; what is missing is unknown.
    """
    data = store.read(layout.HISTORY)
    if data is None:
        return None, ""
    try:
        found: Json = json.loads(data)
    except (ValueError, RecursionError):
        return None, f"{layout.HISTORY} is no JSON, and is left out."
    if not is_object(found) or not is_list(listed := found.get("iterations")):
        return None, f"{layout.HISTORY} has no list of iterations, and is left out."
    versions = tuple(_version(item) for item in listed if is_object(item) and _text(item.get("version")))
    return History(
        started_at=_text(found.get("started_at")),
        skill_name=_text(found.get("skill_name")) or "",
        current_best=_text(found.get("current_best")),
        iterations=versions,
    ), ""


def _point(store: Store, number: int, row: IterationRow | None, before: IterationRow | None) -> TrendPoint:
    if row is None:
        try:
            row = iteration_row(summarise(store, number))
        except SkilltrialError as error:
            return TrendPoint(iteration=number, error=str(error))
    changed = changes(before, row) if before else ()
    return TrendPoint(
        iteration=number, row=row, changed=changed, comparable=before is not None and _HARMLESS.issuperset(changed)
    )


def _baseline(row: IterationRow) -> tuple[str, str | None] | None:
    """Name, and the skill that it has."""
    return None if row.lift is None else (row.lift.baseline, row.arms.get(row.lift.baseline))


def _version(item: Mapping[str, Json]) -> HistoryVersion:
    iteration = item.get("iteration")
    return HistoryVersion(
        version=str(item["version"]),
        parent=_text(item.get("parent")),
        expectation_pass_rate=_rate(item.get("expectation_pass_rate")),
        grading_result=_text(item.get("grading_result")) or "",
        is_current_best=item.get("is_current_best") is True,
        iteration=iteration if isinstance(iteration, int) and not isinstance(iteration, bool) else None,
        skill_fingerprint=_text(item.get("skill_fingerprint")),
    )


def _rate(value: Json) -> float | None:
    rate = real(value)
    return rate if rate is not None and 0 <= rate <= 1 else None


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _nothing(store: Store, notice: str) -> SpecError:
    hint = "`skilltrial run` makes iterations; `skilltrial import` does, from another tool's results."
    if store.find(f"{layout.CELLS}/*/iteration-*/{layout.PLAN}"):
        hint = f"Here are several runs; each has a history of its own: give {store.path(layout.CELLS)}/NAME."
    return SpecError(f"there is no iteration here. {notice}".rstrip(), where=str(store.path("")), hint=hint)
