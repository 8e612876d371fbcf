"""Agent programs: what they get, can do and give back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from skilltrial.records.trial import Discovery, HarnessResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a harness can do and what it can tell."""

    skill_root: str
    """Where it discovers project skills, relative to the trial's folder, like `.claude/skills`."""
    discovery: Discovery = "natural"
    stream_name: str = "stream.jsonl"
    """File name of the raw stream that `run` writes into `TrialRequest.capture`."""
    max_concurrency: int | None = None
    """None: no limit of its own."""
    confines: bool = False
    """Everything that the agent starts runs in `HarnessSettings.confinement` where that is given; without this no sandbox can be
    asked for."""
    paid: bool = True
    """Whether trials may cost money."""
    tells_cost: bool = True
    """Whether results say what a trial cost, at least where the model has a known price."""
    tells_tokens: bool = True
    standing: tuple[str, ...] = ()
    """Folders beside a trial's own that it takes settings and skills from in every arm, like `/etc/codex`."""
    shows_answers: bool = False
    """Whether the transcript of a trial that was stopped shows each answer of the model by then: a text, a thought, a call."""
    tells_denials: bool = False
    """Whether a transcript shows each tool call that the agent program refused."""
    resumes: bool = False
    """Goes on with a session of its own in the same folders: `TrialRequest.resume` is understood, results have a `session`."""
    takes_servers: bool = False
    """Starts the MCP servers of `TrialRequest.servers` for the agent."""
    takes_environment: bool = False
    """The agent's tools see `TrialRequest.env`."""
    takes_path: bool = False
    """The folders of `TrialRequest.path` stand first on the PATH of its tools, also where these are login shells that begin with
    the files of `TrialRequest.home`."""
    finds_siblings: bool = False
    """It offers every skill in `skill_root`, not only `TrialRequest.skill`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessStatus:
    """What `doctor` says of a harness."""

    name: str
    installed: bool
    ready: bool
    """Installed and with a login, key or model, so that a trial can start."""
    version: str | None = None
    detail: str = ""
    """One sentence: what was found (never a secret), or what is missing."""
    todo: str = ""
    """The next step where it is not ready."""
    notices: tuple[str, ...] = ()
    """Sentences that every report on its trials must show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModel:
    """An opened model for the built-in agent."""

    client: Any
    """A `pydantic_ai.models.Model`."""
    name: str
    mode: Literal["tools", "schema", "injected"]
    """How it acts: native tool calls, one JSON action a turn under a schema, or neither."""
    facts: Mapping[str, str]
    """File checksum, engine and version, threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """Whether a model could be opened, found without opening it."""

    ready: bool
    detail: str = ""
    """One sentence: what was found (never a secret), or what is missing."""
    todo: str = ""
    notices: tuple[str, ...] = ()
    """Sentences that every report on its trials must show."""


class Confinement(Protocol):
    """A boundary of the operating system around the programs of trials.

    `wrap` turns a command line into one that runs the same program inside: there `writable` can be written, what the system and
    the program (and those on PATH that it `needs`) consist of can be read, and the rest of the disk is out of reach. It starts
    nothing. `isolation` is the level and what it does not protect, for every record. `depth`: how many processes stand between
    the one that is started and the program, which is the one to be asked to end.
    """

    @property
    def level(self) -> str: ...

    @property
    def isolation(self) -> str: ...

    @property
    def depth(self) -> int: ...

    def wrap(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        writable: Sequence[Path],
        env: Mapping[str, str],
        needs: Sequence[str] = (),
    ) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessSettings:
    """What a harness is made from. `env` is the person's environment; a harness takes from it by name only."""

    model: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str]
    open_model: Callable[[], AbstractAsyncContextManager[ChatModel]] | None = None
    """For harnesses that talk to a model API themselves; opened at the first trial, closed by `aclose`."""
    model_status: Callable[[], ModelStatus] | None = None
    """What `probe` says of that model."""
    recordings: Path | None = None
    """For the replay."""
    confinement: Confinement | None = None
    """What every program of an agent has to run in; only for harnesses that say `confines`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSkill:
    """The skill in the place where the agent discovers it by itself."""

    name: str
    description: str
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServer:
    """An MCP server over standard input and output that the agent is to have."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRequest:
    """One execution. Nothing that the agent can see names the arm, the trial or this program."""

    prompt: str
    work: Path
    """The agent's folder, with the case's files and perhaps the skill."""
    home: Path
    """A fresh, empty home."""
    tmp: Path
    """A fresh, empty folder for temporary files."""
    capture: Path
    """Out of the agent's reach; the raw stream and `stderr.txt` are written here while it runs."""
    skill: PlacedSkill | None
    model: str | None
    timeout_s: float
    seed: int
    mark: str
    """A random text; the harness puts it into the environment of the agent, so that strays can be found."""
    under_trial: str | None = None
    """Name of the skill under trial, also in the arm without it, to look for in the transcript. The agent never gets it."""
    resume: str | None = None
    """The `session` of an earlier result in these folders, to go on with."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables for the agent and its tools, beside those that the harness sets."""
    path: tuple[Path, ...] = ()
    """Folders that stand first on the PATH of the agent's tools."""
    servers: tuple[ToolServer, ...] = ()
    until_loaded: bool = False
    """End the agent, and all that it started, once its stream shows that the skill's text got to it: `HarnessResult.cut`."""


class Harness(Protocol):
    """An agent program.

    `run` executes one request from start to end and returns a record for every end that the agent can come to: also for
    time-outs, refusals and errors of the service. It raises only `NotInstalled`, or what is a defect of ours. When cancelled
    it kills the whole process tree (gentle, then hard, then strays), and lets the cancellation through. It never retries.
    `probe` and `aclose` never raise; `aclose` may be called twice.
    """

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    async def probe(self) -> HarnessStatus: ...

    async def run(self, request: TrialRequest) -> HarnessResult: ...

    async def aclose(self) -> None: ...
