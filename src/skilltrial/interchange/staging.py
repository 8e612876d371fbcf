"""One imported round as a folder of ours, made beside its place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

from skilltrial import wiring
from skilltrial.aggregate.benchmark import aggregate
from skilltrial.errors import StoreError
from skilltrial.importing.files import import_record, native_files, trial_dir
from skilltrial.importing.native import Native
from skilltrial.importing.values import as_read
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.foreign import Document, ForeignIteration, ForeignWorkspace, Refused
from skilltrial.records.json_value import Json
from skilltrial.records.trial import Trial
from skilltrial.report import html, markdown

_NAMED = {"feedback": layout.FEEDBACK, "history": layout.HISTORY}


class ImportedIteration(NamedTuple):
    """One round in our form. `benchmark` is worked out from its verdicts."""

    number: int
    place: str
    benchmark: Benchmark
    n_repairs: int


class Copies:
    """Copies files of the workspace that is read, and notes what could not be copied."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.left: list[Refused] = []

    def path(self, place: str) -> Path:
        """Of a place as the records have it, in which half characters (bytes that are no text) stand as escapes."""
        path = Path(place)
        if path.is_absolute() or ".." in path.parts:
            raise StoreError(f"the place {place!r} leaves the workspace that is read.", where=str(self.root))
        found = self.root / path
        return found if os.path.lexists(found) else self.root / as_read(place)

    def copy(self, place: str, into: Path) -> None:
        """One file; a link is not followed."""
        if not wiring.copy_file(self.path(place), into):
            self.left.append(Refused(place=place, reason="not copied: too large, or no regular file"))


def stage_round(
    round_: ForeignIteration, native: Native, *, number: int, staged: Path, copies: Copies, foreign: ForeignWorkspace
) -> ImportedIteration:
    """Write all files of a round into `staged`, plan.json last. Raises `OSError`, and `StoreError` for places outside."""
    native = replace(native, trials=tuple(_with_files(trial, native, staged, copies) for trial in native.trials))
    benchmark = aggregate(native.plan, number, native.trials, native.gradings, now=native.plan.created_at)
    for file in native_files(native):
        _put(staged / file.path, file.text)
    _copy_documents(round_.documents, staged, copies, below=round_.place)
    _put(staged / layout.IMPORT_RECORD, import_record(native, _origin(round_, foreign, copies)))
    _put(staged / layout.BENCHMARK, benchmark.model_dump_json(indent=2) + "\n")
    _put(staged / layout.BENCHMARK_MD, markdown.render(benchmark))
    _put(staged / layout.REPORT, html.render(benchmark))
    _put(staged / layout.PLAN, native.plan.model_dump_json(indent=2))
    return ImportedIteration(number, round_.place, benchmark, len(native.plan.repairs))


def carry(documents: Sequence[Document], copies: Copies, first: Path, store: Store) -> dict[str, bytes]:
    """Put the documents of the whole into the first round; the result are those whose place above all rounds is free."""
    staged = store.stage()
    _copy_documents(documents, staged, copies, below="")
    whole: dict[str, bytes] = {}
    for path in sorted(path for path in staged.rglob("*") if path.is_file()):
        place = path.relative_to(staged).as_posix()
        if place in _NAMED.values() and store.read(place) is None:
            whole[place] = path.read_bytes()
            continue
        into = first / layout.IMPORTED / "whole" / place.removeprefix(f"{layout.IMPORTED}/")
        into.parent.mkdir(parents=True, exist_ok=True)
        path.rename(into)
    return whole


def _with_files(trial: Trial, native: Native, staged: Path, copies: Copies) -> Trial:
    """Copy what the run left to the trial's folder, and note it in the trial."""
    run = native.runs[trial.key]
    folder = staged / trial_dir(trial)
    (folder / layout.OUTPUTS).mkdir(parents=True)
    if run.transcript:
        copies.copy(run.transcript, folder / f"stream{Path(run.transcript).suffix or '.txt'}")
    if run.outputs is None:
        return trial
    skip = frozenset({"metrics.json"}) if run.metrics is not None else frozenset[str]()
    files = wiring.copy_outputs(copies.path(run.outputs), folder / layout.OUTPUTS, skip=skip)
    return trial.model_copy(update={"files": files})


def _copy_documents(documents: Sequence[Document], staged: Path, copies: Copies, *, below: str) -> None:
    """Feedback and comparisons to their places of ours; the rest, old benchmarks too, as it was under `imported/`."""
    for document in documents:
        place = Path(document.place)
        inner = place.relative_to(below) if place.is_relative_to(below) else Path(place.name)
        into = staged / layout.IMPORTED / inner
        if document.kind in {"comparison", "analysis"}:
            into = staged / layout.COMPARISONS / place.name
        elif document.kind in _NAMED and document.value is not None:
            into = staged / _NAMED[document.kind]
        copies.copy(document.place, staged / layout.IMPORTED / inner if into.exists() else into)


def _origin(round_: ForeignIteration, foreign: ForeignWorkspace, copies: Copies) -> Json:
    return {
        "root": foreign.root,
        "place": round_.place,
        "family": foreign.family,
        "harness": foreign.harness,
        "model": foreign.model,
        "arms": [asdict(arm) for arm in round_.arms],
        "stray": list(foreign.stray),
        "refused": [asdict(refused) for refused in (*foreign.refused, *copies.left)],
    }


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "backslashreplace"))
