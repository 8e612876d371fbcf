"""Folders for trials that somebody else runs, and what is known of the agent that they use."""
# ruff: noqa: PLC0415 - a command that only reads files does not load model clients

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial.errors import PlanError, SpecError
from skilltrial.wiring.harnesses import BUILTIN, CLAUDE_CODE, harness_catalogue

if TYPE_CHECKING:
    from skilltrial.adapters.workspace.handover import HandoverFolder
    from skilltrial.records.handover import HandoverAgent
    from skilltrial.records.trial import HarnessResult

_OURS = {BUILTIN, "command", "recorded"}
_UNKNOWN = "none"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


def make_handover_root(wanted: Path | None, *, name: str) -> Path:
    """A new folder for trials; see `adapters.workspace.handover`."""
    from skilltrial.adapters.workspace import handover

    return handover.make_root(wanted, name=name)


def open_handover(root: Path, env: Mapping[str, str]) -> HandoverFolder:
    """The folder of a handover; keys of the person's are masked in what is read from it."""
    from skilltrial.adapters.workspace.handover import HandoverFolder
    from skilltrial.transcript.redaction import redactor, secrets_of

    described = [entry.descriptor for entry in harness_catalogue(env).entries if entry.descriptor]
    keys = {name for descriptor in described for name in descriptor.environment.keys}
    return HandoverFolder(root, redact=redactor([*secrets_of(env), *(env[name] for name in keys if name in env)]))


def handover_agent(name: str | None, env: Mapping[str, str], *, skill_root: str | None) -> HandoverAgent:
    """What is known of an agent program by its name; of one that no harness describes, nothing but the name.

    Raises `SpecError` for names that cannot be used, `PlanError` for agents that only `run` can start, or that discover no skills.
    """
    from skilltrial.records.handover import HandoverAgent

    if name is None or name == _UNKNOWN:
        return HandoverAgent(name="unknown", discovery="unknown", skill_root=_root(skill_root or ".claude/skills"))
    if not _NAME.fullmatch(name):
        raise SpecError(f"--harness is {name!r}.", hint="Write letters, digits, '.', '_' and '-', 40 at the most.")
    if name in _OURS:
        raise PlanError(
            f"the harness {name!r} has no agent that somebody else could dispatch.", hint="Use `skilltrial run`."
        )
    if name == CLAUDE_CODE:
        root, form, tool = ".claude/skills", CLAUDE_CODE, "Skill"
    else:
        entry = harness_catalogue(env).find(name)
        if entry is None or entry.descriptor is None:
            return HandoverAgent(name=name, discovery="unknown", skill_root=_root(skill_root or ".claude/skills"))
        skills = entry.descriptor.skills
        if skills.listing == "prompt":
            raise PlanError(
                f"{name} discovers no skills by itself.", hint="Use `skilltrial run`, which lists them for it."
            )
        root, form, tool = skills.root, entry.descriptor.stream.format, skills.tool
    return HandoverAgent(
        name=name,
        discovery="natural",
        skill_root=_root(skill_root or root),
        stream_format=None if form == "text" else form,
        skill_tool=tool,
    )


def read_handed_back(
    text: str, agent: HandoverAgent, *, prompt: str, skill: str, folder: str | None, stopped: bool
) -> HarnessResult:
    """The result that a stream tells; see `adapters.harness.handover`."""
    from skilltrial.adapters.harness import handover

    return handover.read_stream(text, agent, prompt=prompt, skill=skill, folder=folder, stopped=stopped)


def _root(text: str) -> str:
    if text.startswith(("/", "~")) or not text.strip("./") or {"..", ".git"} & set(text.split("/")):
        raise SpecError(f"--skill-root is {text!r}.", hint="Give a path in the work folder, like .agents/skills.")
    return text.strip("/")
