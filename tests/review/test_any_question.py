"""Every question of the page, of a workspace with one of everything in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browsing import subject_of
from everything import CASES

from skilltrial.errors import SkilltrialError
from skilltrial.review.reading import QUESTIONS
from skilltrial.review.subject import Query

TOLD = {"overview", "cases", "case", "trial", "files", "file", "transcript", "benchmark", "history"}


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_no_defect(kept_everything: Path, name: str) -> None:
    """Whatever the case, a question is answered in plain JSON or refused in words."""
    subject = subject_of(kept_everything)
    about = [{"case": case, "arm": arm, "repeat": "1"} for case in CASES for arm in ("with_skill", "without_skill")]
    n_answered = 0
    for values in ({}, {"case": "none", "arm": "none", "repeat": "9"}, *about):
        try:
            answer = QUESTIONS[name](subject, Query({"iteration": "2", "path": "report.md", "text": "sum", **values}))
        except SkilltrialError:
            continue
        json.dumps(answer, allow_nan=False)
        n_answered += 1
    assert n_answered or name not in TOLD
