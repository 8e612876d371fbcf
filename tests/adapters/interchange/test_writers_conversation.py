"""A trial with more than one turn in eval-magic's form."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.adapters.interchange.writers.conversation import conversation_file
from skilltrial.adapters.interchange.writers.rounds import Run
from skilltrial.adapters.interchange.writers.transcripts import as_markdown
from skilltrial.records import layout
from skilltrial.records.conversation import Conversation, Round
from skilltrial.records.events import AssistantMessage, Event, ToolCall, ToolResult, UserMessage
from skilltrial.records.suite import Case
from skilltrial.records.trial import Attempt, HarnessFacts, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage

NOW = "2026-01-01T00:00:00Z"
ROUNDS = (
    Round(prompt="Convert it.", answer="Which?", outcome="completed"),
    Round(prompt="CSV.", answer="Done.", outcome="completed", rationale="asked"),
)
EVENTS: tuple[Event, ...] = (
    UserMessage(ordinal=0, text="Convert it."),
    UserMessage(ordinal=1, text="The program's own words.", synthetic=True),
    AssistantMessage(ordinal=2, text="Which?"),
    UserMessage(ordinal=3, text="CSV."),
    ToolCall(ordinal=4, call_id="2.1", name="Write", input={"path": "a.csv"}),
    ToolResult(ordinal=5, call_id="2.1", text="ok"),
    AssistantMessage(ordinal=6, text="Done."),
)


def a_run(folder: Path, conversation: Conversation | None) -> Run:
    """A completed trial with the transcript above."""
    (folder / layout.TRANSCRIPT).write_text("".join(event.model_dump_json() + "\n" for event in EVENTS))
    trial = Trial(
        key=TrialKey(case_id="one", arm="with_skill", repeat=1),
        outcome="completed",
        final_message="Done.",
        started_at=NOW,
        duration_ms=1,
        usage=Usage(),
        harness=HarnessFacts(name="stub"),
        evidence=SkillEvidence(),
        attempts=(Attempt(outcome="completed", started_at=NOW, duration_ms=1),),
        conversation=conversation,
        isolation="folder",
        seed=1,
        plan_digest="sha256:p",
    )
    return Run(
        case=Case(id="one", prompt="Convert it."),
        arm="with_skill",
        trial=trial,
        grading=None,
        results=(),
        open=(),
        folder=folder,
        outputs=(),
        user_notes=(),
    )


def test_messages_and_calls_by_round(tmp_path: Path) -> None:
    """Numbered through, with who said it and why; what the program put in the user's place is left out."""
    made = conversation_file(
        a_run(tmp_path, Conversation(rounds=ROUNDS, stop="responder_done", why="content", responder="m"))
    )
    origin = {"responder": "llm", "rationale": "asked"}
    assert made == {
        "status": "completed",
        "delivered_followups": 1,
        "events": [
            {"type": "user_message", "text": "Convert it.", "ordinal": 0, "round": 1},
            {"type": "assistant_message", "text": "Which?", "ordinal": 1, "round": 1},
            {"type": "user_message", "text": "CSV.", "origin": origin, "ordinal": 2, "round": 2},
            {
                "type": "tool_invocation",
                "name": "Write",
                "args": {"path": "a.csv"},
                "result": "ok",
                "ordinal": 3,
                "round": 2,
            },
            {"type": "assistant_message", "text": "Done.", "ordinal": 4, "round": 2},
        ],
        "responder_outcome": {"ending": "done", "rationale": "content"},
    }


def test_an_early_end_has_its_place(tmp_path: Path) -> None:
    """The cause, and which of the user's later messages was not said."""
    made = conversation_file(a_run(tmp_path, Conversation(rounds=ROUNDS, stop="agent_did_not_ask")))
    assert isinstance(made, dict)
    assert (made["status"], made["stop_reason"], made["stopped_before_followup"]) == ("stopped", "agent_did_not_ask", 2)


@pytest.mark.parametrize("conversation", [None, Conversation(rounds=ROUNDS, stop="agent_ended")])
def test_what_it_has_no_word_for_is_not_written(tmp_path: Path, conversation: Conversation | None) -> None:
    """A trial with one prompt, and one that failed."""
    assert conversation_file(a_run(tmp_path, conversation)) is None


def test_the_transcript_for_people_says_who_spoke(tmp_path: Path) -> None:
    """The user's later messages stand among the steps."""
    text = as_markdown(a_run(tmp_path, Conversation(rounds=ROUNDS, stop=None)))
    assert "### Step 3: the user\n\nCSV." in text
    assert text.count("Convert it.") == 1
