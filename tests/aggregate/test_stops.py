"""Conversations that ended before all was said."""

from __future__ import annotations

from skilltrial.records.conversation import Conversation, Round, StopCause


def cells():
    """Nine equal cases with two repeats each."""
    return {f"c{i}": {"with_skill": ["P", "P"], "without_skill": ["F", "F"]} for i in range(9)}


def stopped(cause: StopCause | None) -> Conversation:
    """After one message."""
    return Conversation(rounds=(Round(prompt="P", answer="A", outcome="completed"),), stop=cause, why="so")


def talks(treatment: StopCause | None, baseline: StopCause | None):
    """A change that gives the first repeat of each arm such an end, and the second a full conversation."""
    ends = {"with_skill": treatment, "without_skill": baseline}
    return lambda t: {"conversation": stopped(ends[t.key.arm] if t.key.repeat == 1 else None)}


def test_an_arm_that_is_cut_short_is_a_warning(scene) -> None:
    """Counted for each arm, with the cause."""
    (finding,) = scene(cells()).with_trials(talks("agent_did_not_ask", None)).benchmark().findings
    assert (finding.code, finding.severity, len(finding.trials)) == ("stopped-early", "warning", 9)
    told = "Conversations stopped early: with_skill 9 of 18 (agent_did_not_ask), without_skill 0 of 18; one arm heard"
    assert finding.message.startswith(told)


def test_arms_that_are_cut_short_alike_are_told(scene) -> None:
    """No warning: both heard the same."""
    (finding,) = scene(cells()).with_trials(talks("max_turns_reached", "max_turns_reached")).benchmark().findings
    assert (finding.code, finding.severity) == ("stopped-early", "info")


def test_a_content_player_is_at_its_end(scene) -> None:
    """`responder_done`, and an agent that failed, are no early ends."""
    assert scene(cells()).with_trials(talks("responder_done", "agent_ended")).benchmark().findings == ()


def test_runs_say_how_they_ended(scene) -> None:
    """In their notes, for every report."""
    runs = scene(cells()).with_trials(talks("agent_did_not_ask", None)).benchmark().runs
    assert {run.notes for run in runs if run.configuration == "with_skill"} == {
        ("1 message of the user; ended by agent_did_not_ask: so",),
        ("1 message of the user",),
    }
