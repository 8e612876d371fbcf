"""What an agent did beside its task, as far as a transcript shows it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skilltrial.records.record import Record

Source = Literal["skill", "evals", "workspace", "program"]
"""What no agent should meet: a skill's own folder, its eval files, the workspace with the other arms, this program."""


class LiveRead(Record):
    """A tool call that named a place of the person's that has to do with the trial."""

    source: Source
    path: str


class Conduct(Record):
    """Of one trial. None where it cannot be told, empty where there was nothing.

    It is read from the arguments of tool calls, so that what a script does inside is not in it.
    """

    n_inspected: int = Field(ge=0)
    """Tool calls that were looked at; with 0 nothing is known of writes and reads."""
    n_denials: int | None = None
    """Tool calls that the agent program refused."""
    outside: tuple[str, ...] | None = None
    """Places outside the trial's folders that were written to."""
    live: tuple[LiveRead, ...] | None = None
    shadows: tuple[str, ...] | None = None
    """Places outside the trial's folders from which the agent got a skill of the name under trial."""
    listed: tuple[str, ...] | None = None
    """The skills in the agent's listing."""
