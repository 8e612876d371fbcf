"""A workspace of ours from another tool's."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import cast

from skilltrial import wiring
from skilltrial.errors import SpecError, StoreError
from skilltrial.importing.arms import UNKNOWN
from skilltrial.importing.native import Source, to_native
from skilltrial.importing.values import writable
from skilltrial.interchange.folders import is_free, lies_in
from skilltrial.interchange.staging import Copies, ImportedIteration, carry, stage_round
from skilltrial.iterations import note_iteration
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.foreign import ForeignWorkspace
from skilltrial.records.json_value import Json
from skilltrial.records.skill import SkillRef
from skilltrial.spec.skill import load_skill

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
    durable: bool = True
    """False: the workspace is removed again, and need not outlive a crash of the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import wrote, and what it left where it was."""

    workspace: Path
    foreign: ForeignWorkspace
    iterations: tuple[ImportedIteration, ...]


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
    store = wiring.open_store(target, write=True, durable=request.durable)
    try:
        copies = Copies(Path(foreign.root))
        numbers = _numbers(store, [round_.number for round_, _ in natives])
        staged = {number: store.stage() for number in numbers}
        try:
            taken = {round_.place for round_, _ in natives}
            rest = [document for each in foreign.iterations if each.place not in taken for document in each.documents]
            whole = carry((*foreign.documents, *rest), copies, staged[numbers[0]], store)
            done = tuple(
                stage_round(round_, native, number=number, staged=staged[number], copies=copies, foreign=foreign)
                for (round_, native), number in zip(natives, numbers, strict=True)
            )
        except OSError as error:
            raise StoreError(f"cannot be written ({error.strerror}).", where=str(error.filename or target)) from error
        _publish(store, staged, whole)
        for round_ in done:
            note_iteration(store, round_.benchmark)
    finally:
        store.close()
    foreign = replace(foreign, refused=(*foreign.refused, *copies.left))
    return Imported(workspace=target.absolute(), foreign=foreign, iterations=done)


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
    target = request.to or top.parent / f"{top.name}-{layout.IMPORTED}"
    if lies_in(target, top):
        raise SpecError(
            "the new workspace would lie in the one that is read.",
            where=str(target),
            hint="Give a folder outside of it with --out.",
        )
    if not is_free(target, but=_is_trace) and not any(target.glob(f"iteration-*/{layout.PLAN}")):
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


def _is_trace(path: Path) -> bool:
    return path.name in _TRACES
