"""Every workspace file that people published is read into a place of the record, or refused with a reason that stands here."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from skilltrial.adapters.interchange.reader import read
from skilltrial.errors import SpecError
from skilltrial.records.foreign import ForeignIteration, ForeignRun, ForeignWorkspace

pytestmark = pytest.mark.shared

REFUSED = {
    (
        "critesjosh/aztec-claude-plugin",
        "evals/history.json",
    ): "no valid JSON: Expecting ',' delimiter, line 73 column 5",
    ("uwilleer/preflight", "evals/grading.json"): "holds no criteria with verdicts and no counts",
}
"""Files that are no results or cannot be parsed, with the reason given."""

UNREAD = {
    ("Exenko/Code_Grapher", f"evals/workspace/iteration-2/ground-truth/{name}/fsm_discovery.json")
    for name in ("Client_Side", "CodeGrapherStressTest", "Server_Side", "printing_information", "test_scripts")
}
"""Files of the project under test: kept as documents of the kind `other`, and counted as not read."""


@dataclass(frozen=True, slots=True)
class Published:
    """One repository's tree as it was, or one of its versions."""

    repo: str
    files: dict[str, Path]


def _published(shared: Path) -> list[Published]:
    trees: dict[tuple[str, int], dict[str, Path]] = defaultdict(dict)
    for line in (shared / "corpus/index.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] != "workspaces":
            continue
        version = 0
        while row["path"] in trees[row["repo"], version]:
            version += 1
        trees[row["repo"], version][row["path"]] = shared / "corpus" / row["file"]
    return [Published(repo, files) for (repo, _), files in sorted(trees.items())]


def _read(published: Published, home: Path) -> ForeignWorkspace | str:
    for path, source in published.files.items():
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    try:
        return read(home)
    except SpecError as error:
        return str(error)


def _places_of_run(run: ForeignRun, iteration: ForeignIteration) -> Iterator[str]:
    folder = run.place.partition("#")[0]
    if folder.endswith(".json"):
        yield folder
        folder = folder.rpartition("/")[0]
    for part in (run.grading, run.timing):
        if part is not None:
            yield part.place.partition("#")[0]
    if run.metrics is not None:
        yield f"{folder}/metrics.json"
    if run.transcript is not None:
        yield run.transcript
    yield from (f"{folder}/{name}" for name in run.extra)


def _places(workspace: ForeignWorkspace) -> tuple[set[str], set[str]]:
    """The files that have a place in the record, and the folders of outputs."""
    files = {document.place for document in workspace.documents if document.kind != "other"}
    folders: set[str] = set()
    for iteration in workspace.iterations:
        files |= {document.place for document in iteration.documents if document.kind != "other"}
        files |= {case.metadata.partition("#")[0] for case in iteration.cases if case.metadata}
        for run in iteration.runs:
            files.update(_places_of_run(run, iteration))
            if run.outputs is not None:
                folders.add(f"{run.outputs}/")
    return files, folders


@pytest.fixture(scope="module")
def read_trees(
    shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Published, ForeignWorkspace | str]]:
    """All of them, read once."""
    home = tmp_path_factory.mktemp("corpus")
    return [(each, _read(each, home / str(index))) for index, each in enumerate(_published(shared))]


def test_every_file_is_read_or_refused_with_its_reason(
    read_trees: list[tuple[Published, ForeignWorkspace | str]],
) -> None:
    """No file is passed over: what is neither read nor refused is on the list above."""
    unread: set[tuple[str, str]] = set()
    refused: dict[tuple[str, str], str] = {}
    n_files = 0
    for published, workspace in read_trees:
        n_files += len(published.files)
        if isinstance(workspace, str):
            refused |= {(published.repo, path): workspace for path in published.files if path in workspace}
            unread |= {(published.repo, path) for path in published.files if path not in workspace}
            continue
        files, folders = _places(workspace)
        reasons = {each.place: each.reason for each in workspace.refused}
        for path in published.files:
            if path in reasons:
                refused[published.repo, path] = reasons[path]
            elif path not in files and not any(path.startswith(folder) for folder in folders):
                unread.add((published.repo, path))
    assert n_files == 810
    assert unread == UNREAD
    assert refused.keys() == REFUSED.keys()
    for key, reason in REFUSED.items():
        assert reason in refused[key]
    assert (n_files - len(unread) - len(refused)) / n_files >= 0.95


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def test_no_text_of_a_grading_or_of_a_case_is_lost(
    read_trees: list[tuple[Published, ForeignWorkspace | str]],
) -> None:
    """Each text in these files is somewhere in what was read of them."""
    lost: list[tuple[str, str, str]] = []
    n_read = 0
    for published, workspace in read_trees:
        if isinstance(workspace, str):
            continue
        for iteration in workspace.iterations:
            records = [(run.grading.place, run.grading) for run in iteration.runs if run.grading is not None]
            records += [(case.metadata, case) for case in iteration.cases if case.metadata is not None]
            for place, record in records:
                if place not in published.files:
                    continue
                n_read += 1
                kept = set(_texts(asdict(record)))
                value = json.loads(published.files[place].read_text(encoding="utf-8"))
                lost += [
                    (published.repo, place, said)
                    for said in _texts(value)
                    if said.strip() and said not in kept and said.casefold() not in {"pass", "fail", "passed", "failed"}
                ]
    assert n_read > 280
    assert lost == []


def test_no_known_arm_is_without_a_role(read_trees: list[tuple[Published, ForeignWorkspace | str]]) -> None:
    """The treatment is the arm with the skill, in every published workspace that has the usual names."""
    for _, workspace in read_trees:
        if isinstance(workspace, str):
            continue
        for iteration in workspace.iterations:
            roles = {arm.name: arm.role for arm in iteration.arms}
            for name, role in (
                ("with_skill", "treatment"),
                ("new_skill", "treatment"),
                ("without_skill", "baseline"),
                ("old_skill", "baseline"),
            ):
                assert roles.get(name, role) == role
