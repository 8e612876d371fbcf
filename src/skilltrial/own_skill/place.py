"""Where our own skill is."""

from __future__ import annotations

from pathlib import Path

NAME = "skilltrial"

_HERE = Path(__file__).parent


def own_skill() -> Path:
    """Its folder: beside this module in an installed package, in `skills/` in a checkout."""
    packed = _HERE / NAME
    return packed if packed.is_dir() else _HERE.parents[2] / "skills" / NAME
