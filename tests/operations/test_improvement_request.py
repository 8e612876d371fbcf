"""What `improve` takes and refuses before anything is spent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.operations.improving import ImproveRequest, prepare_improvement
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
