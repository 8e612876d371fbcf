"""`transcript_check`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skilltrial.grade.checks.transcript import check_transcript
from skilltrial.grade.decision import Undecided
from skilltrial.grade.material import Material
from skilltrial.records.events import AssistantMessage, ToolCall, ToolResult, UserMessage
from skilltrial.records.suite import TranscriptCheck
from skilltrial.records.trial import OutputFile

Make = Callable[..., Material]

EVENTS = (
    UserMessage(ordinal=0, text="Add the numbers."),
    AssistantMessage(ordinal=1, text="I verify first."),
    ToolCall(ordinal=2, call_id="1", name="Bash", input={"command": 'echo "hi"', "timeout": 5}),
    ToolResult(ordinal=3, call_id="1", text="hi"),
    ToolCall(ordinal=4, call_id="2", name="Write", input={"file_path": "a.txt", "content": "x"}),
    ToolResult(ordinal=5, call_id="2", text="ok"),
    ToolCall(ordinal=6, call_id="3", name="Bash", input={"command": "pytest"}),
    AssistantMessage(ordinal=7, text="Inner voice.", agent="2"),
    AssistantMessage(ordinal=8, text="All done."),
)


def _verdict(made: Material, **fields: Any) -> str:
    check = TranscriptCheck(id="t", text="t", **{"check": "tool_invocation_matches", **fields})
    return check_transcript(check, made).verdict


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^Bash ", "PASS"),
        (r'^Bash \{"command":"echo \\"hi\\"","timeout":5\}$', "PASS"),
        ("pytest", "PASS"),
        ("All done", "FAIL"),
        ("^Read", "FAIL"),
    ],
)
def test_a_call_is_its_name_and_its_arguments_as_compact_json(material: Make, pattern: str, expected: str) -> None:
    """Messages are not searched."""
    assert _verdict(material(events=EVENTS), pattern=pattern) == expected


def test_a_call_without_arguments_is_its_name(material: Make) -> None:
    """Nothing follows the name."""
    assert _verdict(material(events=[ToolCall(ordinal=0, call_id="1", name="Ls")]), pattern="^Ls$") == "PASS"


def test_messages_are_those_of_the_main_agent(material: Make) -> None:
    """A sub-agent's text is nothing that the agent told anybody."""
    made = material(events=EVENTS)
    assert _verdict(made, check="assistant_message_matches", pattern="verify") == "PASS"
    assert _verdict(made, check="assistant_message_matches", pattern="Inner") == "FAIL"


def test_negated_it_holds_where_nothing_matches(material: Make) -> None:
    """And fails where something does."""
    made = material(events=EVENTS)
    assert _verdict(made, pattern="rm -rf", negate=True) == "PASS"
    assert _verdict(made, pattern="pytest", negate=True) == "FAIL"


@pytest.mark.parametrize(("pattern", "expected"), [("echo", "PASS"), ("a.txt", "FAIL"), ("pytest", "FAIL")])
def test_before_the_first_write(material: Make, pattern: str, expected: str) -> None:
    """The write itself is not before the write."""
    assert _verdict(material(events=EVENTS), pattern=pattern, must_precede="first_write") == expected


def test_a_refused_write_is_none(material: Make) -> None:
    """The first call that really writes sets the limit."""
    events = (
        ToolCall(ordinal=0, call_id="1", name="Write", input={}),
        ToolResult(ordinal=1, call_id="1", text="denied", is_error=True),
        ToolCall(ordinal=2, call_id="2", name="Read", input={"path": "x"}),
        ToolCall(ordinal=3, call_id="3", name="mcp__files__edit_file", input={}),
    )
    assert _verdict(material(events=events), pattern="^Read", must_precede="first_write") == "PASS"


def test_nothing_written_sets_no_limit(material: Make) -> None:
    """Viewing with an editor tool is no write."""
    events = (
        ToolCall(ordinal=0, call_id="1", name="str_replace_editor", input={"command": "view"}),
        ToolCall(ordinal=1, call_id="2", name="Read", input={}),
    )
    assert _verdict(material(events=events), pattern="^Read", must_precede="first_write") == "PASS"


