"""Somebody else's JSON values, narrowed."""

from __future__ import annotations

from typing import Any, TypeGuard

Json = Any
"""A JSON value of somebody else's file; narrowed where it is used."""


def is_object(value: Json) -> TypeGuard[dict[str, Json]]:
    """Whether this is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Json) -> TypeGuard[list[Json]]:
    """Whether this is a JSON array."""
    return isinstance(value, list)


def real(value: Json) -> float | None:
    """A JSON number, not finite ones too; None for what is none (booleans are none), or larger than a float can be."""
    if isinstance(value, float):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    try:
        return float(value)
    except OverflowError:
        return None
