"""Why a verdict is another one than before."""

from __future__ import annotations

import pytest

from skilltrial.operations.regrading import changes
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.trial import TrialKey

PARTS = {"rules": "4", "case": "c", "trial": "t", "judge": "j", "assertion:a": "a"}


def _grading(verdict: str, parts: dict[str, str]) -> Grading:
    return Grading(
        key=TrialKey(case_id="one", arm="with_skill", repeat=1),
        results=(
            AssertionResult.model_validate(
                {"id": "a", "text": "A.", "type": "llm_judge", "verdict": verdict, "evidence": "e", "grader": "judge"}
            ),
        ),
        digest="sha256:0",
        parts=parts,
    )


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (PARTS, "evidence"),
        ({**PARTS, "judge": "k"}, "judge"),
        ({**PARTS, "trial": "u"}, "output"),
        ({**PARTS, "case": "d"}, "case"),
        ({**PARTS, "assertion:a": "b", "case": "d"}, "assertion"),
        ({**PARTS, "rules": "3"}, "rules"),
        ({name: part for name, part in PARTS.items() if name != "rules"} | {"case": "d"}, "rules"),
        ({}, "unknown"),
    ],
)
def test_the_reason_is_what_differs(before: dict[str, str], why: str) -> None:
    """A version that grades by other rules is no change of the task's notes, though its digests may be made otherwise."""
    (change,) = changes(_grading("PASS", before), _grading("FAIL", PARTS))
    assert (change.before, change.after, change.why) == ("PASS", "FAIL", why)
