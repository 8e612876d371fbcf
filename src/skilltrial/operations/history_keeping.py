"""`history.json` of a workspace, in skill-creator's shape: ours are added to what is there, whoever wrote it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from skilltrial.errors import SpecError
from skilltrial.operations.trend import read_history
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.improvement import Improvement, Standing, Version, VersionResult
from skilltrial.records.json_value import Json, is_list, is_object

_IMPROVEMENT = re.compile(rf"{layout.IMPROVE}/improvement-(\d+)/{re.escape(layout.IMPROVEMENT)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One version, as it is to stand in the file."""

    version: str
    parent: str | None
    rate: float | None
    result: VersionResult
    fingerprint: str
    iteration: int | None = None
    more: Mapping[str, Json]
    """Ours beside, under `skilltrial`."""


def read_improvements(store: Store) -> list[Improvement]:
    """Of a workspace, the newest first, without what cannot be read."""
    found: dict[int, Improvement] = {}
    for path in store.find(f"{layout.IMPROVE}/improvement-*/{layout.IMPROVEMENT}"):
        match, data = _IMPROVEMENT.fullmatch(path), store.read(path)
        if match is None or data is None:
            continue
        try:
            found[int(match[1])] = Improvement.model_validate_json(data)
        except ValidationError:
            continue  # of another version; its folder is left alone
    return [found[number] for number in sorted(found, reverse=True)]


def known_versions(store: Store) -> dict[str, str | None]:
    """The fingerprint of each version that the history or an improvement names; None where the file does not tell."""
    history, _ = read_history(store)
    found = {each.version: each.skill_fingerprint for each in (history.iterations if history else ())}
    for state in reversed(read_improvements(store)):
        found |= {each.name: each.fingerprint for each in state.versions}
    return found


def current_best(store: Store) -> str | None:
    """The version that the history calls the best."""
    history, _ = read_history(store)
    return history.current_best if history else None


def write_history(store: Store, *, skill_name: str, started_at: str, rows: Sequence[HistoryRow], best: str) -> None:
    """Put these rows into the file, in place of those of the same versions; unknown keys and other rows stay.

    Raises `SpecError` for a file that is there and no history: nothing that somebody wrote is lost.
    """
    found = history_document(store)
    listed: list[Json] = list(found.get("iterations") or [])
    for row in rows:
        entry = _entry(row)
        place = next(
            (n for n, each in enumerate(listed) if is_object(each) and each.get("version") == row.version), None
        )
        if place is None:
            listed.append(entry)
        else:
            listed[place] = {**dict(listed[place]), **entry}
    for n, each in enumerate(listed):
        if is_object(each):
            listed[n] = {**each, "is_current_best": each.get("version") == best}
    whole = {
        "started_at": started_at,
        "skill_name": skill_name,
        **{key: value for key, value in found.items() if key not in ("current_best", "iterations")},
        "current_best": best,
        "iterations": listed,
    }
    store.write(layout.HISTORY, json.dumps(whole, indent=2, ensure_ascii=False).encode() + b"\n")


def rows_of(state: Improvement) -> list[HistoryRow]:
    """The versions of an improvement that were tried to their end."""
    return [_row(state, each, each.result) for each in state.versions if each.result is not None]


def _row(state: Improvement, version: Version, result: VersionResult) -> HistoryRow:
    rate, part = _rate(state, version)
    more: dict[str, Json] = {"improvement": state.number, "origin": version.origin, "summary": version.summary}
    more |= {"rate_of": part, "changed": list(version.changed)}
    more |= {
        name: _figures(standing)
        for name, standing in (("select", version.select), ("holdout", version.holdout))
        if standing is not None
    }
    return HistoryRow(
        version=version.name,
        parent=version.parent,
        rate=rate,
        result=result,
        fingerprint=version.fingerprint,
        more=more,
    )


def _rate(state: Improvement, version: Version) -> tuple[float | None, str | None]:
    """On the cases that fewest have seen, and which those are."""
    for part in ("holdout", "select"):
        own: Standing | None = getattr(version, part)
        if own is not None:
            return own.rate, part
        others: list[Standing | None] = [getattr(each, part) for each in reversed(state.versions)]
        beside = next((each for each in others if each is not None and each.incumbent == version.name), None)
        if beside is not None:
            return beside.incumbent_rate, part
    training = state.trainings.get(version.name)
    return (training.rate, "train") if training else (None, None)


def _figures(standing: Standing) -> Json:
    figures = standing.model_dump(
        mode="json", include={"incumbent", "estimate", "low", "high", "rate", "incumbent_rate"}
    )
    return {**figures, "n_cases": len(standing.pairs)}


def history_document(store: Store) -> Mapping[str, Json]:
    """What stands in the file; empty where there is none. Raises `SpecError` for a file that is there and no history."""
    data = store.read(layout.HISTORY)
    if data is None:
        return {}
    try:
        found: Json = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not is_object(found) or not is_list(found.get("iterations", [])):
        message = "this file is there, and is no history of versions."
        raise SpecError(message, where=str(store.path(layout.HISTORY)), hint="Move it away; nothing was written.")
    return found


def _entry(row: HistoryRow) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "version": row.version,
        "parent": row.parent,
        "expectation_pass_rate": row.rate,
        "grading_result": row.result,
        "is_current_best": False,
        "skill_fingerprint": row.fingerprint,
        "skilltrial": dict(row.more),
    }
    return entry if row.iteration is None else {**entry, "iteration": row.iteration}
