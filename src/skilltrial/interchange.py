"""Other tools' workspaces, in and out: what `skilltrial import` and `skilltrial export` do, as functions."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, cast

from skilltrial import wiring
from skilltrial.aggregate.benchmark import aggregate
from skilltrial.errors import SpecError, StoreError
from skilltrial.execute.resume import read_trials
from skilltrial.grade.run import read_gradings
from skilltrial.importing.arms import UNKNOWN
from skilltrial.importing.files import IMPORTED, RECORD, import_record, native_files, trial_dir
from skilltrial.importing.native import Native, Source, to_native
from skilltrial.importing.values import as_read, plain, writable
from skilltrial.plan.iteration import iterations, read_plan
from skilltrial.ports import Loss, Store, Trialled
from skilltrial.records import layout
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.foreign import Document, ForeignIteration, ForeignWorkspace, Refused
from skilltrial.records.record import Json
from skilltrial.records.skill import SkillRef
from skilltrial.records.trial import Trial
from skilltrial.report import html, markdown
from skilltrial.spec.skill import load_skill

_FEEDBACK, _HISTORY, _COMPARISONS = "feedback.json", "history.json", "comparisons"
_NAMED = {"feedback": _FEEDBACK, "history": _HISTORY}
_TRACES = frozenset({".gitignore", ".lock", ".staging"})  # of an import that was stopped


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What a person asks of `import`."""

    path: Path
    to: Path | None = None
    """None: `<name>-imported` beside it."""
    skill: Path | None = None
    treatment: str | None = None
    baseline: str | None = None


