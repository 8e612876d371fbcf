"""What the page is told of transcripts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from browsing import subject_of

from skilltrial.errors import SpecError
from skilltrial.grade.blindfold import neutral_events
from skilltrial.records.events import (
    AssistantMessage,
    Event,
    SessionStarted,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)
from skilltrial.review.reading import QUESTIONS
from skilltrial.review.subject import Query
from skilltrial.transcript.claude_code import parse
from skilltrial.transcript.formats import FORMATS

KEY = {"iteration": "1", "case": "csv-header", "arm": "with_skill", "repeat": "1"}
FOLDER = "iteration-1/eval-csv-header/with_skill/run-1"
EVENTS: list[Event] = [
    SessionStarted(ordinal=0, model="m", skills=("commit-style",), at="2026-01-01T00:00:00Z"),
    UserMessage(ordinal=1, text="Write the header"),
    Thinking(ordinal=2, text="I should look first"),
    ToolCall(ordinal=3, call_id="s", name="Skill", input={"skill": "commit-style"}),
    ToolResult(ordinal=4, call_id="s", text="Launching skill", is_error=False),
    ToolCall(ordinal=5, call_id="b", name="Bash", input={"command": "cat a.csv", "description": "Look"}),
    ToolResult(ordinal=6, call_id="b", text="No such file", is_error=True),
    ToolCall(ordinal=7, call_id="t", name="Task", input={"prompt": "Find the columns"}),
    AssistantMessage(ordinal=8, agent="t", text="The columns are a, b"),
    ToolResult(ordinal=9, call_id="t", text="a, b", is_error=False),
    AssistantMessage(ordinal=10, text="Done: a,b", at="2026-01-01T00:00:12Z"),
]


def laid(workspace: Path, events: Sequence[Event], *, folder: str = FOLDER) -> None:
    """Put a transcript in the place of a trial's."""
    lines = "".join(event.model_dump_json(exclude_none=True) + "\n" for event in events)
    (workspace / folder / "transcript.jsonl").write_text(lines)


def asked(workspace: Path, name: str = "transcript", **more: str) -> Any:
    """The answer, as it goes through JSON."""
    answer = QUESTIONS[name](subject_of(workspace), Query({**KEY, **more}))
    return json.loads(json.dumps(answer))


def by_ordinal(answer: Mapping[str, Any]) -> dict[int, Any]:
    """The rows."""
    return {row["ordinal"]: row for row in answer["rows"]}


def test_steps_are_numbered_as_verdicts_count(shown_workspace: Path) -> None:
    """A step has the number by which a verdict names it; what no judge sees has none."""
    laid(shown_workspace, EVENTS)
    rows = asked(shown_workspace)["rows"]
    seen = [event.ordinal for event in neutral_events(EVENTS, ("commit-style",))]
    assert [row["ordinal"] for row in rows if row["step"]] == seen == [5, 6, 7, 8, 9, 10]
    assert [row["step"] for row in rows if row["step"]] == [1, 2, 3, 4, 5, 6]


def test_the_skill_is_marked(shown_workspace: Path) -> None:
    """Where the skill was offered, asked for and loaded."""
    laid(shown_workspace, EVENTS)
    answer = asked(shown_workspace)
    assert answer["totals"]["marks"] == {"offered": 0, "asked": 3, "loaded": 4}


def test_what_happened_is_told(shown_workspace: Path) -> None:
    """Results name their call, sub-agents stand below theirs, failures and time are told."""
    laid(shown_workspace, EVENTS)
    answer = asked(shown_workspace)
    rows = by_ordinal(answer)
    assert rows[5]["about"] == {"shape": "command", "why": "Look", "text": "cat a.csv", "n_chars": 9}
    assert (rows[6]["call"], rows[6]["tool"], rows[6]["is_error"]) == (5, "Bash", True)
    assert (rows[8]["depth"], rows[8]["agent"]) == (1, 7)
    assert rows[10]["seconds"] == 12.0
    totals = answer["totals"]
    assert [totals[name] for name in ("calls", "errors", "thoughts", "sub_agents")] == [3, 1, 1, 1]


