"""Doubles at the boundary of a case: what the agent reaches instead of the real programs, services and servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from skilltrial.records.json_value import Json
from skilltrial.records.record import Record


class CommandReply(Record):
    """What a fake command does on a call. The first reply whose conditions hold is given."""

    args_match: str | None = None
    """Regular expression, searched in the arguments joined by one space each; None fits every call."""
    when_state: str | None = None
    """Only while the double is in this state; it begins in `start`."""
    stdout: str = ""
    stderr: str = ""
    exit_code: Annotated[int, Field(ge=0, le=255)] = 0
    writes: Mapping[str, str] = Field(default_factory=dict)
    """Files that the command writes, by path relative to the folder it is called in."""
    next_state: str | None = None
    """The state after this reply; None leaves it."""


class CommandDouble(Record):
    """A fake program, first on the agent's PATH."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
    reads_stdin: bool = False
    """It waits for the end of its standard input, which then stands below the arguments in the record."""
    replies: tuple[CommandReply, ...] = ()
    """A call that none of them fits ends with code 1 and says so on standard error; it is recorded as unexpected."""


class HttpReply(Record):
    """What the HTTP stub answers. The first whose conditions hold is given."""

    method: str | None = None
    path_matches: str | None = None
    """Regular expression, searched in path and query."""
    body_matches: str | None = None
    when_state: str | None = None
    status: Annotated[int, Field(ge=200, le=599)] = 200
    headers: Mapping[str, str] = Field(default_factory=dict)
    body: str = ""
    json_: Json = Field(default=None, alias="json")
    """Sent as JSON where it is given; instead of `body`."""
    next_state: str | None = None


class HttpDouble(Record):
    """A service on this machine's loopback; its address is in an environment variable of the agent's."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
    env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    """Name of the variable that gets its address, like `API_URL`."""
    replies: tuple[HttpReply, ...] = ()
    """A request that none of them fits gets 404 and is recorded as unexpected."""


class McpTool(Record):
    """A tool of an MCP stub."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
    description: str = ""
    input_schema: Mapping[str, Json] = Field(default_factory=dict)
    replies: tuple[CommandReply, ...] = ()
    """As of a command: `args_match` searches the arguments as compact JSON, `stdout` is the text, a code other than 0 an error
    (with `stderr` behind the text)."""


class McpDouble(Record):
    """An MCP server over standard input and output."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
    tools: tuple[McpTool, ...] = ()


class Doubles(Record):
    """Of a case; the same in every arm. Each is in the state `start` at the beginning of a trial."""

    commands: tuple[CommandDouble, ...] = ()
    http: tuple[HttpDouble, ...] = ()
    mcp: tuple[McpDouble, ...] = ()
    written: Json = None
    """As the author wrote them."""


class DoubleCall(Record):
    """One use of a double by the agent, in the order of their ends; lines of `doubles.jsonl` in the trial's folder."""

    kind: Literal["command", "http", "mcp"]
    name: str
    """Of the double; of an MCP stub `<server>/<tool>`."""
    input: str
    """Arguments joined by one space each, on a new line standard input where it is read; `<METHOD> <path>` and on a new line the
    body; compact JSON."""
    output: str = ""
    """The beginning of what it was answered: standard output and error, body, text."""
    exit_code: int | None = None
    status: int | None = None
    expected: bool = True
    """False where no reply fitted."""
    state: str = "start"
    """In which the double was."""
