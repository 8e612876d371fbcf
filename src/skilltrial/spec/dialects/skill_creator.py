"""skill-creator: criteria are texts under `expectations`, ids are numbers, files are named from the skill's folder."""

from __future__ import annotations

from skilltrial.spec.dialects.family import Family
from skilltrial.spec.json_source import Node


def _fits(case: Node, _file: Node) -> bool:
    return case.child("expectations") is not None


SKILL_CREATOR = Family(name="skill-creator", fits=_fits, keeps_paths=False)
