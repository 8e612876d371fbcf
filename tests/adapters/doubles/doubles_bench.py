"""Programs that run in the folders of a trial as an agent would run them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any

from skilltrial.ports import StandIns, TrialFolders
from skilltrial.records.doubles import DoubleCall

Act = Callable[[StandIns, TrialFolders], object]
Visit = Callable[..., tuple[DoubleCall, ...]]


def shell(command: str, stand_ins: StandIns, folders: TrialFolders, **more: Any) -> subprocess.CompletedProcess[str]:
    """A command of the agent's, with the doubles first on its PATH."""
    path = os.pathsep.join([*map(str, stand_ins.path), "/usr/bin:/bin"])
    env = {"PATH": path, "HOME": str(folders.home), **stand_ins.env}
    options = {"cwd": folders.work, "stdin": subprocess.DEVNULL, **more}
    return subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True, check=False, **options)