@pytest.mark.parametrize(
    ("only", "ordinals"),
    [
        ("tools", [3, 4, 5, 6, 7, 9]),
        ("errors", [6]),
        ("thoughts", [2]),
        ("texts", [1, 8, 10]),
        ("skill", [0, 3, 4]),
        ("agents", [8]),
    ],
)
def test_filters(shown_workspace: Path, only: str, ordinals: list[int]) -> None:
    """Only steps of a kind."""
    laid(shown_workspace, EVENTS)
    assert list(by_ordinal(asked(shown_workspace, only=only))) == ordinals


def test_long_transcripts_come_in_parts(shown_workspace: Path) -> None:
    """Two hundred steps at a time; a step further on comes with those around it."""
    events = [AssistantMessage(ordinal=number, text=f"Sentence {number}") for number in range(1_000)]
    laid(shown_workspace, events)
    answer = asked(shown_workspace)
    assert (answer["n"], len(answer["rows"]), len(answer["bars"])) == (1_000, 200, 200)
    answer = asked(shown_workspace, step="702")
    assert (answer["from"], answer["rows"][0]["step"]) == (600, 601)
    assert asked(shown_workspace, ordinal="0")["from"] == 0
    assert asked(shown_workspace, **{"from": "900"})["rows"][-1]["ordinal"] == 999


def test_long_texts_are_cut_and_can_be_had(shown_workspace: Path) -> None:
    """The page gets the beginning and the length; the rest in parts."""
    laid(shown_workspace, [AssistantMessage(ordinal=0, text="x" * 250_000)])
    row = asked(shown_workspace)["rows"][0]
    assert (len(row["text"]), row["n_chars"]) == (2_000, 250_000)
    part = asked(shown_workspace, "transcript_text", ordinal="0")
    assert (len(part["text"]), part["next"], part["n"]) == (200_000, 200_000, 250_000)
    rest = asked(shown_workspace, "transcript_text", ordinal="0", **{"from": "200000"})
    assert (len(rest["text"]), rest["next"]) == (50_000, None)
    with pytest.raises(SpecError, match="no event 1"):
        asked(shown_workspace, "transcript_text", ordinal="1")


def test_search(shown_workspace: Path) -> None:
    """Texts, names of tools and arguments are searched, whatever the capitals; patterns are no patterns."""
    laid(shown_workspace, EVENTS)
    hits = asked(shown_workspace, "transcript_search", text="COLUMNS")["hits"]
    assert [hit["ordinal"] for hit in hits] == [7, 8]
    assert hits[0] == {"ordinal": 7, "step": 3, "before": "Find the ", "match": "columns", "after": ""}
    assert asked(shown_workspace, "transcript_search", text="a.*b")["hits"] == []
    assert asked(shown_workspace, "transcript_search", text=" ")["hits"] == []


def test_what_cannot_be_read_is_shown_as_it_is(shown_workspace: Path) -> None:
    """A line that is no event does not hide the others."""
    path = shown_workspace / FOLDER / "transcript.jsonl"
    path.write_bytes(b'{"kind": "new_thing"}\n' + EVENTS[1].model_dump_json().encode() + b"\n\xff\n")
    rows = asked(shown_workspace)["rows"]
    assert [(row["kind"], row.get("code")) for row in rows] == [
        ("notice", "unreadable"),
        ("user_message", None),
        ("notice", "unreadable"),
    ]


def test_raw_streams_are_texts(shown_workspace: Path) -> None:
    """Where there is no transcript, the agent program's own stream can be read, in parts that cut no character in two."""
    folder = shown_workspace / FOLDER
    (folder / "transcript.jsonl").unlink()
    for stream in folder.glob("stream.*"):
        stream.unlink()
    assert asked(shown_workspace)["raw"] == []
    (folder / "stream.md").write_text("aß" * 10)
    answer = asked(shown_workspace)
    assert (answer["rows"], answer["raw"]) == ([], ["stream.md"])
    part = asked(shown_workspace, "transcript_text", most="5")
    assert part == {"text": "aßa", "next": 4, "n": 30, "unit": "bytes", "name": "stream.md"}


