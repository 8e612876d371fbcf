"""A workspace of ours in another tool's form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from skilltrial import wiring
from skilltrial.aggregate.benchmark import aggregate
from skilltrial.errors import SpecError, StoreError
from skilltrial.execute.resume import read_trials
from skilltrial.grade.run import read_gradings
from skilltrial.importing.values import plain
from skilltrial.interchange.folders import is_free, lies_in
from skilltrial.plan.iteration import iterations, read_plan
from skilltrial.ports import Loss, Store, Trialled
from skilltrial.records import layout
from skilltrial.records.json_value import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """What a person asks of `export`."""

    workspace: Path
    target: str
    """Name of an exporter."""
    to: Path
    iteration: int | None = None
    """None: all."""
    lossy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export wrote: nothing where something would be lost and nobody allowed that."""

    folder: Path
    iterations: tuple[int, ...]
    files: tuple[str, ...]
    losses: tuple[Loss, ...]
    written: bool


def export_workspace(request: ExportRequest) -> Exported:
    """Write iterations in another tool's form into an empty folder outside of the workspace: all of it, or nothing.

    Where something would be lost and `lossy` is not set, nothing is written. Raises `SpecError` for an unknown target, no such
    iteration or a folder that is not empty, and `StoreError` where something cannot be read or written.
    """
    exporter = wiring.exporter(request.target)
    store = wiring.open_store(request.workspace, write=False)
    numbers = _wanted(store, request.iteration)
    export = exporter.export([_read_trialled(store, number) for number in numbers])
    _require_free(request.to, request.workspace)
    losses = tuple(dict.fromkeys(export.losses))
    written = request.lossy or not losses
    if written:
        wiring.write_export(request.to, export.files)
    return Exported(
        folder=request.to.absolute(),
        iterations=tuple(numbers),
        files=tuple(file.path for file in export.files),
        losses=losses,
        written=written,
    )


def _read_trialled(store: Store, number: int) -> Trialled:
    """One iteration of a workspace with everything in it, and the documents of the whole workspace."""
    plan = read_plan(store, number)
    trials, gradings = read_trials(store, plan, number), read_gradings(store, plan, number)
    folder = layout.iteration_dir(number)
    places = [
        layout.FEEDBACK,
        layout.HISTORY,
        f"{folder}/{layout.FEEDBACK}",
        f"{folder}/{layout.IMPORT_RECORD}",
        *store.find(f"{folder}/{layout.COMPARISONS}/*.json"),
    ]
    documents = {place: value for place in places if (value := _json(store, place)) is not None}
    return Trialled(
        plan=plan,
        iteration=number,
        trials=tuple(trials),
        gradings=tuple(gradings),
        benchmark=aggregate(plan, number, trials, gradings, now=plan.created_at),
        folder=store.path,
        documents=documents,
    )


def _wanted(store: Store, wanted: int | None) -> list[int]:
    found = iterations(store)
    if wanted is None and found:
        return found
    if wanted in found:
        return [number for number in found if number == wanted]
    have = f"It has: {', '.join(map(str, found))}." if found else "`skilltrial run` and `skilltrial import` make one."
    raise SpecError(
        f"there is no iteration {'with a plan.json' if wanted is None else wanted} here.",
        where=str(store.path("")),
        hint=have,
    )


def _json(store: Store, place: str) -> Json:
    data = store.read(place)
    try:
        return None if data is None else plain(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise StoreError(f"is no JSON ({error}).", where=str(store.path(place)), hint="Mend or remove it.") from error


def _require_free(folder: Path, workspace: Path) -> None:
    if lies_in(folder, workspace):
        message, hint = "the export would lie in the workspace that is read.", "Give a folder outside of it with --out."
        raise SpecError(message, where=str(folder), hint=hint)
    if not is_free(folder, but=wiring.is_unfinished_export):
        raise SpecError("this folder is not empty.", where=str(folder), hint="Give a new or an empty one with --out.")