def test_files_written_by_unknown_means_leave_the_order_open(material: Make) -> None:
    """A shell may have written before or after; a miss is still a miss."""
    made = material(
        events=[ToolCall(ordinal=0, call_id="1", name="Bash", input={"command": "echo > a"})],
        records=[OutputFile(path="a", change="created")],
    )
    with pytest.raises(Undecided, match="the order is unknown"):
        _verdict(made, pattern="echo", must_precede="first_write")
    assert _verdict(made, pattern="pytest", must_precede="first_write") == "FAIL"


@pytest.mark.parametrize(("pattern", "expected"), [("verify", "PASS"), ("All done", "FAIL")])
def test_before_the_final_message(material: Make, pattern: str, expected: str) -> None:
    """Said before it is claimed to be done."""
    made = material(events=EVENTS)
    fields = {"check": "assistant_message_matches", "must_precede": "completion_claim"}
    assert _verdict(made, pattern=pattern, **fields) == expected


def test_evidence_names_the_event_and_the_match(material: Make) -> None:
    """A reader finds the place."""
    check = TranscriptCheck(id="t", text="t", check="tool_invocation_matches", pattern="pytest")
    assert check_transcript(check, material(events=EVENTS)).evidence == "found in the call of Bash (event 6): pytest"


@pytest.mark.parametrize(
    ("fields", "events", "reason"),
    [
        ({"pattern": "x"}, (), "no transcript"),
        ({"pattern": None}, EVENTS, "no pattern"),
        ({"pattern": "x", "check": "mood_matches"}, EVENTS, "no transcript check named 'mood_matches'; known: tool_"),
    ],
)
def test_what_cannot_be_decided_says_why(material: Make, fields: Any, events: Any, reason: str) -> None:
    """Neither a pass nor a fail."""
    with pytest.raises(Undecided, match=reason):
        _verdict(material(events=events), **fields)


RUNS = (
    ToolCall(ordinal=0, call_id="1", name="Bash", input={"command": "pytest", "why": "see"}),
    ToolResult(ordinal=1, call_id="1", text="1 failed", is_error=True),
    ToolCall(ordinal=2, call_id="2", name="Edit", input={"path": "pytest.ini", "lines": [1, 2]}),
    ToolResult(ordinal=3, call_id="2", text="ok", is_error=False),
    ToolCall(ordinal=4, call_id="3", name="Bash", input={"command": "pytest -q"}),
    ToolResult(ordinal=5, call_id="3", text="2 passed", is_error=False),
    AssistantMessage(ordinal=6, text="Done."),
)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"min": 3}, "PASS"),
        ({"min": 4}, "FAIL"),
        ({"max": 3}, "PASS"),
        ({"max": 2}, "FAIL"),
        ({"pattern": "rm -rf", "max": 2}, "PASS"),
        ({"arg": "command", "min": 3}, "FAIL"),
        ({"arg": "command", "min": 2, "max": 2}, "PASS"),
        ({"arg": "lines", "pattern": r"^\[1,2\]$"}, "PASS"),
        ({"arg": "absent", "pattern": "^"}, "FAIL"),
        ({"succeeded": True, "arg": "command", "max": 1, "min": 1}, "PASS"),
        ({"succeeded": False, "min": 2}, "FAIL"),
        ({"result_matches": r"\d passed"}, "PASS"),
        ({"result_matches": "3 passed"}, "FAIL"),
        ({"result_matches": "3 passed", "negate": True}, "PASS"),
        ({"arg": "command", "before": "^Edit", "min": 2}, "FAIL"),
        ({"arg": "command", "before": "^Edit"}, "PASS"),
        ({"arg": "command", "before": "^Write", "min": 2}, "PASS"),
        ({"arg": "command", "after": "^Edit", "succeeded": True}, "PASS"),
        ({"pattern": "^Edit", "after": "pytest -q"}, "FAIL"),
        ({"pattern": "^Edit", "after": "^Write"}, "FAIL"),
        ({"pattern": "^Edit", "after": "^Write", "negate": True}, "PASS"),
    ],
)
def test_calls_are_counted_with_their_results_and_in_their_order(
    material: Make, fields: dict[str, Any], expected: str
) -> None:
    """`pytest` stands in three calls, in two of them as the command; the first of those failed."""
    assert _verdict(material(events=RUNS), **{"pattern": "pytest", **fields}) == expected


