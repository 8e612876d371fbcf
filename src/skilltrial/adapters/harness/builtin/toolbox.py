"""What the agent can do: names, schemas, and the doing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from skilltrial.adapters.harness.builtin.offered_skill import SKILL_FILE, OfferedSkill
from skilltrial.adapters.harness.builtin.shell import Cell, run_command
from skilltrial.adapters.harness.builtin.work_folder import Refused, WorkFolder

LOAD_SKILL = "load_skill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One action, as the model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]]
    """JSON Schema of each parameter; all are required."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What an action gave."""

    text: str
    is_error: bool


_PATH = {"type": "string", "description": "Relative to the working folder."}

READ = Tool(name="read_file", description="Read a text file.", parameters={"path": _PATH})
WRITE = Tool(
    name="write_file",
    description="Write a text file; an existing one is replaced.",
    parameters={"path": _PATH, "content": {"type": "string"}},
)
EDIT = Tool(
    name="edit_file",
    description="Replace a text that stands exactly once in a file.",
    parameters={"path": _PATH, "old": {"type": "string"}, "new": {"type": "string"}},
)
LIST = Tool(name="list_files", description="List the files below a folder.", parameters={"path": _PATH})
SHELL = Tool(
    name="shell",
    description="Run a command with sh in the working folder; gives its output.",
    parameters={"command": {"type": "string"}},
)


def load_skill_tool(skill: OfferedSkill) -> Tool:
    """The action that loads the skill; there is none without a skill."""
    return Tool(
        name=LOAD_SKILL,
        description="Load a skill: gives its instructions.",
        parameters={"name": {"type": "string", "enum": [skill.name]}},
    )


class Toolbox:
    """The actions of one trial. Remembers whether the skill was asked for, given, or read as a file."""

    def __init__(
        self,
        folder: WorkFolder,
        skill: OfferedSkill | None,
        *,
        root: Path,
        env: Mapping[str, str],
        cell: Cell | None = None,
    ) -> None:
        self._folder = folder
        self._skill = skill
        self._root = root
        self._env = env
        self._cell = cell
        self._actions: dict[str, Callable[..., Awaitable[ToolOutcome]]] = {
            READ.name: self._read,
            WRITE.name: self._write,
            EDIT.name: self._edit,
            LIST.name: self._list,
            SHELL.name: self._shell,
        }
        if skill is not None:
            self._actions[LOAD_SKILL] = self._load_skill
        self.attempted = False
        self.loaded = False
        self.read_as_file = False

    async def call(self, name: str, arguments: Mapping[str, Any], *, allowed: Mapping[str, Tool]) -> ToolOutcome:
        """Does an action among those allowed; what cannot be done is an answer, not an exception."""
        tool = allowed.get(name)
        if tool is None or name not in self._actions:
            return ToolOutcome(text=f"There is no tool {name!r}.", is_error=True)
        values: dict[str, str] = {}
        for parameter in tool.parameters:
            value = arguments.get(parameter)
            if not isinstance(value, str):
                return ToolOutcome(text=f"{name} needs {parameter!r} as a text.", is_error=True)
            values[parameter] = value
        try:
            return await self._actions[name](**values)
        except Refused as refusal:
            return ToolOutcome(text=str(refusal), is_error=True)

    async def _load_skill(self, name: str) -> ToolOutcome:
        self.attempted = True
        if self._skill is None or name != self._skill.name:
            return ToolOutcome(text=f"There is no skill {name!r}.", is_error=True)
        self.loaded = True
        return ToolOutcome(text=self._skill.text, is_error=False)

    async def _read(self, path: str) -> ToolOutcome:
        text = await anyio.to_thread.run_sync(self._folder.read, path)
        if self._skill is not None:
            own = self._folder.place(f"{self._skill.folder}/{SKILL_FILE}")
            self.read_as_file = self.read_as_file or self._folder.place(path) == own
        return ToolOutcome(text=text, is_error=False)

    async def _write(self, path: str, content: str) -> ToolOutcome:
        return ToolOutcome(text=await anyio.to_thread.run_sync(self._folder.write, path, content), is_error=False)

    async def _edit(self, path: str, old: str, new: str) -> ToolOutcome:
        return ToolOutcome(text=await anyio.to_thread.run_sync(self._folder.edit, path, old, new), is_error=False)

    async def _list(self, path: str) -> ToolOutcome:
        return ToolOutcome(text=await anyio.to_thread.run_sync(self._folder.list, path), is_error=False)

    async def _shell(self, command: str) -> ToolOutcome:
        text, failed = await run_command(command, self._root, env=self._env, cell=self._cell)
        if self._skill is not None and not failed and f"{self._skill.folder}/{SKILL_FILE}" in command:
            self.read_as_file = True
        return ToolOutcome(text=text, is_error=failed)
