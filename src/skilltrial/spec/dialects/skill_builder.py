"""skill-builder: `files` maps a path to its content; no `skill_name`, ids and `assertions` are texts."""

from __future__ import annotations

from skilltrial.spec.dialects.family import Family, assertions_of
from skilltrial.spec.json_source import Node


def _fits(case: Node, file: Node) -> bool:
    files = case.child("files")
    if files is not None:
        return isinstance(files.value, dict)
    case_id = case.child("id")
    return (
        file.child("skill_name") is None
        and case_id is not None
        and isinstance(case_id.value, str)
        and bool(assertions_of(case))
        and all(isinstance(item.value, str) for item in assertions_of(case))
    )


SKILL_BUILDER = Family(name="skill-builder", fits=_fits, keeps_paths=True)
