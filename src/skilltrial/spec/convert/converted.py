"""What converting gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from skilltrial.ports import ExportFile, Loss
from skilltrial.records.json_value import Json

TargetName = Literal["agentskills", "skill-creator", "skill-builder", "slow-powers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A document in another tool's form, not written yet."""

    value: Json
    """The document itself."""
    files: tuple[ExportFile, ...] = ()
    """Input files that the document names and that do not exist yet; paths are relative to the skill's folder."""
    losses: tuple[Loss, ...] = ()
    notes: tuple[str, ...] = ()
    """What was changed or made without losing anything."""
