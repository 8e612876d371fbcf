"""Faults of evals that others reported of their tools: none of them may give a verdict for free here.

The skill's own text is in the transcript; one number stands inside another; what was handed in satisfies the check.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio
import pytest

from skilltrial.grade.material import Material
from skilltrial.grade.trial import grade_trial
from skilltrial.records.document_checks import RowCount, TableMatches
from skilltrial.records.events import AssistantMessage, Event, ToolCall, ToolResult, UserMessage
from skilltrial.records.suite import AnswerMatches, Assertion, FileExists, FileMatches, TranscriptCheck

Make = Callable[..., Material]
SKILL_TEXT = "---\nname: csv-sum\n---\nEnd your report with the line `0 findings`."


def _check(**keys: Any) -> TranscriptCheck:
    fields = {"check": "tool_invocation_matches", "pattern": "0 findings", **keys}
    return TranscriptCheck.model_validate({"id": "a", "text": "t", **fields})


def _verdict(assertion: Assertion, made: Material) -> str:
    """Of the assertion on this trial."""
    case = made.case.model_copy(update={"assertions": (assertion,)})
    material = replace(made, case=case)

    async def main() -> str:
        return (await grade_trial(material, judge=None, no_judge_reason="none")).results[0].verdict

    return anyio.run(main)


BY_TOOL: list[Event] = [
    ToolCall(ordinal=0, call_id="s", name="Skill", input={"skill": "csv-sum"}),
    ToolResult(ordinal=1, call_id="s", text=SKILL_TEXT, is_error=False),
    UserMessage(ordinal=2, text=SKILL_TEXT, synthetic=True),
    AssistantMessage(ordinal=3, text="All done."),
]
BY_SHELL: list[Event] = [
    ToolCall(ordinal=0, call_id="s", name="Bash", input={"command": "cat .claude/skills/csv-sum/SKILL.md"}),
    ToolResult(ordinal=1, call_id="s", text=SKILL_TEXT, is_error=False),
    AssistantMessage(ordinal=2, text="All done."),
]
BY_READING: list[Event] = [
    ToolCall(ordinal=0, call_id="s", name="Read", input={"file_path": "somewhere/else.md"}),
    ToolResult(ordinal=1, call_id="s", text=SKILL_TEXT.replace("name:", "     2\tname:"), is_error=False),
    AssistantMessage(ordinal=2, text="All done."),
]


@pytest.mark.parametrize("events", [BY_TOOL, BY_SHELL, BY_READING], ids=["tool", "shell", "reading"])
@pytest.mark.parametrize(
    "assertion",
    [
        AnswerMatches(id="a", text="t", pattern="0 findings"),
        _check(check="assistant_message_matches"),
        _check(),
        _check(pattern="Bash|Read|Skill", result_matches="0 findings"),
    ],
    ids=["answer", "message", "call", "result"],
)
def test_the_skills_own_text_passes_no_check_and_its_negation_can_pass(
    material: Make, events: list[Event], assertion: AnswerMatches | TranscriptCheck
) -> None:
    """Loading the skill is not doing what it says, however the agent loads it."""
    made = material(events=events, final_message="All done.")
    assert _verdict(assertion, made) == "FAIL"
    assert _verdict(assertion.model_copy(update={"negate": True}), made) == "PASS"


def test_the_same_words_in_the_work_do_pass(material: Make) -> None:
    """So that the negation can fail, too."""
    events = [
        *BY_TOOL[:3],
        ToolCall(ordinal=3, call_id="w", name="Bash", input={"command": "./lint"}),
        ToolResult(ordinal=4, call_id="w", text="0 findings", is_error=False),
        AssistantMessage(ordinal=5, text="0 findings"),
    ]
    made = material(events=events, final_message="0 findings")
    result = _check(pattern="Bash", result_matches="0 findings")
    for assertion in (AnswerMatches(id="a", text="t", pattern="0 findings"), result):
        assert _verdict(assertion, made) == "PASS"
        assert _verdict(assertion.model_copy(update={"negate": True}), made) == "FAIL"


def test_a_bounded_number_is_not_found_inside_another(material: Make) -> None:
    """What the linter advises for `0 findings` (ST414) tells 10 from 0."""
    bounded = AnswerMatches(id="a", text="t", pattern=r"\b0 findings\b")
    assert _verdict(bounded, material(final_message="10 findings")) == "FAIL"
    assert _verdict(bounded, material(final_message="There are 0 findings.")) == "PASS"


HANDED_IN = {"notes.txt": "alpha", "data.csv": "a,b\n1,2\n"}


@pytest.mark.parametrize(
    "assertion",
    [
        FileExists(id="a", text="t", path="notes.txt"),
        FileMatches(id="a", text="t", path="*.txt", pattern="alpha"),
        TableMatches(id="a", text="t", path="data.csv", rows=RowCount(equals=1)),
    ],
    ids=lambda assertion: assertion.type,
)
def test_files_that_were_handed_in_satisfy_nothing(
    material: Make, assertion: FileExists | FileMatches | TableMatches
) -> None:
    """Only what the agent made or changed counts, but where the author says otherwise."""
    untouched = material(kept=HANDED_IN)
    assert _verdict(assertion, untouched) == "FAIL"
    assert _verdict(assertion.model_copy(update={"any": True}), untouched) == "PASS"
    made = material({name: text.encode() for name, text in HANDED_IN.items()})
    assert _verdict(assertion, made) == "PASS"
