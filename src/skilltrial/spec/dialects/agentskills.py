"""The guide of agentskills.io, and our native form: `assertions` that are texts or typed objects."""

from __future__ import annotations

from skilltrial.spec.dialects.dialect import Dialect
from skilltrial.spec.json_source import Node


def _fits(case: Node, _file: Node) -> bool:
    return case.child("assertions") is not None


AGENTSKILLS = Dialect(name="agentskills", fits=_fits, keeps_paths=False)
