"""Whose files these are, by what is in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from skilltrial.adapters.interchange.json_files import ForeignFiles
from skilltrial.adapters.interchange.values import child
from skilltrial.records.foreign import Document
from skilltrial.records.json_value import Json, is_object

Family = Literal["skill-creator", "skill-builder", "slow-powers", "agentskills", "native", "other"]


def family_of(documents: Iterable[Document], files: ForeignFiles) -> Family:
    """By our own plan, a record of conditions, the way most gradings are written, the shape of a benchmark: in this order."""
    known = list(documents)
    if any(each.place.endswith("plan.json") and _is_native_plan(each.value) for each in known):
        return "native"
    if any(each.kind == "conditions" for each in known):
        return "slow-powers"
    if files.spellings:
        spelling, _ = files.spellings.most_common(1)[0]
        if spelling != "other":
            return spelling
    for each in known:
        if each.kind == "benchmark" and (family := _of_benchmark(each.value)):
            return family
    return "other"


def _is_native_plan(value: Json) -> bool:
    """Whether this is a plan of ours."""
    return is_object(value) and "schema_version" in value and "digest" in value and "trials" in value


def _of_benchmark(value: Json) -> Family | None:
    if not is_object(value):
        return None
    if "conditions_compared" in value:
        return "slow-powers"
    if child(value, "configs") and "comparison" in value:
        return "skill-builder"
    if "run_summary" in value:
        return "skill-creator" if "runs" in value else "agentskills"
    return None
