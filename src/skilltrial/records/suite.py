"""The eval file of a skill, whatever its dialect, as one model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, ConfigDict, Field

from skilltrial.records.assertion import AssertionBase
from skilltrial.records.case_file import CaseFile
from skilltrial.records.conversation import Responder, Turn
from skilltrial.records.document_checks import DocumentMatches, ImageMatches, PythonCheck, TableMatches
from skilltrial.records.doubles import Doubles
from skilltrial.records.json_value import Json
from skilltrial.records.record import Record
from skilltrial.records.reference import Reference
from skilltrial.records.repair import Repair


def _as_tuple(value: object) -> object:
    """Authors write lists."""
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value


MustPrecede = Literal["any", "completion_claim", "first_write"]


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
    """True: nothing may match. `not` is another spelling."""
    min_count: int | None = Field(default=None, alias="min", ge=1)
    """At least so many places match. Default: 1, or none where `max` is given."""
    max_count: int | None = Field(default=None, alias="max", ge=0)
    """At most so many places match."""
    arg: str | None = None
    """Name of an argument: the pattern is searched in its text alone. Of tool calls."""
    result_matches: str | None = None
    """Regular expression; only calls that have it in their result count."""
    succeeded: bool | None = None
    """Only calls whose result is no error count; false: only those whose result is one."""
    before: str | None = None
    """Regular expression; only what stands before the first place that has it counts (everything, where none has)."""
    after: str | None = None
    """Regular expression; only what stands after the first place that has it counts (nothing, where none has)."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


class SkillInvoked(AssertionBase):
    """The agent loaded the skill by itself. It has no meaning where no skill was offered (UNGRADED there)."""

    type: Literal["skill_invoked"] = "skill_invoked"


class SkillNotInvoked(AssertionBase):
    """The skill was offered, and the agent neither asked for it nor read it. UNGRADED where no skill was offered."""

    type: Literal["skill_not_invoked"] = "skill_not_invoked"


class FileExists(AssertionBase):
    """A file that the agent made or changed matches the glob `path`."""

    type: Literal["file_exists"] = "file_exists"
    path: str
    any: bool = False
    """True: a file that the task started with counts too, unchanged."""


class FileAbsent(AssertionBase):
    """No file in the agent's folder matches the glob `path` at the end, whoever made it."""

    type: Literal["file_absent"] = "file_absent"
    path: str


class FileMatches(AssertionBase):
    """The text of a made or changed file at the glob `path` holds the regular expression `pattern` (negated: none does)."""

    type: Literal["file_matches"] = "file_matches"
    path: str
    pattern: str
    negate: bool = False
    any: bool = False
    """True: files that the task started with count too, unchanged."""


class AnswerMatches(AssertionBase):
    """The final message holds the regular expression `pattern` (or, negated, does not)."""

    type: Literal["answer_matches"] = "answer_matches"
    pattern: str
    negate: bool = False


class JsonMatches(AssertionBase):
    """A JSON document (the file at `path`, or the final message) fits a JSON Schema, or has a value (not null) at a pointer."""

    type: Literal["json_matches"] = "json_matches"
    path: str | None = None
    any: bool = False
    """True: a file that the task started with counts too, unchanged."""
    schema_: Mapping[str, Json] | None = Field(default=None, alias="schema")
    pointer: str | None = None
    """RFC 6901, like `/total/amount`."""
    jsonpath: str | None = None
    """RFC 9535, like `$.items[*].price`; holds where it finds values (not null), all equal to `equals` where that is given."""
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
    """Seconds for each run of the command."""
    setup_files: tuple[CaseFile, ...] = ()
    """Paths of files that the agent never sees, put into the copy before the command runs, in place of what lies there."""
    env: Mapping[str, str] = Field(default_factory=dict)
    """Variables of the command."""
    matrix: Mapping[str, Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]] = Field(default_factory=dict)
    """Values of further variables: the command runs once for each combination, each in a copy of its own, and all must hold."""


class DiffScope(AssertionBase):
    """The agent changed no more than this."""

    type: Literal["diff_scope"] = "diff_scope"
    max_files_touched: int | None = Field(default=None, ge=0)
    """Files made, changed or deleted; a renamed file is two."""
    max_lines_changed: int | None = Field(default=None, ge=0)
    """Lines added and lines removed, together; a binary file has none."""


class Limit(AssertionBase):
    """The trial took no more than this. What is not known is not within a limit: UNGRADED."""

    type: Literal["limit"] = "limit"
    tokens: int | None = Field(default=None, ge=0)
    """Of all requests, with those read from and written to a cache."""
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Wall clock of the agent."""
    tool_calls: int | None = Field(default=None, ge=0)
    turns: int | None = Field(default=None, ge=0)
    """Requests to the model."""


class Similar(AssertionBase):
    """A text (the file at `path`, or the final message) is much like a golden one."""

    type: Literal["similar"] = "similar"
    golden: str | None = None
    """The golden text itself."""
    golden_file: CaseFile | None = None
    """Path of the file that holds it; the agent never sees it."""
    path: str | None = None
    any: bool = False
    """True: a file that the task started with counts too, unchanged."""
    min_ratio: float = Field(default=0.9, gt=0, le=1)
    """Least share of both texts that has to be common: 1 is equal but for white space."""


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
    | SkillNotInvoked
    | FileExists
    | FileAbsent
    | FileMatches
    | AnswerMatches
    | JsonMatches
    | TableMatches
    | DocumentMatches
    | ImageMatches
    | CommandCheck
    | PythonCheck
    | DiffScope
    | Limit
    | Similar
    | DoubleCalled
    | Foreign,
    Field(discriminator="type"),
]


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
    family: str | None = None
    """Cases that were derived from one another have the same; they are one observation, and no trial depends on it."""
    turns: tuple[Turn, ...] = ()
    """What the user says after the first prompt; none where there is a responder."""
    responder: Responder | None = None
    codebase: Codebase | None = None
    doubles: Doubles | None = None
    assertions: tuple[Assertion, ...] = ()
    reference: Reference | None = None
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
