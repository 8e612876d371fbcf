"""Trials with the files that a test wants, in the smallest workspace that can be asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browsing import subject_of

from skilltrial.records import layout
from skilltrial.records.trial import TrialKey
from skilltrial.review.subject import Query, Subject

CASE = "eval-1"


def trial_with(workspace: Path, files: dict[str, bytes], *, arm: str = "with_skill") -> Path:
    """Makes such a trial of iteration 1; returns its folder with outputs."""
    plan = workspace / layout.iteration_dir(1) / layout.PLAN
    plan.parent.mkdir(parents=True, exist_ok=True)
    if not plan.exists():
        plan.touch()
    folder = workspace / layout.trial_dir(1, TrialKey(case_id=CASE, arm=arm, repeat=1))
    outputs = folder / layout.OUTPUTS
    outputs.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (outputs / name).parent.mkdir(parents=True, exist_ok=True)
        (outputs / name).write_bytes(data)
    return outputs


def asked(**values: Any) -> Query:
    """A question about a trial made by `trial_with`."""
    return Query({name: str(value) for name, value in {"case": CASE, "arm": "with_skill", **values}.items()})


def subject_at(workspace: Path) -> Subject:
    """What the command line makes of it."""
    return subject_of(workspace)
