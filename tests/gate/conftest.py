"""Benchmarks from a table of what each trial came to, and the same as a workspace on disk."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.gate.judgement import judge_gate
from skilltrial.grade.native import to_native
from skilltrial.records import layout
from skilltrial.records.gate import Gate
from skilltrial.records.settings import GateSettings


def _scenes() -> Any:
    name = "scenes_of_aggregate"
    if name not in sys.modules:
        found = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / "aggregate/conftest.py")
        assert found
        assert found.loader
        sys.modules[name] = importlib.util.module_from_spec(found)
        found.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture
def scene() -> Callable[..., Any]:
    """`make_scene` of the tests of `aggregate`."""
    return _scenes().make_scene


@pytest.fixture
def even(scene) -> Callable[..., Any]:
    """A scene in which every trial passes, in `n` cases with `runs` repeats."""

    def make(n: int, runs: int = 2, **changed: list[str]) -> Any:
        table = {f"c{i}": {"with_skill": ["P"] * runs, "without_skill": ["P"] * runs} for i in range(n)}
        for case_id, cells in changed.items():
            table[case_id]["with_skill"] = cells
        return scene(table)

    return make


@pytest.fixture
def judged() -> Callable[..., Gate]:
    """The gate of a scene under settings."""

    def judge(scene: Any, triggers: Any = None, **settings: Any) -> Gate:
        return judge_gate(
            scene.plan,
            scene.benchmark(),
            GateSettings(**settings),
            place=lambda key: f"skilltrial.toml:{len(key)}",
            triggers=triggers,
        )

    return judge


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Put a scene on disk; `skill` is the folder that its plan names."""

    def write(scene: Any, name: str = "w", skill: Path | None = None) -> Path:
        plan = scene.plan
        if skill is not None:
            ref = plan.skill.model_copy(update={"folder": str(skill)})
            suite = plan.suite.model_copy(update={"path": str(skill / "evals/evals.json")})
            plan = plan.model_copy(update={"skill": ref, "suite": suite})
        store = FolderStore(tmp_path / name, write=True)
        store.write("iteration-1/plan.json", plan.model_dump_json().encode())
        trials = {trial.key: trial for trial in scene.trials}
        for trial in scene.trials:
            store.write(f"{layout.trial_dir(1, trial.key)}/{layout.TRIAL}", trial.model_dump_json().encode())
        for grading in scene.gradings:
            native: Any = to_native(grading, trials[grading.key])
            store.write(f"{layout.trial_dir(1, grading.key)}/{layout.GRADING}", json.dumps(native).encode())
        store.close()
        return tmp_path / name

    return write
