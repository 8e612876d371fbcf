"""Single values of foreign JSON: numbers, counts and verdicts in the spellings that people use. None is unknown."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import cast

from skilltrial.records.json_value import Json, is_list, is_object, real

_YES = frozenset({
    "true", "pass", "passed", "yes", "y", "ok", "met", "satisfied", "success", "succeeded", "correct", "✓", "✅",
})  # fmt: skip
_NO = frozenset({
    "false", "fail", "failed", "no", "n", "not met", "unmet", "not_met", "unsatisfied", "incorrect", "✗", "❌",
})  # fmt: skip
_FRACTION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:/|of|out of)\s*(\d+(?:\.\d+)?)\b")
_NUMBER = re.compile(r"\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(%?)\s*")


def objects(value: Json) -> list[dict[str, Json]]:
    """The objects in a list; empty where it is none."""
    return [each for each in value if is_object(each)] if is_list(value) else []


def child(value: Mapping[str, Json], key: str) -> dict[str, Json]:
    """The object under a key; empty where there is none."""
    inner = value.get(key)
    return cast("dict[str, Json]", inner) if isinstance(inner, dict) else {}


def text(value: Json) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value.strip() else None


def first_text(value: Mapping[str, Json], *keys: str) -> str | None:
    """The first text under these keys."""
    for key in keys:
        found = value.get(key)
        if isinstance(found, str) and found.strip():
            return found
    return None


def words(value: Json) -> str:
    """A text as it is; other values as JSON would say them; empty for null."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if is_list(value):
        return "\n".join(words(each) for each in value)
    if is_object(value):
        return "; ".join(f"{key}: {words(each)}" for key, each in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


def number(value: Json) -> float | None:
    """A number, or a text that is one. Not finite ones stay; booleans are no numbers. `75%` is 0.75."""
    if not isinstance(value, str):
        return real(value)
    match = _NUMBER.fullmatch(value)
    if match is None:
        return None
    return float(match[1]) / 100 if match[2] else float(match[1])


def finite(value: Json) -> float | None:
    """A number that is one."""
    found = number(value) if isinstance(value, str) else real(value)
    return found if found is not None and math.isfinite(found) else None


def first_number(value: Mapping[str, Json], *keys: str) -> float | None:
    """The first finite number under these keys."""
    for key in keys:
        if key in value and (found := finite(value[key])) is not None:
            return found
    return None


def whole(value: float | None) -> int | None:
    """A count."""
    return None if value is None else round(value)


def fraction(value: Json) -> tuple[float, float] | None:
    """`3/4`, `3 of 4`: the part and the whole."""
    match = _FRACTION.match(value) if isinstance(value, str) else None
    return (float(match[1]), float(match[2])) if match else None


def verdict(value: Json) -> bool | None:
    """Yes or no where the value clearly says one of them; else None."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in {0, 1} else None
    if isinstance(value, str):
        word = value.strip().rstrip(".!").casefold()
        return True if word in _YES else False if word in _NO else None
    return None
