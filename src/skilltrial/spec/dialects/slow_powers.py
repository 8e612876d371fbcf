"""slow-powers and its successor eval-magic: typed `assertions` with ids, text ids, files named from `evals/`."""

from __future__ import annotations

from skilltrial.spec.dialects.dialect import Dialect, criteria
from skilltrial.spec.json_source import Node

_TYPES = {"transcript_check", "llm_judge", "command_check", "diff_scope"}


def _fits(case: Node, file: Node) -> bool:
    case_id = case.child("id")
    return (
        file.child("skill_name") is not None
        and case_id is not None
        and isinstance(case_id.value, str)
        and bool(criteria(case))
        and all(_is_typed(item) for item in criteria(case))
    )


def _is_typed(item: Node) -> bool:
    kind = item.child("type")
    return kind is not None and kind.value in _TYPES and item.child("id") is not None


SLOW_POWERS = Dialect(
    name="slow-powers",
    fits=_fits,
    keeps_paths=True,
    unused={
        "turns": "later messages of the user; the case runs as its first prompt alone",
        "responder": "a model that answers the agent; the case runs as its first prompt alone",
        "codebase": "a repository to work in; the case runs with its `files` alone",
        "isolation": "whether cases share a folder; every trial gets its own",
        "files_root": "the folder that `files` start from; they are looked for in the usual places alone",
    },
)
