"""Somebody else's workspace, read as it is: folders to rounds, files to runs, nothing counted again.

`read` takes a workspace, one round, a skill's folder, or a single file, and says what it is by what lies in it.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from skilltrial.adapters.interchange.documents import kind_of
from skilltrial.adapters.interchange.families import family_of
from skilltrial.adapters.interchange.json_files import ForeignFiles
from skilltrial.adapters.interchange.layout import Round, is_keepsake, is_skill, rounds
from skilltrial.adapters.interchange.roles import Casting
from skilltrial.adapters.interchange.rounds import read_round
from skilltrial.adapters.interchange.tree import OUTPUTS, Folder, Tree, scan
from skilltrial.adapters.interchange.values import child, first_text
from skilltrial.errors import SpecError, StoreError
from skilltrial.records.foreign import Document, ForeignIteration, ForeignWorkspace
from skilltrial.records.json_value import is_object

_SOUGHT = (
    "runs with a grading.json, timing.json or outputs/ (like eval-1/with_skill/, by any names, with or without run-1/), "
    "a benchmark.json, a file of gradings, a record of conditions, results of trigger tests"
)
_MAX_ASIDE = 2000
"""JSON files outside of rounds that are looked at: a whole repository may lie around a workspace."""
_NOTHING = frozenset({"other", "report", "notes", "suite", "eval_metadata"})
"""Kinds of documents that are no results by themselves."""


def read(path: Path, *, treatment: str | None = None, baseline: str | None = None) -> ForeignWorkspace:
    """Everything found at a path.

    `treatment` and `baseline` are the person's words on the arms. Raises `SpecError` where there is no such path, nothing
    in it, or no arm of that name, and `StoreError` where it cannot be read.
    """
    with _without_collector():
        return _read(path, Casting(treatment=treatment, baseline=baseline))


@contextmanager
def _without_collector() -> Generator[None]:
    """Reading makes a hundred thousand objects and no cycle; the collector would look at all of them many times."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read(path: Path, casting: Casting) -> ForeignWorkspace:
    root, tree, skill = _locate(path)
    files = ForeignFiles(root)
    files.refused += tree.refused
    found = rounds(tree.root)
    marked = bool(found)
    if not marked:
        found = [Round(folder=tree.root)]
    owners = _owners(tree.root, found)
    read_rounds = [read_round(each, owners[each.place], files, casting) for each in found]
    made = [iteration for iteration in read_rounds if iteration is not None]
    iterations = [
        each
        for each in made
        if (each.runs and not _is_summary(each, made)) or (marked and not each.runs and not _is_above(each, made))
    ]
    own = {each.place for each in iterations}
    documents = [document for each in made if each.place not in own for document in each.documents]
    documents += _aside(owners[""], files)
    if not _holds_results(iterations, documents, marked=marked):
        left = "".join(f" {each.place}: {each.reason}." for each in files.refused[:3])
        raise SpecError(
            f"nothing in it can be read as results of a skill's evals.{left}",
            where=str(path),
            hint=f"Looked for {_SOUGHT}.",
            code="nothing-found",
        )
    casting.check((arm.name for each in iterations for arm in each.arms), str(path))
    return _workspace(root, files, iterations, documents, skill=skill)


def _locate(path: Path) -> tuple[str, Tree, str | None]:
    """The root to read, what lies in it, and the skill's folder where the path is one."""
    try:
        root = Path(os.path.realpath(path))
        is_there = root.exists()
    except OSError as error:
        raise StoreError(f"cannot be read: {error.strerror}.", where=str(path), hint="See to its rights.") from error
    if not is_there:
        raise SpecError(
            "there is no such file or folder.", where=str(path), hint="Check the path.", code="no-such-path"
        )
    if root.is_file():
        folder = Folder(name=root.parent.name, place="", files=[root.name])
        return str(root.parent), Tree(root=folder, refused=()), None
    skill = str(root) if (root / "SKILL.md").is_file() else None
    beside = root.parent / f"{root.name}-workspace"
    if skill is not None and beside.is_dir() and not beside.is_symlink():
        root = beside
    return str(root), scan(str(root)), skill


