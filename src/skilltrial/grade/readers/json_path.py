"""Values of a JSON document at a JSONPath."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from skilltrial.grade.readers.refusal import TooMuch

_MAX_FOUND = 10_000
_MAX_CHARS = 2_000_000
"""Of all that is found, as JSON."""


def read_jsonpath(path: Path, asked: dict[str, Any]) -> list[Any]:
    """All values that the expression `jsonpath` finds, in order. Raises `TooMuch`."""
    import jsonpath  # noqa: PLC0415 - of an extra

    document = json.loads(path.read_text(encoding="utf-8"))
    try:
        found: list[Any] = []
        for match in jsonpath.finditer(asked["jsonpath"], document):
            found.append(match.obj)
            if len(found) > _MAX_FOUND:
                raise TooMuch(f"has more than {_MAX_FOUND:,} values at the JSONPath")
    except jsonpath.JSONPathError as error:
        raise TooMuch(f"cannot be asked: the JSONPath is wrong ({str(error)[:200]})") from error
    if len(json.dumps(found)) > _MAX_CHARS:
        raise TooMuch(f"has more than {_MAX_CHARS:,} characters at the JSONPath")
    return found
