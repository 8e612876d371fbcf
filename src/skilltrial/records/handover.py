"""Trials that somebody else runs: what is handed to them, and the key to it, which stays in the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from skilltrial.records.record import Record
from skilltrial.records.trial import Discovery, TrialKey

MANIFEST = "manifest.json"
INSTRUCTIONS = "INSTRUCTIONS.md"
WORK = "work"
PROMPT = "prompt.md"
FINAL = "final.md"
STREAM = "stream.jsonl"
TIMING = "timing.json"
TAKEN = "handover.json"
NOT_ISOLATED = (
    "These trials were run by somebody else's hand (prepare, collect). skilltrial did not isolate them: what the agent saw beside "
    "its folder, and that it was told nothing else, nobody can tell."
)
"""The notice of every plan that was prepared; reports tell by it that no command of ours runs its trials."""

Token = Annotated[str, Field(pattern=r"^[0-9a-f]{8,32}$")]
"""Random, so that it says nothing."""


class Task(Record):
    """A line of the manifest: one trial, in the order in which they are to be run. All paths are relative to the folder."""

    id: Token
    work: str
    prompt: str
    final_message: str
    stream: str | None
    timing: str


class Manifest(Record):
    """`manifest.json` of a folder that was prepared. Nothing in it tells skill, arms or what is expected."""

    schema_version: Literal[1] = 1
    id: Token
    time_limit_s: float
    stream_format: str | None
    """In which `stream` is written; None: no stream can be read."""
    tasks: tuple[Task, ...]


class HandoverAgent(Record):
    """What is known of the agent that somebody else dispatches."""

    name: str
    """As the person says."""
    discovery: Discovery
    skill_root: str
    stream_format: str | None = None
    skill_tool: str | None = None
    """The tool that loads a skill; None where its file is read instead, or nobody knows."""


class StartFile(Record):
    """A file of a work folder as it was handed out."""

    size: int
    sha256: str


class Ticket(Record):
    """Which trial an id stands for, and what its folder held."""

    id: Token
    key: TrialKey
    skill: str | None
    """Name of the folder that the skill was placed in; None in an arm without."""
    start: Mapping[str, StartFile]
    skip: tuple[str, ...]
    """Paths that are nobody's output."""


class Handover(Record):
    """`handovers/<id>.json` of an iteration."""

    schema_version: Literal[1] = 1
    id: Token
    folder: str
    """Where it was prepared; it may have been moved since."""
    created_at: str
    plan_digest: str
    agent: HandoverAgent
    tickets: tuple[Ticket, ...]


class Taken(Record):
    """`handover.json` in a trial's folder: by what it is known again."""

    task: Token
    fingerprint: str
    """Of all that came back."""
