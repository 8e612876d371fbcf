"""Values of other programs' JSON, narrowed: what is not of the kind asked for is as good as not there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, cast

Fields = dict[str, Any]

_DEEPEST = 100
"""Levels of lists and objects; nobody needs more, and writers of JSON break on it."""


def read_row(line: str) -> Fields | None:
    """The object of a line; None where the line is no JSON, no object, or nested absurdly deep."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or not _shallow(row, _DEEPEST):
        return None
    return cast("Fields", _clean(row) if "\\u" in line else row)


def fields_of(value: Any) -> Fields:
    """The object, or an empty one."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[Fields]:
    """The objects of a list, an empty one for each other part; no list has none."""
    return [fields_of(part) for part in cast("list[Any]", value)] if isinstance(value, list) else []


def text_of(value: Any) -> str | None:
    """The text, or None."""
    return value if isinstance(value, str) else None


def texts_of(value: Any) -> tuple[str, ...] | None:
    """A list, with each part as text; None where it is no list."""
    return tuple(str(part) for part in cast("list[Any]", value)) if isinstance(value, list) else None


def number_of(value: Any) -> float | None:
    """The number, or None."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def int_of(value: Any) -> int | None:
    """The whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def time_of_ms(value: Any) -> str | None:
    """Milliseconds since 1970 as ISO 8601 in UTC, or None."""
    number = number_of(value)
    if number is None:
        return None
    try:
        moment = datetime.fromtimestamp(number / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def json_of(value: Any) -> Any:
    """The JSON value that a text holds; anything else, and a text that is no JSON, as it is."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return _clean(parsed) if _shallow(parsed, _DEEPEST) else value


def printable(text: str) -> str:
    """Without halves of characters (lone surrogates), which JSON can spell and no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_clean(part) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {printable(key): _clean(part) for key, part in cast("Fields", value).items()}
    return value


def _shallow(value: Any, left: int) -> bool:
    if isinstance(value, list):
        return left > 0 and all(_shallow(part, left - 1) for part in cast("list[Any]", value))
    if isinstance(value, dict):
        return left > 0 and all(_shallow(part, left - 1) for part in cast("Fields", value).values())
    return True
