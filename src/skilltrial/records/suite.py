"""The eval file of a skill, whatever its dialect, as one model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from skilltrial.records.conversation import Responder, Turn
from skilltrial.records.doubles import Doubles
from skilltrial.records.record import Json, Record, Repair

MustPrecede = Literal["any", "completion_claim", "first_write"]


class AssertionBase(Record):
    """What every assertion has.

    `id` is unique within its case. `text` is what a person reads: the statement itself where it was written as text, else
    a sentence made from the fields. `written` keeps the author's own value, so that a file can be written back.
    """

    id: str
    text: str
    written: Json = None


class LlmJudge(AssertionBase):
    """A statement in prose that a judge model (or a person) answers."""

    type: Literal["llm_judge"] = "llm_judge"
    rubric: str
    model: str | None = None


class TranscriptCheck(AssertionBase):
    """A regular expression searched in the transcript.

    `tool_invocation_matches` searches `<tool name> <arguments as compact JSON>` of each tool call,
    `assistant_message_matches` each message of the agent. `must_precede` says where the match has to stand: before the
    final message (`completion_claim`), before the first call that writes a file (`first_write`; no constraint where
    nothing is written), or anywhere.
    """

    type: Literal["transcript_check"] = "transcript_check"
    check: str
    pattern: str | None = None
    must_precede: MustPrecede = "any"
    negate: bool = False


class SkillInvoked(AssertionBase):
    """The agent loaded the skill by itself. It has no meaning where no skill was offered (UNGRADED there)."""

    type: Literal["skill_invoked"] = "skill_invoked"


class FileExists(AssertionBase):
    """A file that the trial left (made, changed or kept) matches the glob `path`."""

    type: Literal["file_exists"] = "file_exists"
    path: str


class FileMatches(AssertionBase):
    """The text of a file that matches the glob `path` holds the regular expression `pattern` (negated: does not)."""

    type: Literal["file_matches"] = "file_matches"
    path: str
    pattern: str
    negate: bool = False


class AnswerMatches(AssertionBase):
    """The final message holds the regular expression `pattern` (or, negated, does not)."""

    type: Literal["answer_matches"] = "answer_matches"
    pattern: str
    negate: bool = False


class JsonMatches(AssertionBase):
    """A JSON document (the file at `path`, or the final message) fits a JSON Schema, or has a value (not null) at a pointer."""

    type: Literal["json_matches"] = "json_matches"
    path: str | None = None
    schema_: Mapping[str, Json] | None = Field(default=None, alias="schema")
    pointer: str | None = None
    """RFC 6901, like `/total/amount`."""
    equals: Json = None

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


class CommandCheck(AssertionBase):
    """A command of the author's, run after the trial in a copy of its folder, by `sh -c`."""

    type: Literal["command_check"] = "command_check"
    command: str
    expect_exit_code: int = 0
    expect_stdout: str | None = None
    """Regular expression."""
    timeout_s: float = 60.0


class DoubleCalled(AssertionBase):
    """A double of the case was called as often as it should have been."""

    type: Literal["double_called"] = "double_called"
    double: str
    """Its name, or `kind:name` (`command`, `http`, `mcp`); a tool of an MCP server is `server/tool`."""
    matches: str | None = None
    """Regular expression; only calls that have it in their input count."""
    min_count: int = Field(default=1, ge=0)
    max_count: int | None = Field(default=None, ge=0)
    """0: it must not be called."""


class Foreign(AssertionBase):
    """An assertion of another tool that has no meaning here yet: carried, UNGRADED, with the reason."""

    type: Literal["foreign"] = "foreign"
    reason: str


Assertion = Annotated[
    LlmJudge
    | TranscriptCheck
    | SkillInvoked
    | FileExists
    | FileMatches
    | AnswerMatches
    | JsonMatches
    | CommandCheck
    | DoubleCalled
    | Foreign,
    Field(discriminator="type"),
]


class CaseFile(Record):
    """A file that the task starts with."""

    path: str
    """Where the agent finds it, relative to its folder, with forward slashes."""
    source: str | None = None
    """Absolute path that it is copied from; None where `content` has it."""
    content: str | None = None
    sha256: str


class Codebase(Record):
    """A repository or folder that the agent works in; every trial gets its own copy."""

    path: str | None = None
    """Absolute path of a folder."""
    url: str | None = None
    """Of a git repository; `ref` is a branch, tag or commit of it."""
    ref: str | None = None
    written: Json = None
    """As the author wrote it."""


class Case(Record):
    """One task of a suite."""

    id: str
    written_id: str | int | None = None
    """As in the file; None where the reader had to make one."""
    name: str | None = None
    prompt: str
    expected_output: str | None = None
    """For people and the judge; never shown to the agent."""
    files: tuple[CaseFile, ...] = ()
    written_files: Json = None
    """The author's own value, from which `files` were read."""
    runs: int | None = Field(default=None, ge=1)
    """Repeats in each arm; wins over the command line."""
    skill_should_trigger: bool = True
    turns: tuple[Turn, ...] = ()
    """What the user says after the first prompt; none where there is a responder."""
    responder: Responder | None = None
    codebase: Codebase | None = None
    doubles: Doubles | None = None
    assertions: tuple[Assertion, ...] = ()
    extra: Mapping[str, Json] = Field(default_factory=dict)
    """Keys of the author's that mean nothing here."""


class Suite(Record):
    """All tasks of one eval file."""

    schema_version: Literal[1] = 1
    skill_name: str | None = None
    dialect: str
    """The form of the file: `skill-creator`, `skill-builder`, `slow-powers`, `agentskills`, `mixed` (of these), or another
    of `docs/dialects.md`."""
    path: str
    """Absolute path of the eval file."""
    digest: str
    """`sha256:` over what the trials and gradings depend on: cases, file contents, assertions."""
    cases: tuple[Case, ...]
    extra: Mapping[str, Json] = Field(default_factory=dict)
    repairs: tuple[Repair, ...] = ()
