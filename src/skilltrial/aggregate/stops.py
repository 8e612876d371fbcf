"""Conversations that ended before all was said, counted for each arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census
from skilltrial.records.benchmark import Finding
from skilltrial.records.conversation import Conversation, StopCause
from skilltrial.records.trial import Trial

_EARLY: frozenset[StopCause] = frozenset(
    {"agent_did_not_ask", "agent_response_mismatch", "responder_cannot_answer", "max_turns_reached"}
)
"""A player that was content is at its end; an agent that failed is told with the outcomes."""


def stopped_early(census: Census, sides: Contest) -> Iterator[Finding]:
    """One finding for the compared arms: a warning where one of them was cut short more often than the other."""
    texts: list[str] = []
    shares: list[float] = []
    stopped: list[Trial] = []
    for arm in sides.arms:
        held = [entry.trial for entry in census.entries if entry.arm.name == arm.name and entry.trial.conversation]
        early = [trial for trial in held if _cause(trial.conversation) in _EARLY]
        stopped += early
        shares.append(len(early) / len(held) if held else 0.0)
        texts += [f"{arm.name} {len(early)} of {len(held)}{_causes(early)}"] if held else []
    if stopped:
        differ = len(set(shares)) > 1
        ground = (
            "one arm heard less from its user than the other, and is graded on that"
            if differ
            else "what the user would have said then was not heard"
        )
        yield Finding(
            code="stopped-early",
            severity="warning" if differ else "info",
            message=f"Conversations stopped early: {', '.join(texts)}; {ground}: read their last messages, and see "
            "whether the turns, the pattern or the responder's instructions fit.",
            trials=tuple(trial.key for trial in stopped),
        )


def told(conversation: Conversation) -> str:
    """A conversation in one line."""
    n_messages = len(conversation.rounds)
    why = f": {conversation.why}" if conversation.why else ""
    ended = f"; ended by {conversation.stop}{why}" if conversation.stop else ""
    return f"{n_messages} message{'s' if n_messages != 1 else ''} of the user{ended}"


def _cause(conversation: Conversation | None) -> StopCause | None:
    return conversation.stop if conversation else None


def _causes(trials: Sequence[Trial]) -> str:
    counts = Counter(cause for trial in trials if (cause := _cause(trial.conversation)))
    listed = [cause if len(counts) == 1 else f"{cause} {n}" for cause, n in sorted(counts.items())]
    return f" ({', '.join(listed)})" if listed else ""
