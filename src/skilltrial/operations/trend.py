"""The iterations of a workspace side by side, and what changed between them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from skilltrial.errors import SkilltrialError, SpecError
from skilltrial.iterations import iteration_row, read_rows
from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.history import History, HistoryVersion
from skilltrial.records.json_value import Json, is_list, is_object, real
from skilltrial.records.trend import Change, Trend, TrendPoint
from skilltrial.records.workspace_benchmark import IterationRow

_HARMLESS: frozenset[Change] = frozenset({"skill", "version of the agent program"})
"""Iterations stay comparable: the one is what is asked about, the other changes all the time."""
_MAY_BE_UNKNOWN: tuple[Change, ...] = ("skill", "model")
_FOREIGN = "There is no iteration of ours here; `skilltrial import` makes some of another tool's."


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
        notices=tuple(text for text in (notice, "" if numbers else _FOREIGN) if text),
    )


def compare(before: IterationRow, after: IterationRow) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """What differs between two iterations, and of what that is not known, each in a fixed order."""
    old, new = _aspects(before), _aspects(after)
    unknown: list[Change] = [name for name in _MAY_BE_UNKNOWN if old[name] is None or new[name] is None]
    changed: list[Change] = [name for name in old if name not in unknown and old[name] != new[name]]
    if "agent program" in changed and "version of the agent program" in changed:
        changed.remove("version of the agent program")  # goes without saying
    return tuple(changed), tuple(unknown)


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
        from skilltrial.pipeline import summarise  # noqa: PLC0415 - all stages, for what was not graded to its end

        try:
            row = iteration_row(summarise(store, number))
        except SkilltrialError as error:
            # Within the workspace, so that no long path takes the room of the reason.
            return TrendPoint(iteration=number, error=str(error).replace(f"{store.path('')}/", ""))
    if before is None:
        return TrendPoint(iteration=number, row=row)
    changed, unknown = compare(before, row)
    comparable = _HARMLESS.issuperset(changed) and "model" not in unknown
    return TrendPoint(iteration=number, row=row, changed=changed, unknown=unknown, comparable=comparable)


def _aspects(row: IterationRow) -> Mapping[Change, object]:
    return {
        "skill": row.skill_fingerprint if row.skill_fingerprint.startswith("sha256:") else None,
        "suite": row.suite_digest,
        "model": row.models,
        "agent program": row.harness,
        "version of the agent program": row.harness_version,
        "judge": row.judge,
        "baseline": _baseline(row),
    }


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
