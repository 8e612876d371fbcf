"""Another tool's workspace, as it was found: nothing recomputed, nothing left out.

Places are paths relative to the root of the workspace, with forward slashes. None is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from skilltrial.records.json_value import Json
from skilltrial.records.repair import Repair

Role = Literal["treatment", "baseline"]

DocumentKind = Literal[
    "benchmark",
    "feedback",
    "history",
    "comparison",
    "analysis",
    "notes",
    "conditions",
    "eval_metadata",
    "trigger_result",
    "loop_result",
    "manifest",
    "suite",
    "report",
    "other",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A criterion with the verdict that the other tool gave it."""

    id: str | None = None
    text: str
    passed: bool | None
    """None where there is no verdict that can be read as yes or no."""
    evidence: str = ""
    confidence: Json = None
    """As written: a number, HIGH, MEDIUM, LOW."""
    grader: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a grading says about itself: as written, right or wrong. `pass_rate` may be a percentage, or not a number."""

    passed: float | None = None
    failed: float | None = None
    total: float | None = None
    pass_rate: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignGrading:
    """One trial's verdicts."""

    place: str
    """The file, and inside a shared file the place in it, like `grading.json#runs[3]`."""
    statements: tuple[Statement, ...] | None
    """None where the file has counts alone, or cannot be read."""
    tally: Tally | None = None
    fault: str = ""
    """Why the file cannot be read, with the line where it stops."""
    claims: tuple[Json, ...] = ()
    eval_feedback: Json = None
    execution_metrics: Json = None
    timing: Json = None
    """As written in the grading; the run's `timing` has the figures."""
    user_notes: tuple[str, ...] = ()
    meta: tuple[Statement, ...] = ()
    """Verdicts that do not count, like whether the skill was loaded."""
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignTiming:
    """What a run took, in our units."""

    place: str
    total_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    duration_s: float | None = None
    """Of the agent alone where the file tells it apart from the grader."""
    grader_s: float | None = None
    cost_usd: float | None = None
    started_at: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignRun:
    """One execution, or the folder of one that left nothing."""

    place: str
    case: str
    """`ForeignCase.key`."""
    arm: str
    """The name as written."""
    run_number: int
    """1-based; as written where it is a number, else by position."""
    grading: ForeignGrading | None = None
    """None where there is none: the run was not graded, or it crashed."""
    timing: ForeignTiming | None = None
    metrics: Json = None
    """`metrics.json`, read where the grading holds no whole copy of it."""
    model: str | None = None
    outputs: str | None = None
    """The folder, or the one file."""
    left: tuple[str, ...] | None = None
    """What lies at the top of that folder, folders with a slash behind the name; None where nobody looked."""
    transcript: str | None = None
    final_message: str | None = None
    written_as: str | None = None
    """The run's own name where that is no plain number, like `run-retry`."""
    copy_of: str | None = None
    """Place of a run of another folder with the same case id, arm, verdicts, evidence and figures: the same run, lying twice."""
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """What a case declared that it would be graded on."""

    id: str | None = None
    text: str
    type: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignCase:
    """One task of an iteration."""

    key: str
    """Unique in the iteration: the folder, or what stands for it."""
    id: str | int | None = None
    name: str | None = None
    prompt: str | None = None
    expected_output: str | None = None
    criteria: tuple[Criterion, ...] | None = None
    """None where nothing declares them; empty where something declares that there are none."""
    place: str
    """Of its folder or entry."""
    metadata: str | None = None
    """Place of the file that has its id, prompt and criteria."""
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignArm:
    """One of the compared set-ups, by its name in the files."""

    name: str
    role: Role | None
    """None: nothing says it, and it is never guessed from the order of names."""
    why: str
    """What the role was told by: a known name, a record of conditions, the person."""
    skill_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that belongs to an iteration or to the whole, as it was read."""

    place: str
    kind: DocumentKind
    value: Json = None
    """Of JSON files; None for texts, which stay where they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A file that could not be read, or was left alone."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignIteration:
    """One round of runs."""

    number: int | None
    """None where the workspace has no rounds."""
    place: str
    cases: tuple[ForeignCase, ...] = ()
    arms: tuple[ForeignArm, ...] = ()
    """Treatments first, then baselines, then those without a role."""
    runs: tuple[ForeignRun, ...] = ()
    documents: tuple[Document, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignWorkspace:
    """Everything that was found below one folder (or in one file)."""

    root: str
    """Absolute path."""
    family: Literal["skill-creator", "skill-builder", "slow-powers", "agentskills", "native", "other"]
    """By content: whose files these are."""
    skill_name: str | None = None
    skill_path: str | None = None
    model: str | None = None
    harness: str | None = None
    iterations: tuple[ForeignIteration, ...] = ()
    documents: tuple[Document, ...] = ()
    """Of the whole: history, feedback, notes."""
    stray: tuple[str, ...] = ()
    """Files and folders that lie where cases, arms or runs do, and are none of them."""
    refused: tuple[Refused, ...] = ()
    repairs: tuple[Repair, ...] = ()
