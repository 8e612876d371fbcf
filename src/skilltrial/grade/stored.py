"""Gradings that lie in a workspace."""

from __future__ import annotations

import json

from skilltrial.errors import StoreError
from skilltrial.grade.native import from_native
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Plan


def read_grading(store: Store, path: str) -> Grading | None:
    """The grading in a file; None where there is none that can be read (it is made again)."""
    try:
        data = store.read(path)
        return None if data is None else from_native(json.loads(data), where=path)
    except (StoreError, ValueError):
        return None


def read_gradings(store: Store, plan: Plan, iteration: int) -> list[Grading]:
    """All gradings of a plan's trials, in its order."""
    folders = [(planned.key, layout.trial_dir(iteration, planned.key)) for planned in plan.trials]
    found = [(key, read_grading(store, f"{folder}/{layout.GRADING}")) for key, folder in folders]
    return [grading for key, grading in found if grading is not None and grading.key == key]
