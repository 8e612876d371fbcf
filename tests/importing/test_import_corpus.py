"""Workspaces that people published are imported, or refused in one sentence; what comes in is what `report` reads."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from skilltrial import wiring
from skilltrial.errors import SkilltrialError
from skilltrial.interchange.incoming import ImportRequest, import_workspace
from skilltrial.pipeline import summarise

pytestmark = pytest.mark.shared

REFUSED = {
    "Kelet-ai/skills": "nothing says which arm is the treatment",
    "fede0089/skill-eval": "there is no run here to import",
    "geoffsdesk/gke-upgrades-skill": "nothing says which arm is the treatment",
    "slowdini/eval-magic": "there is no run here to import",
    "uwilleer/preflight": "nothing in it can be read as results",
}
"""Arms without roles (the person is asked), results of trigger tests alone, and one file without criteria."""


def test_real_workspaces(shared: Path, tmp_path: Path) -> None:
    """Each repository's tree, as far as it was collected."""
    files: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for text in (shared / "corpus/index.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        if row["kind"] == "workspaces":
            files[row["repo"]].append(row)
    refused: dict[str, str] = {}
    for repo, rows in files.items():
        root = tmp_path / repo.replace("/", "__")
        for row in rows:
            target = root / row["path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(shared / "corpus" / row["file"], target)
        try:
            done = import_workspace(ImportRequest(path=root))
        except SkilltrialError as error:
            refused[repo] = error.message
            continue
        store = wiring.open_store(done.workspace, write=False)
        for each in done.iterations:
            assert summarise(store, each.number) == each.benchmark, repo
    assert len(files) >= 25
    assert refused.keys() == REFUSED.keys()
    for repo, words in REFUSED.items():
        assert words in refused[repo]


def test_a_person_tells_the_roles_of_a_real_workspace(shared: Path, tmp_path: Path) -> None:
    """Two of four arms are compared, the others are shown; a round with names of its own keeps their roles."""
    for text in (shared / "corpus/index.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        if row["kind"] == "workspaces" and row["repo"] == "geoffsdesk/gke-upgrades-skill":
            target = tmp_path / "w" / row["path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(shared / "corpus" / row["file"], target)
    request = ImportRequest(
        path=tmp_path / "w", treatment="claude_with_skill", baseline="claude_without_skill", to=tmp_path / "new"
    )
    rounds = [each.benchmark for each in import_workspace(request).iterations]
    lifts = {(each.lift.treatment, each.lift.baseline) for each in rounds if each.lift}
    assert lifts == {("claude_with_skill", "claude_without_skill"), ("with_skill", "without_skill")}
    assert any(set(each.configs) >= {"gemini_with_skill", "gemini_without_skill"} for each in rounds)
