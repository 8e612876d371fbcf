"""The seams to the outside world.

Adapters satisfy these protocols without importing the stages; stages use them without importing adapters. What differs
between adapters is declared in `Capabilities`, never found out by `isinstance`.
"""

from skilltrial.ports.export import Export, Exporter, ExportFile, Loss, Trialled
from skilltrial.ports.harness import (
    Capabilities,
    ChatModel,
    Confinement,
    Harness,
    HarnessSettings,
    HarnessStatus,
    ModelStatus,
    PlacedSkill,
    ToolServer,
    TrialRequest,
)
from skilltrial.ports.language_model import Answer, AnswerT, Image, LanguageModel
from skilltrial.ports.store import Executor, Store
from skilltrial.ports.workspace import Boundary, HandoverFolder, SkillSource, StandIns, TrialFolders, Workspace

__all__ = [
    "Answer",
    "AnswerT",
    "Boundary",
    "Capabilities",
    "ChatModel",
    "Confinement",
    "Executor",
    "Export",
    "ExportFile",
    "Exporter",
    "HandoverFolder",
    "Harness",
    "HarnessSettings",
    "HarnessStatus",
    "Image",
    "LanguageModel",
    "Loss",
    "ModelStatus",
    "PlacedSkill",
    "SkillSource",
    "StandIns",
    "Store",
    "ToolServer",
    "TrialFolders",
    "TrialRequest",
    "Trialled",
    "Workspace",
]
