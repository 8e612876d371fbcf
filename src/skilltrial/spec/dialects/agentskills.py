"""The guide of agentskills.io, and our native form: `assertions` that are texts or typed objects."""

from __future__ import annotations

from skilltrial.spec.dialects.family import Family
from skilltrial.spec.json_source import Node


def _fits(case: Node, _file: Node) -> bool:
    return case.child("assertions") is not None


AGENTSKILLS = Family(name="agentskills", fits=_fits, keeps_paths=False)
