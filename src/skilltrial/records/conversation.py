"""A case with more than one turn: what is said after the first prompt, by a script or by a model that plays the user."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skilltrial.records.record import Record
from skilltrial.records.usage import Usage

StopCause = Literal[
    "agent_did_not_ask",
    "agent_response_mismatch",
    "responder_done",
    "responder_cannot_answer",
    "max_turns_reached",
    "agent_ended",
]
"""Why nothing more was said: the next scripted turn waits for a question, or for a pattern, that did not come; the player of the
user was content, or could not go on; its turns were used up; the agent's own end left nothing to answer (time-out, failure)."""


class Turn(Record):
    """A scripted message of the user's, after the agent's last one."""

    prompt: Annotated[str, Field(min_length=1)]
    deliver_when: Literal["always", "agent_asks"] = "always"
    agent_response_matches: str | None = None
    """Regular expression that the agent's last message must hold; only with `agent_asks`, instead of the search for a question."""


class Responder(Record):
    """A model plays the user."""

    type: Literal["llm"] = "llm"
    max_turns: Annotated[int, Field(ge=1)] = 8
    """Messages after the first prompt."""
    instructions: str | None = None
    """Who the user is, what they know and want; for the player alone, never for the agent."""


class Round(Record):
    """One message of the user's and what came of it."""

    prompt: str
    answer: str | None
    """The agent's last message of the round; None where there was none."""
    outcome: str
    """Of the execution, like `completed`."""
    duration_ms: int | None = None
    rationale: str | None = None
    """Why the player of the user said it."""


class Conversation(Record):
    """What was said in a trial with turns, in order. A trial without turns has none."""

    rounds: tuple[Round, ...]
    stop: StopCause | None
    """None: everything that was to be said was said."""
    why: str = ""
    """The cause in words, with what the responder gave as its reason."""
    responder: str | None = None
    """The model that played the user."""
    responder_usage: Usage = Usage()
    responder_usd: float | None = None
