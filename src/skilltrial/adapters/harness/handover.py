"""What an agent program told in a trial that somebody else started."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.adapters.harness.claude_code_outcome import ending
from skilltrial.adapters.harness.described.outcome import classified
from skilltrial.errors import SpecError
from skilltrial.processes.tree import Ended
from skilltrial.records.events import Event, Notice, UserMessage
from skilltrial.records.handover import HandoverAgent
from skilltrial.records.trial import HarnessResult, SkillEvidence
from skilltrial.transcript.claude_code import parse
from skilltrial.transcript.evidence import skill_evidence
from skilltrial.transcript.formats import FORMATS

CLAUDE_CODE = "claude-code"
"""The one format that has a reader of its own."""


def read_stream(
    text: str, agent: HandoverAgent, *, prompt: str, skill: str, folder: str | None, stopped: bool
) -> HarnessResult:
    """The result that a stream tells, in the format that the agent's record names.

    `skill` is the name of the one under trial, `folder` that of the folder in which it was placed; `stopped`: somebody ended
    the agent. Raises `SpecError` for a stream of another format, and for one without an end where nobody stopped the agent: what
    is missing would look like what was not done.
    """
    lines = text.split("\n")
    if agent.stream_format == CLAUDE_CODE:
        parsed = parse(lines, prompt=prompt)
        ended = Ended(exit_code=0, stopped=None, n_strays=0)
        outcome, reason = ending(ended, parsed, refused=False, timeout_s=0.0, stderr="")
        whole = parsed.result is not None
        if not whole:
            outcome, reason = "completed", None
    else:
        parsed = FORMATS[agent.stream_format or "text"].read(lines, prompt=prompt, beside={})
        whole = parsed.finished or parsed.failure is not None
        outcome, reason = classified(parsed.failure) if parsed.failure else ("completed", None)
    told = whole or any(not isinstance(event, UserMessage | Notice) for event in parsed.events)
    if not told or not (whole or stopped):
        what = "does not come to its end" if told else f"is not in the format {agent.stream_format}"
        raise SpecError(f"the stream {what}.", hint="Hand it back whole, or leave it out.")
    return HarnessResult(
        outcome=outcome,
        reason=reason,
        events=parsed.events,
        final_message=parsed.final_message,
        usage=parsed.usage,
        cost_usd=parsed.cost_usd,
        model=parsed.model,
        version=parsed.version,
        evidence=_evidence(parsed.events, agent, skill, folder),
        discovery=agent.discovery,
    )


def _evidence(events: Sequence[Event], agent: HandoverAgent, skill: str, folder: str | None) -> SkillEvidence:
    tool = agent.skill_tool
    told = skill_evidence(events, skill, skill_tools=(tool,) if tool else (), also=(folder,) if folder else ())
    return told if tool else told.model_copy(update={"attempted": told.read, "loaded": told.read})
