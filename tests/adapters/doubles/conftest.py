"""Folders of a trial with doubles around them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from doubles_bench import Act, Visit

from skilltrial.adapters.doubles.boundary import LocalBoundary
from skilltrial.ports import TrialFolders
from skilltrial.records.doubles import DoubleCall, Doubles


@pytest.fixture
def folders(tmp_path: Path) -> TrialFolders:
    """Work, home and temporary folder."""
    root = tmp_path / "task"
    made = [root / name for name in ("work", "home", "tmp")]
    for folder in made:
        folder.mkdir(parents=True)
    return TrialFolders(root=root, work=made[0], home=made[1], tmp=made[2], skill=None)


@pytest.fixture
def visit(folders: TrialFolders) -> Visit:
    """Puts doubles up, lets a function be the agent (in a thread), and returns what was recorded."""

    def visit(doubles: dict[str, Any], act: Act, *, env: dict[str, str] | None = None) -> tuple[DoubleCall, ...]:
        async def once() -> tuple[DoubleCall, ...]:
            boundary = LocalBoundary(env or {}, redact=lambda data: data.replace(b"sesame", b"***"))
            async with boundary.open(Doubles.model_validate(doubles), folders) as stand_ins:
                await anyio.to_thread.run_sync(act, stand_ins, folders)
                return stand_ins.calls()

        return anyio.run(once)

    return visit
