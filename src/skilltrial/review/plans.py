"""The plan of an iteration, read once for as long as its file stays as it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skilltrial.errors import SpecError
from skilltrial.plan.iteration import read_plan
from skilltrial.records import layout
from skilltrial.records.plan import Plan
from skilltrial.records.suite import Case
from skilltrial.records.trial import TrialKey
from skilltrial.review.subject import Subject


class FileState(NamedTuple):
    """What a file is told by without being read; both 0 where there is none."""

    changed_ns: int
    size: int


def file_state(path: Path | str) -> FileState:
    """Of this file, as it is now."""
    try:
        found = os.stat(path)  # noqa: PTH116 - tens of thousands: objects for paths take several times as long
    except (OSError, ValueError):
        return FileState(0, 0)
    return FileState(found.st_mtime_ns, found.st_size)


def plan_of(subject: Subject, iteration: int) -> Plan:
    """The plan. Raises `StoreError` where it cannot be read."""
    state = file_state(subject.store.path(f"{layout.iteration_dir(iteration)}/{layout.PLAN}"))
    return subject.kept.get(("plan", iteration), state, lambda: read_plan(subject.store, iteration))


def case_of(subject: Subject, iteration: int, case_id: str) -> Case:
    """A case of the plan. Raises `SpecError` where it has none of this id."""
    try:
        return plan_of(subject, iteration).case(case_id)
    except KeyError:
        raise SpecError(f"iteration {iteration} has no case {case_id[:80]!r}.") from None


def trial_folders(plan: Plan, iteration: int) -> Iterator[tuple[TrialKey, str]]:
    """Every planned trial with its folder in the workspace."""
    above: dict[tuple[str, str], str] = {}
    for planned in plan.trials:
        key = planned.key
        if (key.case_id, key.arm) not in above:
            above[key.case_id, key.arm] = layout.trial_dir(iteration, key).rpartition("/")[0]
        yield key, f"{above[key.case_id, key.arm]}/run-{key.repeat}"