def _owners(root: Folder, found: Iterable[Round]) -> dict[str, list[Folder]]:
    """The folders that are no run's, by the place of their round; under the empty text those outside of all rounds."""
    places = {each.folder.place: each.place for each in found}
    taken = {slot.folder.place for each in found for slot in each.slots if slot.alone}
    owners: dict[str, list[Folder]] = {"": [], **{place: [] for place in places.values()}}
    waiting = [(root, "")]
    while waiting:
        folder, owner = waiting.pop()
        owner = places.get(folder.place, owner)
        if is_keepsake(folder) or (folder.name == OUTPUTS and folder.place):
            continue
        if folder.place in taken and folder.place not in places:
            continue
        if owner and is_skill(folder) and not any(place.startswith(f"{folder.place}/") for place in places):
            continue
        owners[owner].append(folder)
        waiting += [(below, owner) for below in reversed(folder.folders)]
    return owners


def _is_above(iteration: ForeignIteration, others: Iterable[ForeignIteration]) -> bool:
    """Whether other rounds lie below its folder."""
    start = "" if iteration.place == "." else f"{iteration.place}/"
    return any(other is not iteration and other.place.startswith(start) for other in others)


def _is_summary(iteration: ForeignIteration, others: Iterable[ForeignIteration]) -> bool:
    """Whether all that it has is a benchmark over the rounds below it, which have gradings of their own."""
    benchmarks = {document.place for document in iteration.documents if document.kind == "benchmark"}
    graded = [other for other in others if any(run.grading for run in other.runs)]
    return all(run.place.partition("#")[0] in benchmarks for run in iteration.runs) and _is_above(iteration, graded)


def _aside(folders: Iterable[Folder], files: ForeignFiles) -> list[Document]:
    """Documents outside of all rounds; what is none is somebody's file and passed over."""
    documents: list[Document] = []
    left = _MAX_ASIDE
    for folder in folders:
        for name in folder.files:
            if not name.endswith(".json"):
                continue
            left -= 1
            if left < 0:
                files.refuse(folder.at(name), f"more than {_MAX_ASIDE} JSON files outside of rounds: not looked at")
                return documents
            value, fault = files.load(folder.at(name))
            kind = kind_of(value, name)
            if fault and kind_of({}, name) != "other":
                files.refuse(folder.at(name), fault)
            elif not fault and kind != "other":
                documents.append(Document(place=folder.at(name), kind=kind, value=value))
    return documents


def _holds_results(iterations: Iterable[ForeignIteration], documents: Iterable[Document], *, marked: bool) -> bool:
    """Whether there is a run, a round, or a document that is a result."""
    if any(each.runs or marked for each in iterations):
        return True
    known = [*documents, *(document for each in iterations for document in each.documents)]
    return any(document.kind not in _NOTHING for document in known)


def _workspace(
    root: str,
    files: ForeignFiles,
    iterations: list[ForeignIteration],
    documents: list[Document],
    *,
    skill: str | None,
) -> ForeignWorkspace:
    known = [*documents, *(document for each in iterations for document in each.documents)]
    said = _said(known)
    name = Path(root).name
    named = said.get("skill_name") or (name.removesuffix("-workspace") if name.endswith("-workspace") else None)
    return ForeignWorkspace(
        root=root,
        family=family_of(known, files),
        skill_name=named or (Path(skill).name if skill else None),
        skill_path=skill or said.get("skill_path"),
        model=said.get("executor_model") or said.get("agent_model") or said.get("model"),
        harness=said.get("harness"),
        iterations=tuple(iterations),
        documents=tuple(documents),
        stray=tuple(files.stray),
        refused=tuple(files.refused),
        repairs=tuple(files.repairs),
    )


def _said(documents: Iterable[Document]) -> dict[str, str]:
    """What benchmarks, histories and conditions say of the whole; placeholders in angle brackets say nothing."""
    said: dict[str, str] = {}
    for document in documents:
        if document.kind not in {"benchmark", "history", "conditions", "manifest"} or not is_object(document.value):
            continue
        for source in (child(document.value, "metadata"), document.value):
            for key in ("skill_name", "skill_path", "executor_model", "agent_model", "model", "harness"):
                found = first_text(source, key)
                if found is not None and not found.startswith("<"):
                    said.setdefault(key, found)
    return said
