"""The forms of native files that no record has: what authors write, and what is written beside the records for other readers.

Nothing is read or written through these. They are the source of the published schemas, and tests hold the writers to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from skilltrial.records.doubles import Doubles
from skilltrial.records.grading import Claim, Confidence, JudgeFacts, Verdict
from skilltrial.records.json_value import Json
from skilltrial.records.record import Record
from skilltrial.records.trial import TrialKey
from skilltrial.records.usage import Usage

Text = Annotated[str, Field(min_length=1)]


class Authored(BaseModel):
    """Something that a person writes: keys that mean nothing here are kept, and allowed."""

    model_config = ConfigDict(frozen=True, extra="allow")


class FileContent(Authored):
    """A file that is written for the task."""

    path: Text
    """Where the agent finds it."""
    content: str
    """What it holds."""


class FileSource(Authored):
    """A file or folder that the agent finds at another place than its own."""

    path: Text
    """Where the agent finds it."""
    source: Text
    """Where it comes from: a path below the skill's folder."""


class CodebaseEntry(Authored):
    """A repository or folder that the agent works in: `url` with `ref`, or `path`."""

    url: Text | None = None
    """Of a git repository."""
    ref: Text | None = None
    """A branch, tag or commit of it."""
    path: Text | None = None
    """A folder; a relative path starts at the eval file's folder."""


class TurnEntry(Authored):
    """What the user says after the agent's last message."""

    prompt: Text
    deliver_when: Literal["always", "agent_asks"] | None = None
    """`agent_asks`: only where that message asks something, or has the pattern. Default: always."""
    agent_response_matches: Text | None = None
    """Regular expression that the agent's message must hold, instead of a question."""


class ResponderEntry(Authored):
    """A model that plays the user."""

    type: Literal["llm"]
    max_turns: Annotated[int, Field(ge=1)] | None = None
    """Messages after the prompt. Default: 8."""
    instructions: Text | None = None
    """Who the user is, what they know and want; the agent never sees it."""


class ReferenceEntry(Authored):
    """A right solution: what it leaves in the agent's folder, and its final message."""

    path: Text | None = None
    """A folder below the skill's: its files lie over those that the task starts with."""
    removes: tuple[Text, ...] | None = None
    """What the task starts with and a right solution does not leave."""
    answer: Text | None = None
    """The final message; without it, the text of `answer.md` in the folder."""


class EvalCase(Authored):
    """One task. Write what a user would ask the agent for, and what must hold afterwards."""

    id: str | int | None = None
    """Unique in the file. Lower-case words with hyphens make good names of folders."""
    name: str | None = None
    """For people."""
    prompt: Text
    """What the agent is asked, word for word, in every arm."""
    expected_output: str | None = None
    """What a good result looks like, for people and the judge; the agent never sees it."""
    files: tuple[str | FileContent | FileSource, ...] | Mapping[str, str] | None = None
    """What the task starts with: paths below the skill's folder or objects that say more, or a map of path to content."""
    runs: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Repeats in each arm; wins over the command line."""
    skill_should_trigger: bool | None = None
    """False for a task that the skill should stay out of. Default: true."""
    family: Text | None = None
    """The same text in cases that are variants of one another: they count as one observation."""
    codebase: CodebaseEntry | None = None
    """What the agent works in; its files come before `files`."""
    turns: tuple[str | TurnEntry, ...] | None = None
    """What the user says later, in order; not beside a responder."""
    responder: ResponderEntry | None = None
    """A model that plays the user after the prompt; not beside turns."""
    doubles: Doubles | None = None
    """What the agent reaches instead of real programs, services and servers; instead of those of the file."""
    reference: Text | ReferenceEntry | None = None
    """A right solution for `skilltrial oracle`, a folder; the agent never sees it. Default: `reference/<id>/` beside the file."""
    assertions: tuple[Json, ...] | None = None
    """What must hold: statements for a judge, or checks that code decides."""


class EvalsFile(Authored):
    """`evals/evals.json` of a skill."""

    skill_name: str | None = None
    """The name of the skill's front matter."""
    codebase: CodebaseEntry | None = None
    """Of the cases that have none of their own."""
    doubles: Doubles | None = None
    """Of the cases that have none of their own."""
    evals: Annotated[tuple[EvalCase, ...], Field(min_length=1)]
    """The cases."""


class TriggerEntry(Authored):
    """What a user says, and whether the skill should be loaded then."""

    id: str | int | None = None
    query: Text
    """In the words of a user who does not know the skill's name."""
    should_trigger: bool
    """Write queries of both kinds; good negative ones are near misses."""


class EvalMetadataFile(Record):
    """`eval_metadata.json` of a case: what its trials were asked and are graded on."""

    eval_id: str | int
    """As its author wrote it."""
    eval_name: str
    prompt: str
    expected_output: str | None
    assertions: tuple[str, ...]
    """As texts, for other readers."""
    plan_digest: str


