"""Recorded trials through the real pipeline."""

from __future__ import annotations

from pathlib import Path


def replay_and_print(workspace: Path, *, as_json: bool) -> int:
    """Plan, replay, grade, aggregate, report; returns the exit code."""
    raise NotImplementedError
