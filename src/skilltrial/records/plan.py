"""`plan.json`: what will be done, frozen before anything is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from pydantic import Field

from skilltrial.records.record import Record
from skilltrial.records.repair import Repair
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Case, Suite
from skilltrial.records.trial import Discovery, TrialKey, TrialOrigin

UNKNOWN_JUDGE = "unknown (the grader of the imported workspace)"


class HarnessChoice(Record):
    """Which agent program, how, and why this one."""

    name: str
    version: str | None = None
    model: str | None = None
    base_url: str | None = None
    args: tuple[str, ...] = ()
    discovery: Discovery = "natural"
    sandbox: str | None = None
    """Level of the sandbox around the agent; None without."""
    described: str | None = None
    """Digest of the person's or the project's file that describes the agent program; None of one that is ours."""
    why: str = ""
    """In the words of the person's request, or of the automatic choice."""


class Arm(Record):
    """One of the compared set-ups. `skill` is None for the arm without any.

    What an arm says beside its skill differs from the other arms because somebody asked for that; all else is the same in all.
    """

    name: str
    role: Literal["treatment", "baseline"]
    skill: SkillRef | None = None
    harness: HarnessChoice | None = None
    """The arm's own agent program, model or arguments; None: the plan's."""
    beside: tuple[SkillRef, ...] = ()
    """Other skills that the agent may find beside the one under trial."""
    prompt_prefix: str = ""
    """Stands before the prompt of every case, on lines of its own."""
    env: Mapping[str, str] = Field(default_factory=dict)
    """Variables for the agent. `$NAME` alone stands for the person's own variable, whose value is in no record."""
    env_digests: Mapping[str, str] = Field(default_factory=dict)
    """Of those that stand for the person's: another one where the value is another, and too short to tell it."""


class PlannedCodebase(Record):
    """What some cases work in, as it was found when the plan was made."""

    case_ids: tuple[str, ...]
    source: str
    """An absolute path, or the address and the ref, without a password."""
    commit: str | None = None
    """Whose files these are; None of a folder that is no repository, or is not as it was at any commit."""
    digest: str
    """`sha256:` over the paths, contents and executable bits of the files."""
    n_files: int
    n_bytes: int


class CodeFile(NamedTuple):
    """A file of a codebase."""

    path: str
    sha256: str
    executable: bool


def codebase_digest(files: Iterable[CodeFile]) -> str:
    """`sha256:` over paths, contents and executable bits, in whatever order they come."""
    lines = sorted(f"{path}\0{sha256}\0{'x' if executable else '-'}\n" for path, sha256, executable in files)
    return f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"


class PlannedTrial(Record):
    """A trial in the order in which it will be started."""

    key: TrialKey
    seed: int
    """The same in both arms of a (case, repeat)."""
    reused_from: TrialOrigin | None = None
    """Not run: taken over from an earlier iteration in which everything that it depends on was the same."""


class Plan(Record):
    """Suite × arms × repeats, in interleaved order.

    `digest` covers what the trials depend on: cases, skills, harness, model, repeats, seed, timeout. It does not cover
    paths, times, or how the results are graded, so that a moved folder or another judge does not run agents again.
    """

    schema_version: Literal[1] = 1
    skilltrial_version: str
    created_at: str
    skill: SkillRef
    suite: Suite
    arms: tuple[Arm, ...]
    trials: tuple[PlannedTrial, ...]
    harness: HarnessChoice
    judge: str | None = None
    """Who judges prose; several names have commas between them."""
    judge_samples: int = 1
    """How often each judge is asked the same."""
    judge_prompt: str | None = None
    """Digest of the person's own prompt for the judge."""
    responder: str | None = None
    """The model that plays the user of cases with a responder; None where there are none."""
    seed: int
    runs: int
    timeout_s: float
    """0 of an import, which says nothing about it; no trial of ours has such a limit."""
    digest: str
    codebases: tuple[PlannedCodebase, ...] = ()
    until_loaded: bool = False
    """Each trial ends once the skill's text got to the agent: only whether it does is asked."""
    repairs: tuple[Repair, ...] = ()
    notices: tuple[str, ...] = ()
    """Sentences that every report of this plan must show."""

    def case(self, case_id: str) -> Case:
        """The case of this id; KeyError where there is none."""
        for case in self.suite.cases:
            if case.id == case_id:
                return case
        raise KeyError(case_id)

    def codebase(self, case_id: str) -> PlannedCodebase | None:
        """What the case of this id works in; None where it has nothing but its files."""
        return next((found for found in self.codebases if case_id in found.case_ids), None)

    def harness_of(self, arm: str) -> HarnessChoice:
        """What executes the trials of an arm."""
        return self.arm(arm).harness or self.harness

    def arm(self, name: str) -> Arm:
        """The arm of this name; KeyError where there is none."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        raise KeyError(name)