def test_raw_streams_of_later_turns(shown_workspace: Path) -> None:
    """A conversation has a stream for each message of the user's, in their order."""
    folder = shown_workspace / FOLDER
    first = len(asked(shown_workspace)["raw"])
    for turn in (10, 2):
        (folder / f"turn-{turn}").mkdir()
        (folder / f"turn-{turn}/stream.jsonl").write_text(f"turn {turn}")
    assert len(asked(shown_workspace)["raw"]) == first + 2
    assert asked(shown_workspace, "transcript_text", stream=str(first))["text"] == "turn 2"
    with pytest.raises(SpecError, match="nothing is kept"):
        asked(shown_workspace, "transcript_text", stream="9")


@pytest.mark.parametrize(
    ("given", "shape", "what"),
    [
        (ToolCall(ordinal=0, call_id="1", name="shell", input={"command": ["ls", "-l"]}), "command", "ls -l"),
        (ToolCall(ordinal=0, call_id="1", name="Write", input={"file_path": "/w/a", "content": "x"}), "write", "x"),
        (ToolCall(ordinal=0, call_id="1", name="apply_patch", input={"input": "*** Begin Patch\n"}), "patch", None),
        (ToolCall(ordinal=0, call_id="1", name="Read", input={"file_path": "/w/a"}), "arguments", None),
        (ToolCall(ordinal=0, call_id="1", name="odd", input=None), "arguments", "null"),
        (ToolCall(ordinal=0, call_id="1", name="odd", input=[1]), "arguments", None),
    ],
)
def test_calls_by_what_they_are_about(shown_workspace: Path, given: ToolCall, shape: str, what: str | None) -> None:
    """Calls of many agent programs are told alike."""
    laid(shown_workspace, [given])
    about = asked(shown_workspace)["rows"][0]["about"]
    assert about["shape"] == shape
    assert what is None or about["text"] == what


def test_edits_are_differences(shown_workspace: Path) -> None:
    """An edit shows which lines went and which came."""
    call = {"file_path": "/w/a", "old_string": "one\ntwo", "new_string": "one\n2"}
    laid(shown_workspace, [ToolCall(ordinal=0, call_id="1", name="Edit", input=call)])
    about = asked(shown_workspace)["rows"][0]["about"]
    assert about == {"shape": "edit", "path": "/w/a", "rows": [[" ", "one"], ["-", "two"], ["+", "2"]]}


def test_todos_are_a_list(shown_workspace: Path) -> None:
    """A list of things to do, each with its state."""
    todos = [{"content": "Read", "status": "completed"}, {"step": "Write", "status": "pending"}]
    laid(shown_workspace, [ToolCall(ordinal=0, call_id="1", name="TodoWrite", input={"todos": todos})])
    about = asked(shown_workspace)["rows"][0]["about"]
    assert about["items"] == [{"text": "Read", "state": "completed"}, {"text": "Write", "state": "pending"}]


def test_an_unknown_trial_is_told(shown_workspace: Path) -> None:
    """A trial without a result has no transcript."""
    with pytest.raises(SpecError, match="no result"):
        asked(shown_workspace, case="nowhere")


def test_every_recorded_stream_shows(shared: Path, shown_workspace: Path) -> None:
    """Each recording of each agent program, read by its parser, is shown whole, and numbered as judges see it."""
    n_streams = 0
    for path in sorted((shared / "fixtures").rglob("*.jsonl")):
        lines = path.read_text(errors="replace").splitlines(keepends=True)
        name = path.parent.name
        events = (
            parse(lines).events if name == "claude-code" else FORMATS[name].read(lines, prompt="Go", beside={}).events
        )
        laid(shown_workspace, events)
        answer = asked(shown_workspace)
        assert [row["kind"] for row in answer["rows"]] == [event.kind for event in events][:200], path
        seen = neutral_events(events[:200], ("commit-style",))
        assert sum(row["step"] is not None for row in answer["rows"]) == len(seen), path
        n_streams += 1
    assert n_streams > 50