class TimingFile(Record):
    """`timing.json` of a trial: what it took. Null is unknown."""

    eval_id: str | int
    config: str
    """The arm."""
    total_tokens: int | None
    duration_ms: int | None
    """Wall clock of the agent, in milliseconds."""
    total_duration_seconds: float | None
    timestamp: str | None
    """ISO 8601, UTC: when the agent was started."""
    executor_start: str | None
    executor_end: str | None = None
    executor_duration_seconds: float | None
    grader_start: str | None = None
    """ISO 8601, UTC. Those of the grader are there once the trial is graded."""
    grader_end: str | None = None
    grader_duration_seconds: float | None = None
    """All that the verdicts took: checks, commands and the judge. Not in the total, which is the agent's."""
    source: str
    """Where the tokens are from."""
    usage: Usage
    cost_usd: float | None


class MetricsFile(Record):
    """`outputs/metrics.json` of a trial: what the agent did, in skill-creator's terms."""

    tool_calls: Mapping[str, int] | None
    """Calls by the name of the tool."""
    total_tool_calls: int | None
    total_steps: int | None
    """Messages and tool calls of the agent."""
    files_created: tuple[str, ...]
    """Made or changed, and kept in `outputs/`."""
    errors_encountered: int | None
    """Tool calls that failed."""
    output_chars: int
    transcript_chars: int | None


class Expectation(Record):
    """An assertion with a verdict."""

    id: str
    text: str
    assertion: str
    """The same as `text`."""
    passed: bool
    verdict: Literal["PASS", "FAIL"]
    evidence: str
    """What was found and where."""
    confidence: Confidence | None
    grader: Literal["code", "judge", "none"]
    type: str
    weight: float = 1
    required: bool = False


class MetaResult(Record):
    """What is looked at though nobody wrote it down; it counts in no figure."""

    id: str
    text: str
    assertion: str
    """The same as `text`."""
    passed: bool | None
    """Null where there is no verdict."""
    verdict: Verdict
    evidence: str
    confidence: Confidence | None
    grader: Literal["code", "judge", "none"]
    type: str


class UngradedEntry(Record):
    """An assertion without a verdict; it counts neither as passed nor as failed."""

    id: str
    text: str
    verdict: Literal["UNGRADED"]
    reason: str
    """Why there is no verdict, and what to do about it."""
    confidence: Confidence | None
    grader: Literal["code", "judge", "none"]
    type: str
    weight: float = 1
    required: bool = False


class GradingSummary(Record):
    """Counts over the assertions of a trial."""

    passed: int
    failed: int
    total: int
    """Passed and failed; what has no verdict does not count."""
    pass_rate: float | None
    """A fraction of 1; null where nothing has a verdict."""
    ungraded: int
    weighted_score: float | None = None
    """The weight of what holds over the weight of what has a verdict; null where nothing has one."""
    required_failed: tuple[str, ...] = ()
    """Ids of required assertions that do not hold."""


class GradingMetrics(Record):
    """What the agent did. Keys that are absent are unknown."""

    tool_calls: Mapping[str, int] | None = None
    total_tool_calls: int | None = None
    errors_encountered: int | None = None
    total_steps: int | None = None
    output_chars: int | None = None
    transcript_chars: int | None = None


class GradingTiming(Record):
    """Seconds; null is unknown."""

    executor_duration_seconds: float | None
    grader_duration_seconds: float | None
    """All that the verdicts took; null where nobody looked at a clock."""
    total_duration_seconds: float | None


class GradingFile(Record):
    """`grading.json` of a trial: the verdicts, with skill-creator's and skill-builder's keys beside ours."""

    schema_version: Literal[1]
    key: TrialKey
    eval_id: str | int
    config: str
    """The arm."""
    expectations: tuple[Expectation, ...]
    """Assertions with a verdict."""
    ungraded: tuple[UngradedEntry, ...]
    order: tuple[str, ...]
    """Ids of all assertions, in the order of the eval file."""
    meta_results: tuple[MetaResult, ...] = ()
    """Whether the skill stayed out of a task with `skill_should_trigger: false`."""
    summary: GradingSummary
    pass_count: int
    fail_count: int
    pass_rate: float | None
    execution_metrics: GradingMetrics
    timing: GradingTiming
    claims: tuple[Claim, ...]
    eval_feedback: Mapping[str, Json]
    """What the judge says of the assertions themselves."""
    user_notes_summary: Mapping[str, tuple[Json, ...]]
    judge: JudgeFacts | None
    digest: str
    """Of what it was made from; a grading with another digest is made anew."""
    parts: Mapping[str, str] = Field(default_factory=dict)
    """Digests of its parts: `case`, `trial`, `judge`, and each `assertion:ID`."""
