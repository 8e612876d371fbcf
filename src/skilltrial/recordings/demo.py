"""Where the demo's skill and its recorded trials are."""

from __future__ import annotations

from pathlib import Path

DEMO_EXAMPLE = "commit-style"
DEMO_RUNS = 2
DEMO_SEED = 1
"""The recordings hold the trials of a plan with these."""

_HERE = Path(__file__).parent


def demo_recordings() -> Path:
    """The folder of recorded trials."""
    return _HERE / DEMO_EXAMPLE


def demo_skill() -> Path:
    """The example skill: beside this module in an installed package, in `examples/` in a checkout."""
    packed = _HERE / "examples" / DEMO_EXAMPLE
    return packed if packed.is_dir() else _HERE.parents[2] / "examples" / DEMO_EXAMPLE
