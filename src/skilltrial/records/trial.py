"""One agent execution of (case, arm, repeat)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

from pydantic import Field

from skilltrial.records.conduct import Conduct
from skilltrial.records.conversation import Conversation
from skilltrial.records.events import Event
from skilltrial.records.record import Record
from skilltrial.records.usage import Usage

Discovery = Literal["natural", "injected", "recorded", "unknown"]
"""How the skill got to the agent: it found it by itself, had it in its prompt from the start, or this is a replay; `unknown` of
imported trials alone."""

Outcome = Literal["completed", "timed_out", "agent_failed", "harness_error", "cancelled"]

ReasonCode = Literal[
    "timeout",
    "refusal",
    "turn_limit",
    "output_limit",
    "context_limit",
    "budget",
    "auth_failed",
    "rate_limited",
    "model_not_found",
    "api_error",
    "network_error",
    "no_answer",
    "not_installed",
    "crashed",
    "unparsable",
    "setup_failed",
    "interrupted",
]


class TrialKey(Record):
    """Names a trial within an iteration."""

    case_id: str
    arm: str
    repeat: int = Field(ge=1)

    def __str__(self) -> str:
        return f"{self.case_id}/{self.arm}/run-{self.repeat}"


class Reason(Record):
    """Why a trial did not complete."""

    code: ReasonCode
    message: str
    retry_after_s: float | None = None
    """What the service asked for, where it did."""


class SkillEvidence(Record):
    """What the trial's own records show of the skill under trial. None where this harness cannot tell."""

    offered: bool | None = None
    """Its name stood in the agent's listing."""
    attempted: bool | None = None
    """The agent asked for it."""
    loaded: bool | None = None
    """Its text was given to the agent."""
    read: bool | None = None
    """Its SKILL.md was read as a file."""
    described: bool | None = None
    """Its whole description stood in the listing; False: it was cut or left out there."""
    injected: bool = False
    """Its text was in the prompt from the start: no statement about discovery follows."""

    @property
    def reached(self) -> bool | None:
        """True where the skill's text got to the agent by any way, None where no way can be told."""
        if self.injected or self.loaded or self.read:
            return True
        return None if self.loaded is None and self.read is None else False


class HarnessResult(Record):
    """What a harness returns for one execution; `execute` makes a `Trial` of it."""

    outcome: Outcome
    reason: Reason | None = None
    events: tuple[Event, ...] = ()
    final_message: str | None = None
    """The agent's last text; None where there is none."""
    final_message_cut: int | None = None
    """At least so many characters were left out of its middle, where it had more than 1,000,000; None: nothing was."""
    usage: Usage = Usage()
    cost_usd: float | None = None
    model: str | None = None
    """The model that served the requests, as reported."""
    version: str | None = None
    duration_ms: int | None = None
    """Where the harness knows better than a clock around it: a replay has the time of the recorded trial."""
    exit_code: int | None = None
    evidence: SkillEvidence = SkillEvidence()
    discovery: Discovery = "natural"
    facts: Mapping[str, str] = Field(default_factory=dict)
    """What else names the set-up: a model file's checksum, an engine's version, threads."""
    n_strays: int = 0
    """Processes that outlived the agent and were killed."""
    session: str | None = None
    """What the agent program calls this session, to go on with it; None where it cannot."""
    cut: bool = False
    """Ended by us once the skill's text got to the agent, as was asked; what the run took is only what was told by then."""


Amount = TypeVar("Amount", int, float)


def _both(one: Amount | None, other: Amount | None) -> Amount | None:
    return None if one is None or other is None else one + other


class Attempt(Record):
    """One try of a trial; only errors of tools are tried again."""

    outcome: Outcome
    reason: Reason | None = None
    started_at: str
    duration_ms: int
    usage: Usage = Usage()
    cost_usd: float | None = None
    responder_usage: Usage | None = None
    """Of the model that played the user, beside `usage`; None: nobody played."""
    responder_usd: float | None = None
    cut: bool = False
    """Of the result: ended by us once the skill was loaded."""

    def spent_usd(self, *, free: bool = False) -> float | None:
        """By the agent, unless that is `free`, and the player of its user together; None where one does not tell."""
        own = 0.0 if free else self.cost_usd
        return own if self.responder_usage is None else _both(own, self.responder_usd)

    @property
    def spent_tokens(self) -> int | None:
        """The same of tokens."""
        own, played = self.usage.total_tokens, self.responder_usage
        return own if played is None else _both(own, played.total_tokens)


class OutputFile(Record):
    """A file that the trial made, changed or removed."""

    path: str
    """Relative to `outputs/`, with forward slashes."""
    change: Literal["created", "modified", "deleted"]
    size: int | None = None
    sha256: str | None = None
    kept: bool = True
    """False where it was not copied: `note` says why (a link, a device, too large)."""
    note: str = ""


class HarnessFacts(Record):
    """Which agent program did the trial."""

    name: str
    version: str | None = None
    model_asked: str | None = None
    model_served: str | None = None
    discovery: Discovery = "natural"
    args: tuple[str, ...] = ()
    facts: Mapping[str, str] = Field(default_factory=dict)


class TrialOrigin(Record):
    """A trial of an earlier iteration."""

    iteration: int
    key: TrialKey
    plan_digest: str


class Trial(Record):
    """`run.json`: everything known about one trial but its transcript, outputs and grading."""

    schema_version: Literal[1] = 1
    key: TrialKey
    outcome: Outcome
    reason: Reason | None = None
    final_message: str | None = None
    final_message_cut: int | None = None
    """At least so many characters were left out of its middle, where it had more than 1,000,000; None: nothing was."""
    started_at: str | None
    """ISO 8601, UTC; None where an import does not tell."""
    duration_ms: int | None
    """Wall clock of the last attempt, from the start of the agent to its end; None where an import does not tell."""
    usage: Usage
    """Of the last attempt."""
    cost_usd: float | None = None
    harness: HarnessFacts
    evidence: SkillEvidence
    attempts: tuple[Attempt, ...]
    """All tries in order, the last one included; empty of an import."""
    files: tuple[OutputFile, ...] = ()
    tool_calls: Mapping[str, int] | None = Field(default_factory=dict)
    """By tool; None where an import does not tell."""
    n_tool_errors: int | None = 0
    n_turns: int | None = None
    """Requests to the model."""
    exit_code: int | None = None
    n_strays: int = 0
    conversation: Conversation | None = None
    """Of a case with turns or a responder."""
    double_calls: Mapping[str, int] | None = None
    """Uses of the case's doubles, by `kind:name`; those that no reply fitted once more under `kind:name!`. None: it has none."""
    conduct: Conduct | None = None
    """What the agent did beside its task; None: nobody looked (an import, or an older version)."""
    isolation: str
    """Level and means, like `folder` (fresh folders and an allow-listed environment)."""
    seed: int
    plan_digest: str
    reused_from: TrialOrigin | None = None
    """The trial of an earlier iteration that this one is a copy of; nothing ran in this iteration then."""

    def spent_usd(self, *, free: bool = False) -> float | None:
        """Of its last attempt, the player of its user included."""
        own, last = 0.0 if free else self.cost_usd, self.attempts[-1:]
        return _both(own, last[0].responder_usd) if last and last[0].responder_usage else own

    @property
    def spent_tokens(self) -> int | None:
        """The same of tokens."""
        own, last = self.usage.total_tokens, self.attempts[-1:]
        played = last[0].responder_usage if last else None
        return own if played is None else _both(own, played.total_tokens)
