"""The seams to the outside world.

Adapters satisfy these protocols without importing the stages; stages use them without importing adapters. What differs
between adapters is declared in `Capabilities`, never found out by `isinstance`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.doubles import DoubleCall, Doubles
from skilltrial.records.grading import Grading
from skilltrial.records.handover import Ticket
from skilltrial.records.plan import Plan
from skilltrial.records.record import Json
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import Discovery, HarnessResult, OutputFile, Trial, TrialKey


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFolders:
    """Fresh folders of one trial, outside any project and home."""

    root: Path
    work: Path
    home: Path
    tmp: Path
    skill: PlacedSkill | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSource:
    """The skill to place, and where the agent looks for skills."""

    name: str
    description: str
    folder: Path
    root: str
    files: tuple[str, ...]
    """Relative paths of the files to copy; nothing else is."""


class Workspace(Protocol):
    """Makes the folders of trials and reads what the agent left in them.

    `open` yields folders that hold the files of a codebase (`code`), the case's files and, where given, the skill and those
    `beside` it; on leaving they are removed. `announce` hears of their root before anything is made, in another thread.
    `collect` copies what the agent made or changed into `outputs/` and writes `diff.patch`, both below `into`. The agent's files are hostile:
    links are not followed, devices are not opened, sizes are capped, and the agent's git configuration is not used.
    `discard` removes the folders of an `open` that never came to its end (the program was killed); it takes the `root` of
    that time, and does nothing where that is gone or no folder of its own making.
    """

    @property
    def isolation(self) -> str: ...

    def open(
        self,
        files: Sequence[CaseFile],
        skill: SkillSource | None,
        *,
        skill_root: str,
        beside: Sequence[SkillSource] = (),
        code: Sequence[CaseFile] = (),
        announce: Callable[[Path], None] = ...,
    ) -> AbstractAsyncContextManager[TrialFolders]: ...

    async def collect(self, folders: TrialFolders, into: Path) -> tuple[OutputFile, ...]: ...

    async def discard(self, root: Path) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIns:
    """Doubles that are up: how the agent reaches them (as in `TrialRequest`), and what they were asked so far."""

    env: Mapping[str, str]
    path: tuple[Path, ...]
    servers: tuple[ToolServer, ...]
    calls: Callable[[], tuple[DoubleCall, ...]]


class Boundary(Protocol):
    """Puts doubles in the place of programs, services and servers around a trial.

    `open` yields them ready to be called from inside the trial's folders, whatever sandbox is around these; on leaving they are
    gone. Replies and states stay out of the agent's reach; a call is recorded by the double, not by the agent. What is written
    for a call is written inside the trial's folders, links followed nowhere. Raises `OSError` where they cannot be made.
    """

    def open(self, doubles: Doubles, folders: TrialFolders) -> AbstractAsyncContextManager[StandIns]: ...


class HandoverFolder(Protocol):
    """A folder with one below it for each trial that somebody else runs, at whatever time.

    `place` makes a work folder as `Workspace.open` does, and it stays; `write` adds a file of ours. What comes back is hostile
    as there: `read` gives the text of one file without secrets, None where there is none, and raises `SpecError` for what is no
    regular file or too large; `collect` is that of `Workspace`, against what `place` made. `fingerprint` tells whether anything
    of a trial has changed. `OSError` where a work folder is gone.
    """

    @property
    def root(self) -> Path: ...

    async def place(
        self,
        token: str,
        key: TrialKey,
        *,
        files: Sequence[CaseFile],
        skill: SkillSource | None,
        skill_root: str,
        code: Sequence[CaseFile] = (),
    ) -> Ticket: ...

    def write(self, name: str, text: str) -> None: ...

    def read(self, name: str) -> str | None: ...

    def fingerprint(self, token: str) -> str: ...

    def collect(self, ticket: Ticket, files: Sequence[CaseFile], into: Path) -> tuple[OutputFile, ...]: ...


AnswerT = TypeVar("AnswerT", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[AnswerT]):
    """A structured answer of a model, with what it took."""

    value: AnswerT
    model: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    duration_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture to be looked at."""

    name: str
    """What the prompt calls it."""
    media_type: str
    data: bytes = field(repr=False)


class LanguageModel(Protocol):
    """A model behind an API or in an agent program, for judging.

    `ask` returns one value of the pydantic type `output`; `images` are only for models that say `sees_images`. It retries what
    may pass (rate limits, 5xx) a few times by itself and raises `AuthFailed`, `RateLimited`, `TimedOut`, `Unparsable` or
    `HarnessError` for the rest.
    """

    @property
    def name(self) -> str: ...

    @property
    def sees_images(self) -> bool: ...

    async def ask(
        self, *, system: str, prompt: str, output: type[AnswerT], images: Sequence[Image] = ()
    ) -> Answer[AnswerT]: ...


class Executor(Protocol):
    """Runs `work` for every key, at most `limit` at a time, starting them in the given order.

    An exception of `work` stops the rest and is raised; on cancellation everything running is cancelled. Each key is handed
    to `work` at least once; `work` is idempotent (it looks the key up first).
    """

    async def run(
        self, keys: Sequence[TrialKey], work: Callable[[TrialKey], Awaitable[None]], *, limit: int
    ) -> None: ...


class Store(Protocol):
    """The files of a workspace, by relative path with forward slashes.

    A file appears whole or not at all. One writer per workspace: making a writing store takes a lock that a crash releases;
    a second writer gets `StoreError`. `stage` gives an empty folder on the same file system; `publish` moves it to its place in one
    step, replacing nothing (StoreError where the place is taken).
    """

    def path(self, relative: str) -> Path: ...

    def read(self, path: str) -> bytes | None: ...

    def write(self, path: str, data: bytes) -> None: ...

    def stage(self) -> Path: ...

    def publish(self, staged: Path, path: str) -> Path: ...

    def find(self, pattern: str) -> list[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Trialled:
    """One iteration of a workspace with everything in it, ready to be written in another tool's form."""

    plan: Plan
    iteration: int
    trials: tuple[Trial, ...]
    gradings: tuple[Grading, ...]
    benchmark: Benchmark
    folder: Callable[[str], Path]
    """A path of the workspace's layout -> the place on disk, for outputs and transcripts. May not exist."""
    documents: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Other JSON files of the workspace by path: feedback.json, history.json, comparisons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFile:
    """One file of an export, not written yet."""

    path: str
    """Relative to the target, with forward slashes."""
    content: Json | str | Path
    """A JSON value, a text, or a file to copy (a `Path`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something that the target cannot hold and that cannot be worked out again from what it does hold."""

    place: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What would be written, and what would be lost."""

    files: tuple[ExportFile, ...]
    losses: tuple[Loss, ...]


class Exporter(Protocol):
    """Writes iterations of a workspace in the form of another tool. Touches no file itself."""

    @property
    def name(self) -> str: ...

    def export(self, iterations: Sequence[Trialled]) -> Export: ...