def test_evidence_of_a_count_names_every_event(material: Make) -> None:
    """And that of a miss says which condition was not kept."""
    made = material(events=RUNS)
    fields: dict[str, Any] = {"id": "t", "text": "t", "check": "tool_invocation_matches", "pattern": "pytest"}
    counted = check_transcript(TranscriptCheck(**fields, arg="command", min_count=2), made)
    assert counted.evidence == ("found 2 times: the call of Bash (event 0): pytest; the call of Bash (event 4): pytest")
    missed = check_transcript(TranscriptCheck(**fields, result_matches="3 passed"), made)
    assert missed.evidence == (
        "the first match is in the call of Bash (event 0): pytest, but its result (event 1) has no '3 passed'"
    )


@pytest.mark.parametrize(
    ("result", "fields", "reason"),
    [
        (None, {"succeeded": True}, "does not say whether that call succeeded"),
        (None, {"result_matches": "x"}, "does not show what that call gave back"),
        (ToolResult(ordinal=9, call_id="1", text=""), {"succeeded": False}, "does not say whether"),
    ],
)
def test_a_result_that_is_not_known_decides_nothing(
    material: Make, result: Any, fields: dict[str, Any], reason: str
) -> None:
    """Negated as little; but a count that it cannot change is decided."""
    call = ToolCall(ordinal=0, call_id="1", name="Bash", input={})
    made = material(events=[call, *([result] if result else [])])
    for negate in (False, True):
        with pytest.raises(Undecided, match=reason):
            _verdict(made, pattern="Bash", negate=negate, **fields)
    assert _verdict(made, pattern="Bash", max=1, **fields) == "PASS"
    assert _verdict(made, pattern="Bash", min=2, **fields) == "FAIL"


def test_calls_made_at_once_have_no_order(material: Make) -> None:
    """The second began before the first had ended."""
    made = material(
        events=[
            ToolCall(ordinal=0, call_id="1", name="Check", input={}),
            ToolCall(ordinal=1, call_id="2", name="Deploy", input={}),
            ToolResult(ordinal=2, call_id="1", text=""),
            ToolResult(ordinal=3, call_id="2", text=""),
        ]
    )
    with pytest.raises(Undecided, match=r"may not have ended before the call of Deploy \(event 1\) began"):
        _verdict(made, pattern="^Check", before="^Deploy")
    with pytest.raises(Undecided, match=r"the call of Check \(event 0\) may not have ended before it began"):
        _verdict(made, pattern="^Deploy", after="^Check")
    assert _verdict(made, pattern="^Deploy", before="^Check") == "FAIL"


def test_messages_are_counted_and_ordered_too(material: Make) -> None:
    """Those of the main agent."""
    made = material(events=EVENTS)
    messages = {"check": "assistant_message_matches"}
    assert _verdict(made, **messages, pattern="verify", before="done") == "PASS"
    assert _verdict(made, **messages, pattern="done", before="verify") == "FAIL"
    assert _verdict(made, **messages, pattern=".", max=1) == "FAIL"


CUT = "x" * 800_000 + " cut " + "x" * 200_000


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"pattern": "^Write"}, "UNGRADED"),
        ({"pattern": "apples", "negate": True}, "UNGRADED"),
        ({"pattern": "a.txt", "arg": "file_path"}, "PASS"),
        ({"pattern": "b.txt", "arg": "file_path"}, "FAIL"),
        ({"pattern": "^Bash", "succeeded": True}, "PASS"),
        ({"pattern": "^Bash", "result_matches": "x"}, "UNGRADED"),
        ({"pattern": "^Bash", "before": "apples"}, "UNGRADED"),
    ],
)
def test_what_was_cut_out_may_count(material: Make, fields: dict[str, Any], expected: str) -> None:
    """Nobody knows what stood there; arguments and results that are whole decide as ever."""
    events = (
        ToolCall(ordinal=0, call_id="1", name="Bash", input={"command": "ls"}),
        ToolResult(ordinal=1, call_id="1", text=CUT, is_error=False, cut=7),
        ToolCall(ordinal=2, call_id="2", name="Write", input={"file_path": "a.txt", "content": CUT}, cut=7),
    )
    try:
        verdict = _verdict(material(events=events), **fields)
    except Undecided:
        verdict = "UNGRADED"
    assert verdict == expected