class ImportedIteration(NamedTuple):
    """One round in our form. `benchmark` is worked out from its verdicts."""

    number: int
    place: str
    benchmark: Benchmark
    n_repairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import wrote, and what it left where it was."""

    workspace: Path
    foreign: ForeignWorkspace
    iterations: tuple[ImportedIteration, ...]


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


def import_workspace(request: ImportRequest) -> Imported:
    """Make a workspace of ours from another tool's, which is only read.

    Every round gets the number that it has, or the next free one. All rounds appear, or none: where the import fails or is
    stopped, nothing of it counts. Raises `SpecError` or `PlanError` for what cannot be imported, before anything is written, and
    `StoreError` where it cannot be written.
    """
    foreign = writable(wiring.read_foreign(request.path, treatment=request.treatment, baseline=request.baseline))
    if foreign.family == "native":
        raise SpecError("this is a workspace of ours already.", where=foreign.root, hint="See `skilltrial report`.")
    source = _source(foreign, request)
    natives = [(round_, to_native(round_, source)) for round_ in foreign.iterations if round_.runs]
    if not natives:
        raise SpecError(
            "there is no run here to import.", where=foreign.root, hint="`skilltrial audit` says what was found."
        )
    target = _target(foreign, request)
    store = wiring.open_store(target, write=True)
    try:
        copies = _Copies(Path(foreign.root))
        numbers = _numbers(store, [round_.number for round_, _ in natives])
        staged = {number: store.stage() for number in numbers}
        try:
            taken = {round_.place for round_, _ in natives}
            rest = [document for each in foreign.iterations if each.place not in taken for document in each.documents]
            whole = _carry((*foreign.documents, *rest), copies, staged[numbers[0]], store)
            done = tuple(
                _stage_round(round_, native, number=number, staged=staged[number], copies=copies, foreign=foreign)
                for (round_, native), number in zip(natives, numbers, strict=True)
            )
        except OSError as error:
            raise StoreError(f"cannot be written ({error.strerror}).", where=str(error.filename or target)) from error
        _publish(store, staged, whole)
    finally:
        store.close()
    foreign = foreign.model_copy(update={"refused": (*foreign.refused, *copies.left)})
    return Imported(workspace=target.absolute(), foreign=foreign, iterations=done)


def export_workspace(request: ExportRequest) -> Exported:
    """Write iterations in another tool's form into an empty folder outside of the workspace: all of it, or nothing.

    Where something would be lost and `lossy` is not set, nothing is written. Raises `SpecError` for an unknown target, no such
    iteration or a folder that is not empty, and `StoreError` where something cannot be read or written.
    """
    exporter = wiring.exporter(request.target)
    store = wiring.open_store(request.workspace, write=False)
    numbers = _wanted(store, request.iteration)
    export = exporter.export([read_trialled(store, number) for number in numbers])
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


def read_trialled(store: Store, number: int) -> Trialled:
    """One iteration of a workspace with everything in it, and the documents of the whole workspace."""
    plan = read_plan(store, number)
    trials, gradings = read_trials(store, plan, number), read_gradings(store, plan, number)
    folder = layout.iteration_dir(number)
    places = [
        _FEEDBACK,
        _HISTORY,
        f"{folder}/{_FEEDBACK}",
        f"{folder}/{RECORD}",
        *store.find(f"{folder}/{_COMPARISONS}/*.json"),
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


def _source(foreign: ForeignWorkspace, request: ImportRequest) -> Source:
    if request.skill is not None:
        skill = load_skill(request.skill)
        ref = SkillRef(name=skill.name, folder=skill.folder, fingerprint=skill.fingerprint)
    else:
        ref = SkillRef(name=_skill_name(foreign), folder=foreign.skill_path or UNKNOWN, fingerprint=UNKNOWN)
    told = tuple(name for name in (request.treatment, request.baseline) if name)
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Source(workspace=foreign, skill=ref, told=told, version=version("skilltrial"), now=now)


def _skill_name(foreign: ForeignWorkspace) -> str:
    """As recorded somewhere, else as the folder is called."""
    values: list[Json] = [document.value for round_ in foreign.iterations for document in round_.documents]
    written = [cast("Mapping[str, Json]", value).get("skill_name") for value in values if isinstance(value, Mapping)]
    paths = [arm.skill_path for round_ in foreign.iterations for arm in round_.arms if arm.role == "treatment"]
    names = [foreign.skill_name, *written, *(Path(path).name for path in paths if path)]
    found = next((name for name in names if isinstance(name, str) and name), None)
    return found or Path(foreign.root).name.removesuffix("-workspace")


def _target(foreign: ForeignWorkspace, request: ImportRequest) -> Path:
    root = Path(foreign.root)
    top = root if root.is_dir() else root.parent
    target = request.to or top.parent / f"{top.name}-{IMPORTED}"
    if _lies_in(target, top):
        raise SpecError(
            "the new workspace would lie in the one that is read.",
            where=str(target),
            hint="Give a folder outside of it with --out.",
        )
    if not _is_free(target, but=_is_trace) and not any(target.glob(f"iteration-*/{layout.PLAN}")):
        message = "this folder is neither empty nor a workspace of ours."
        raise SpecError(message, where=str(target), hint="Give another one with --out.")
    return target


def _numbers(store: Store, wanted: Sequence[int | None]) -> list[int]:
    """The wanted numbers where they are free, else free ones above all others."""
    taken = {int(name.rpartition("-")[2]) for name in store.find("iteration-*") if name.rpartition("-")[2].isdecimal()}
    numbers: list[int] = []
    for number in wanted:
        if number is None or number < 1 or number in taken:
            number = max((*taken, *(other or 0 for other in wanted)), default=0) + 1 if taken else 1  # noqa: PLW2901
        taken.add(number)
        numbers.append(number)
    return numbers


def _stage_round(
    round_: ForeignIteration, native: Native, *, number: int, staged: Path, copies: _Copies, foreign: ForeignWorkspace
) -> ImportedIteration:
    native = replace(native, trials=tuple(_with_files(trial, native, staged, copies) for trial in native.trials))
    benchmark = aggregate(native.plan, number, native.trials, native.gradings, now=native.plan.created_at)
    for file in native_files(native):
        _put(staged / file.path, file.text)
    _copy_documents(round_.documents, staged, copies, below=round_.place)
    _put(staged / RECORD, import_record(native, _origin(round_, foreign, copies)))
    _put(staged / layout.BENCHMARK, benchmark.model_dump_json(indent=2) + "\n")
    _put(staged / layout.BENCHMARK_MD, markdown.render(benchmark))
    _put(staged / layout.REPORT, html.render(benchmark))
    _put(staged / layout.PLAN, native.plan.model_dump_json(indent=2))
    return ImportedIteration(number, round_.place, benchmark, len(native.plan.repairs))


class _Copies:
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


def _with_files(trial: Trial, native: Native, staged: Path, copies: _Copies) -> Trial:
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


def _copy_documents(documents: Sequence[Document], staged: Path, copies: _Copies, *, below: str) -> None:
    """Feedback and comparisons to their places of ours; the rest, old benchmarks too, as it was under `imported/`."""
    for document in documents:
        place = Path(document.place)
        inner = place.relative_to(below) if place.is_relative_to(below) else Path(place.name)
        into = staged / IMPORTED / inner
        if document.kind in {"comparison", "analysis"}:
            into = staged / _COMPARISONS / place.name
        elif document.kind in _NAMED and document.value is not None:
            into = staged / _NAMED[document.kind]
        copies.copy(document.place, staged / IMPORTED / inner if into.exists() else into)


def _carry(documents: Sequence[Document], copies: _Copies, first: Path, store: Store) -> dict[str, bytes]:
    """Put the documents of the whole into the first round; the result are those whose place above all rounds is free."""
    staged = store.stage()
    _copy_documents(documents, staged, copies, below="")
    whole: dict[str, bytes] = {}
    for path in sorted(path for path in staged.rglob("*") if path.is_file()):
        place = path.relative_to(staged).as_posix()
        if place in _NAMED.values() and store.read(place) is None:
            whole[place] = path.read_bytes()
            continue
        into = first / IMPORTED / "whole" / place.removeprefix(f"{IMPORTED}/")
        into.parent.mkdir(parents=True, exist_ok=True)
        path.rename(into)
    return whole


def _publish(store: Store, staged: Mapping[int, Path], whole: Mapping[str, bytes]) -> None:
    """All rounds, or none: an import that was stopped half-way would be there twice once it is run again."""
    try:
        for number, folder in staged.items():
            store.publish(folder, layout.iteration_dir(number))
        for place, data in whole.items():
            store.write(place, data)
    except BaseException:
        for number, folder in staged.items():
            if not folder.exists():
                shutil.rmtree(store.path(layout.iteration_dir(number)), ignore_errors=True)
        for place in whole:
            store.path(place).unlink(missing_ok=True)
        raise


def _origin(round_: ForeignIteration, foreign: ForeignWorkspace, copies: _Copies) -> Json:
    return {
        "root": foreign.root,
        "place": round_.place,
        "family": foreign.family,
        "harness": foreign.harness,
        "model": foreign.model,
        "arms": [arm.model_dump() for arm in round_.arms],
        "stray": list(foreign.stray),
        "refused": [refused.model_dump() for refused in (*foreign.refused, *copies.left)],
    }


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


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


def _is_free(folder: Path, *, but: Callable[[Path], bool]) -> bool:
    """Whether there is nothing yet, `but` aside. Raises `SpecError` for what cannot be a folder."""
    try:
        return not folder.exists() or all(but(path) for path in folder.iterdir())
    except OSError as error:
        raise SpecError(f"cannot be used as a folder ({error.strerror}).", where=str(folder)) from error


def _is_trace(path: Path) -> bool:
    return path.name in _TRACES


def _require_free(folder: Path, workspace: Path) -> None:
    if _lies_in(folder, workspace):
        message, hint = "the export would lie in the workspace that is read.", "Give a folder outside of it with --out."
        raise SpecError(message, where=str(folder), hint=hint)
    if not _is_free(folder, but=wiring.is_unfinished_export):
        raise SpecError("this folder is not empty.", where=str(folder), hint="Give a new or an empty one with --out.")


def _lies_in(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
