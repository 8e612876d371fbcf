"""The `reference` of a case: found, read, refused, written back, and in no digest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.grade.digest import grading_parts
from skilltrial.plan.plan import case_facts
from skilltrial.records.reference import Reference
from skilltrial.records.suite import Case
from skilltrial.records.trial import Trial
from skilltrial.spec.convert.conversion import convert
from skilltrial.spec.convert.converted import TargetName
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import SuiteReading, examine_suite


def put(skill: Path, files: dict[str, str]) -> None:
    """Files below the skill's `evals/`."""
    for path, text in files.items():
        target = skill / "evals" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def read(path: Path) -> SuiteReading:
    """The file as the skill's."""
    return examine_suite(path, load_skill(path.parent.parent))


def reference(path: Path) -> Reference | None:
    """Of the only case, where nothing is wrong."""
    found = read(path)
    assert found.suite is not None, found.errors
    return found.suite.cases[0].reference


def names(found: Reference | None) -> list[str]:
    """The paths of its files."""
    return [file.path for file in found.files] if found else []


def test_a_folder_with_the_id_of_the_case_is_its_reference(skill: Path, write_case: Callable[..., Path]) -> None:
    """Its files as they lie there; `answer.md` is the final message."""
    put(skill, {"reference/a/out/total.json": "{}", "reference/a/answer.md": "It is 119.\n", "reference/b/x": ""})
    found = reference(write_case(assertions=["It is short"]))
    assert names(found) == ["out/total.json"]
    assert found is not None
    assert (found.answer, found.written) == ("It is 119.\n", None)


def test_a_case_without_such_a_folder_has_none(write_case: Callable[..., Path]) -> None:
    """And nothing is said about it."""
    path = write_case(assertions=["It is short"])
    assert reference(path) is None
    assert read(path).repairs == ()


def test_an_object_says_what_is_removed_and_what_is_said(skill: Path, write_case: Callable[..., Path]) -> None:
    """Then `answer.md` is a file like any other."""
    put(skill, {"right/answer.md": "file", "files/old.txt": ""})
    written = {"path": "evals/right", "removes": ["old.txt"], "answer": "Renamed."}
    found = reference(write_case(assertions=["It is short"], files=["evals/files/old.txt"], reference=written))
    assert names(found) == ["answer.md"]
    assert found is not None
    assert (found.removes, found.answer, found.written) == (("old.txt",), "Renamed.", written)


def test_a_folder_of_the_skill_that_has_this_name_is_not_taken(skill: Path) -> None:
    """Where the eval file lies in the skill itself, `reference/a` may be documentation that agents read."""
    (skill / "reference/a").mkdir(parents=True)
    (skill / "reference/a/guide.md").write_text("How to")
    path = skill / "evals.json"
    path.write_text(json.dumps({"evals": [{"id": "a", "prompt": "Do it", "assertions": ["It is short"]}]}))
    found = examine_suite(path, load_skill(skill))
    assert found.suite is not None
    assert found.suite.cases[0].reference is None


@pytest.mark.parametrize(
    ("written", "code", "said"),
    [
        ("evals/nowhere", "file-missing", "evals[0].reference names 'evals/nowhere', which is not there"),
        ("evals/right/a.txt", "bad-reference", "evals[0].reference is a file"),
        ("../right", "outside-skill", "points outside the skill"),
        (3, "bad-reference", "must be a path or an object, not 3"),
        ({}, "bad-reference", "evals[0].reference says nothing"),
        ({"answer": 119}, "bad-reference", "evals[0].reference.answer must be a text, not 119"),
        ({"removes": "old.txt"}, "bad-reference", "evals[0].reference.removes must be a list of paths"),
        ("scripts", "bad-reference", "is given to agents, by 'files' or with the skill: 'run.py'"),
        ("evals/files", "bad-reference", "is given to agents, by 'files' or with the skill: 'old.txt'"),
        ("evals/binary", "bad-reference", "has an answer.md that is no text"),
    ],
)
def test_a_reference_that_cannot_be_one_is_an_error(
    skill: Path, write_case: Callable[..., Path], written: object, code: str, said: str
) -> None:
    """With the place; one that agents would see most of all."""
    put(skill, {"right/a.txt": "", "files/old.txt": "", "../scripts/run.py": ""})
    (skill / "evals/binary").mkdir()
    (skill / "evals/binary/answer.md").write_bytes(b"\xff\xfe\x00")
    found = read(write_case(assertions=["It is short"], files=["evals/files/old.txt"], reference=written))
    assert [error.code for error in found.errors] == [code]
    assert said in found.errors[0].message


