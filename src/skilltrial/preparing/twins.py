"""Two arms that are the same: what a line-up's baseline is compared with when it is compared with itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from skilltrial.errors import PlanError
from skilltrial.preparing.lineup import LineUp

NAMES = ("twin_a", "twin_b")
"""Treatment and baseline; no name of what is in them."""
_ValueT = TypeVar("_ValueT")


def twins(lineup: LineUp) -> LineUp:
    """The baseline twice, once in each role. Raises `PlanError` where there is none."""
    own = next((arm for arm in lineup.arms if arm.role == "baseline"), None)
    if own is None:
        raise PlanError("there is no baseline to be compared with itself.", hint="Leave --arms out, or name one.")
    treatment, baseline = NAMES
    return replace(
        lineup,
        arms=(
            own.model_copy(update={"name": treatment, "role": "treatment"}),
            own.model_copy(update={"name": baseline}),
        ),
        skills=_twice(lineup.skills, own.name),
        beside=_twice(lineup.beside, own.name),
        env=_twice(lineup.env, own.name),
        settings=_twice(lineup.settings, own.name),
    )


def _twice(values: Mapping[str, _ValueT], name: str) -> dict[str, _ValueT]:
    return dict.fromkeys(NAMES, values[name]) if name in values else {}
