"""skilltrial: does an Agent Skill help, by how much, how sure are we, and at what cost?

The names here are the public surface; everything else may change. They are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skilltrial.errors import SkilltrialError
    from skilltrial.pipeline import RunRequest, RunResult, run
    from skilltrial.plan.plan import make_plan
    from skilltrial.records.benchmark import Benchmark
    from skilltrial.records.grading import Grading
    from skilltrial.records.plan import Plan
    from skilltrial.records.skill import Skill
    from skilltrial.records.suite import Suite
    from skilltrial.records.trial import Trial
    from skilltrial.records.trigger import TriggerSuite
    from skilltrial.spec.skill import load_skill
    from skilltrial.spec.suite import load_suite, load_triggers

_HOMES = {
    "Benchmark": "skilltrial.records.benchmark",
    "Grading": "skilltrial.records.grading",
    "Plan": "skilltrial.records.plan",
    "RunRequest": "skilltrial.pipeline",
    "RunResult": "skilltrial.pipeline",
    "Skill": "skilltrial.records.skill",
    "SkilltrialError": "skilltrial.errors",
    "Suite": "skilltrial.records.suite",
    "Trial": "skilltrial.records.trial",
    "TriggerSuite": "skilltrial.records.trigger",
    "load_skill": "skilltrial.spec.skill",
    "load_suite": "skilltrial.spec.suite",
    "load_triggers": "skilltrial.spec.suite",
    "make_plan": "skilltrial.plan.plan",
    "run": "skilltrial.pipeline",
}

__all__ = [
    "Benchmark",
    "Grading",
    "Plan",
    "RunRequest",
    "RunResult",
    "Skill",
    "SkilltrialError",
    "Suite",
    "Trial",
    "TriggerSuite",
    "load_skill",
    "load_suite",
    "load_triggers",
    "make_plan",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'skilltrial' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
