"""slow-powers and its successor eval-magic: typed `assertions` with ids, text ids, files named from `evals/`."""

from __future__ import annotations

from skilltrial.spec.dialects.family import Family, assertions_of
from skilltrial.spec.json_source import Node

_TYPES = {"transcript_check", "llm_judge", "command_check", "diff_scope"}


def _fits(case: Node, file: Node) -> bool:
    case_id = case.child("id")
    return (
        file.child("skill_name") is not None
        and case_id is not None
        and isinstance(case_id.value, str)
        and bool(assertions_of(case))
        and all(_is_typed(item) for item in assertions_of(case))
    )


def _is_typed(item: Node) -> bool:
    kind = item.child("type")
    return kind is not None and isinstance(kind.value, str) and kind.value in _TYPES and item.child("id") is not None


SLOW_POWERS = Family(name="slow-powers", fits=_fits, keeps_paths=True)
