"""The folders of trials, and what stands around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from skilltrial.ports.harness import PlacedSkill, ToolServer
from skilltrial.records.doubles import DoubleCall, Doubles
from skilltrial.records.handover import Ticket
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import OutputFile, TrialKey


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
    `collect` copies what the agent made or changed into `outputs/` and writes `diff.patch`, both below `into`. The agent's
    files are hostile: links are not followed, devices are not opened, sizes are capped, and the agent's git configuration is
    not used.
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
