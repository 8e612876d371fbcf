"""Another tool's form of what was tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.grading import Grading
from skilltrial.records.json_value import Json
from skilltrial.records.plan import Plan
from skilltrial.records.trial import Trial


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
