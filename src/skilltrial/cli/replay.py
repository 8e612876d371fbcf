"""Recorded trials through the real pipeline."""

from __future__ import annotations

import os
from pathlib import Path

from skilltrial.cli.trial_run import run_and_print
from skilltrial.pipeline import RunRequest
from skilltrial.recordings import DEMO_RUNS, DEMO_SEED, demo_recordings, demo_skill


def replay_and_print(workspace: Path, *, as_json: bool) -> int:
    """Plan, replay, grade, aggregate, report; returns the exit code."""
    request = RunRequest(
        skill=demo_skill(),
        env=dict(os.environ),
        harness="recorded",
        recordings=demo_recordings(),
        runs=DEMO_RUNS,
        seed=DEMO_SEED,
        workspace=workspace,
    )
    return run_and_print(request, as_json=as_json)
