"""Checks that wait for another process, as a part of a trial's grading."""

from __future__ import annotations

import os
from collections.abc import Callable

import anyio

from skilltrial.grade.material import Material
from skilltrial.grade.trial import grade_trial
from skilltrial.records.document_checks import DocumentMatches, ImageMatches, PythonCheck, TableMatches
from skilltrial.records.grading import Grading
from skilltrial.records.suite import Case, JsonMatches

Make = Callable[..., Material]


def test_each_kind_gets_its_verdict_and_survives_the_plan(material: Make) -> None:
    """What is broken fails, what is locked is UNGRADED, as assertions read back from `plan.json`."""
    assertions = [
        TableMatches.model_validate(
            {"id": "table", "text": "t", "path": "a.csv", "columns": ["x"], "rows": {"max": 2}}
        ),
        DocumentMatches(id="document", text="t", path="a.docx", pattern="x"),
        ImageMatches(id="image", text="t", path="a.png", not_blank=True),
        JsonMatches(id="json", text="t", path="a.json", jsonpath="$.sum", equals=42),
        PythonCheck(id="python", text="t", function="c.py:holds", code="def holds(trial):\n    return 1 / 0\n"),
    ]
    case = Case(id="sum", prompt="Add the numbers.", assertions=tuple(assertions))
    assert Case.model_validate_json(case.model_dump_json()) == case
    left = {"a.csv": b"x\n1\n", "a.docx": bytes.fromhex("d0cf11e0a1b11ae1"), "a.png": b"no", "a.json": b'{"sum": 42}'}
    made = material(left, assertions=assertions)

    async def main() -> Grading:
        env = {"PATH": os.environ.get("PATH", os.defpath)}
        return await grade_trial(made, judge=None, no_judge_reason="no judge was given.", env=env)

    results = anyio.run(main).results
    assert [(each.id, each.verdict, each.grader) for each in results] == [
        ("table", "PASS", "code"),
        ("document", "UNGRADED", "code"),
        ("image", "FAIL", "code"),
        ("json", "PASS", "code"),
        ("python", "UNGRADED", "code"),
    ]
    assert results[-1].evidence == "c.py:holds gave no verdict: ZeroDivisionError: division by zero (c.py, line 2)."
