"""Real skills and eval files, where the shared corpus lies beside the checkout."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

pytestmark = pytest.mark.shared

FAMILIES = {"skill-creator": "skill-creator", "slow-powers": "slow-powers", "agentskills-io": "agentskills"}


def _entries(shared: Path, kind: str) -> Iterator[dict[str, str]]:
    with (shared / "corpus/index.jsonl").open(encoding="utf-8") as lines:
        yield from (entry for entry in map(json.loads, lines) if entry["kind"] == kind)


def _make_inputs(skill: Path, evals: dict[str, list[dict[str, list[str]]]]) -> None:
    """The input files that the corpus lacks, in the folders that they are named from."""
    for case in evals["evals"]:
        for written in case.get("files") or ():
            place = skill / ("evals" if written.startswith("fixtures/") else ".") / written
            if written.endswith("/"):
                place /= "file.txt"
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists():
                place.write_text(written)


@pytest.mark.parametrize("family", FAMILIES)
def test_eval_files_of_the_main_dialects_are_read(shared: Path, tmp_path: Path, family: str) -> None:
    """Each whole, with every case, and as the dialect that it is."""
    n_read = 0
    for number, entry in enumerate(_entries(shared, "evals")):
        if entry["dialect"] != family:
            continue
        data = (shared / "corpus" / entry["file"]).read_bytes()
        content = json.loads(data.decode("utf-8-sig"))
        skill = tmp_path / str(number)
        (skill / "evals").mkdir(parents=True)
        (skill / "SKILL.md").write_text("---\nname: x\ndescription: d\n---\n")
        (skill / "evals/evals.json").write_bytes(data)
        _make_inputs(skill, content)
        suite = load_suite(load_skill(skill))
        assert len(suite.cases) == len(content["evals"])
        assert suite.dialect == FAMILIES[family], entry["file"]
        for case, written in zip(suite.cases, content["evals"], strict=True):
            n_criteria = len(written.get("assertions") or ()) + len(written.get("expectations") or ())
            assert len(case.assertions) == n_criteria
            assert not any(one.type == "foreign" for one in case.assertions)
            assert len(case.files) == len(set(written.get("files") or ()))
        n_read += 1
    assert n_read >= 10


def test_skills_load_or_lack_front_matter(shared: Path) -> None:
    """The only ones refused are those without front matter, or with one that is not closed."""
    folders = sorted({(shared / "corpus" / entry["file"]).parent for entry in _entries(shared, "skills")})
    folders = [folder for folder in folders if (folder / "SKILL.md").is_file()]
    refused: set[str] = set()
    n_loaded = n_well_formed = 0
    for folder in folders:
        text = (folder / "SKILL.md").read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        n_well_formed += text.startswith("---\n") and "\n---\n" in text
        try:
            skill = load_skill(folder)
        except SpecError as error:
            refused.add(error.code)
        else:
            assert skill.files
            n_loaded += 1
    assert n_loaded == n_well_formed
    assert n_loaded >= 40
    assert refused == {"no-front-matter", "open-front-matter"}
