"""skill-creator: criteria are texts under `expectations`, ids are numbers, files are named from the skill's folder."""

from __future__ import annotations

from skilltrial.spec.dialects.dialect import Dialect
from skilltrial.spec.json_source import Node


def _fits(case: Node, _file: Node) -> bool:
    return case.child("expectations") is not None


SKILL_CREATOR = Dialect(
    name="skill-creator",
    fits=_fits,
    keeps_paths=False,
    unused={"expectations_notes": "remarks on the expectations"},
)