@pytest.mark.parametrize("written", [None, "evals/reference/a"])
def test_an_empty_folder_is_no_reference_and_is_told(
    skill: Path, write_case: Callable[..., Path], written: str | None
) -> None:
    """Somebody meant to fill it."""
    (skill / "evals/reference/a").mkdir(parents=True)
    path = write_case(assertions=["It is short"], reference=written)
    assert reference(path) is None
    assert [repair.code for repair in read(path).repairs] == ["folder-empty"]


def test_a_slip_in_a_key_is_told(skill: Path, write_case: Callable[..., Path]) -> None:
    """With the key that was meant."""
    put(skill, {"right/a.txt": ""})
    path = write_case(assertions=["It is short"], reference={"path": "evals/right", "remove": ["x"]})
    assert [repair.code for repair in read(path).repairs] == ["unknown-key"]
    assert "removes" in read(path).repairs[0].message


def test_the_json_files_of_references_are_no_cases(skill: Path) -> None:
    """Of a folder of cases, in which each file with a prompt is one."""
    put(skill, {"one.json": json.dumps({"id": "a", "prompt": "Do it", "assertions": ["It is short"]})})
    put(skill, {"reference/a/request.json": json.dumps({"prompt": "not a case"})})
    found = examine_suite(skill / "evals", load_skill(skill))
    assert found.suite is not None
    assert [(case.id, names(case.reference)) for case in found.suite.cases] == [("a", ["request.json"])]


def test_a_changed_reference_makes_neither_trials_nor_gradings_stale(trial_of_a: Trial) -> None:
    """They were made without it."""
    plain = Case(id="a", prompt="Do it")
    told = plain.model_copy(update={"reference": Reference(answer="119")})
    assert case_facts(told) == case_facts(plain)
    parts = [
        grading_parts(case, trial_of_a, transcript_sha256="0", judge=None, no_judge_reason="") for case in (plain, told)
    ]
    assert parts[0] == parts[1]


def test_the_digest_of_the_suite_does_not_see_it(skill: Path, write_case: Callable[..., Path]) -> None:
    """It says what trials and gradings depend on."""
    put(skill, {"right/a.txt": ""})
    digests: list[str] = []
    for written in (None, "evals/right"):
        suite = read(write_case(assertions=["It is short"], reference=written)).suite
        assert suite is not None
        digests.append(suite.digest)
    assert digests[0] == digests[1]


@pytest.mark.parametrize("to", ["agentskills", "skill-creator", "skill-builder"])
def test_it_goes_along_into_other_forms(skill: Path, write_case: Callable[..., Path], to: TargetName) -> None:
    """As its author wrote it."""
    put(skill, {"right/a.txt": ""})
    path = write_case(assertions=["It is short"], reference={"path": "evals/right"})
    suite = read(path).suite
    assert suite is not None
    value: Any = convert(suite, to=to, skill=load_skill(skill)).value
    assert value["evals"][0]["reference"] == {"path": "evals/right"}


@pytest.fixture
def trial_of_a() -> Trial:
    """Any trial."""
    text: dict[str, object] = {
        "key": {"case_id": "a", "arm": "with_skill", "repeat": 1},
        "outcome": "completed",
        "started_at": None,
        "duration_ms": None,
        "usage": {},
        "harness": {"name": "builtin"},
        "evidence": {},
        "attempts": [],
        "isolation": "folder",
        "seed": 1,
        "plan_digest": "sha256:0",
    }
    return Trial.model_validate_json(json.dumps(text))
