"""What `improve` takes and refuses before anything is spent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.operations.improving import ImproveRequest, prepare_improvement, told_before
from skilltrial.request import RunRequest

PROSE = "It is polite."
BY_CODE = {"type": "answer_matches", "pattern": "x", "text": "It has an x."}


def _asked(tmp_path: Path, assertions: list[object], *, judge: str | None = None) -> ImproveRequest:
    """A skill with a case for each of these assertions."""
    skill = tmp_path / "polite"
    (skill / "evals").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: polite\ndescription: Makes answers polite.\n---\nBe polite.\n")
    cases = [{"id": f"c{n}", "prompt": f"Say {n}.", "assertions": [each]} for n, each in enumerate(assertions)]
    (skill / "evals/evals.json").write_text(json.dumps({"skill_name": "polite", "evals": cases}))
    return ImproveRequest(run=RunRequest(skill=skill, env={}, judge=judge), proposer="openai:m")


def test_prose_alone_needs_a_judge(tmp_path: Path) -> None:
    """Else the trials would be paid for, and not one verdict would come of them."""
    with pytest.raises(SpecError, match="every assertion is prose") as caught:
        prepare_improvement(_asked(tmp_path, [PROSE] * 8))
    assert "--judge" in str(caught.value.hint)


def test_a_judge_makes_prose_count(tmp_path: Path) -> None:
    """All eight are split."""
    assert len(prepare_improvement(_asked(tmp_path, [PROSE] * 8, judge="openai:m")).cases) == 8


def test_cases_that_nobody_could_decide_are_in_no_part(tmp_path: Path) -> None:
    """The ninth has prose alone."""
    prepared = prepare_improvement(_asked(tmp_path, [*[BY_CODE] * 8, PROSE]))
    assert sorted(each.id for each in prepared.cases) == [f"c{n}" for n in range(8)]


@pytest.mark.parametrize("place", ["evals.json", "tests/evals.json"])
def test_cases_that_are_files_of_the_skill_are_refused(tmp_path: Path, place: str) -> None:
    """The proposing model gets the skill's files: it would read the hold-out cases."""
    asked = _asked(tmp_path, [BY_CODE] * 8)
    target = asked.run.skill / place
    target.parent.mkdir(exist_ok=True)
    (asked.run.skill / "evals/evals.json").rename(target)
    with pytest.raises(SpecError, match=f"{place} is a file of the skill"):
        prepare_improvement(replace(asked, run=replace(asked.run, evals=target)))


def test_a_task_that_the_skill_has_as_an_example_is_told(tmp_path: Path) -> None:
    """Where it is of select or hold-out: of 8 such tasks 6; spaces and line ends do not count."""
    asked = _asked(tmp_path, [BY_CODE] * 8)
    file = asked.run.skill / "evals/evals.json"
    suite = json.loads(file.read_text())
    for case in suite["evals"]:
        case["prompt"] = f"Answer letter {case['id']} of the customer."
    file.write_text(json.dumps(suite))
    skill = asked.run.skill / "SKILL.md"
    skill.write_text(
        skill.read_text() + "".join(f"\n- {each['prompt'].replace(' ', chr(10))}" for each in suite["evals"])
    )
    prepared = prepare_improvement(asked)
    told = told_before(prepared.skill, prepared.suite, prepared.cases)
    others = {each.id for each in prepared.cases if each.part != "train"}
    assert len(told) == len(others) == 6
    assert all(any(f"{name!r}" in each for each in told) for name in others)
    assert told[0].startswith("SKILL.md holds the task of the case ")
