"""Keywords of JSON Schema whose usual readings can take for ever on a document made for that; here they have an end.

Patterns run with a time limit, and items are compared through their text. `unevaluatedProperties` is left as it is: it looks
at patterns only where a schema combines it with `patternProperties`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from jsonschema import ValidationError

from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.patterns import search
from skilltrial.records.json_value import Json

Errors = Iterable[ValidationError]


def _pattern(_validator: Any, pattern: str, instance: Json, _schema: Any) -> Errors:
    if isinstance(instance, str) and search(pattern, instance) is None:
        yield ValidationError(f"{excerpt(instance)!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Mapping[str, Json], instance: Json, _schema: Any) -> Errors:
    if isinstance(instance, dict):
        for pattern, schema in patterns.items():
            for key, value in cast("dict[str, Json]", instance).items():
                if search(pattern, key) is not None:
                    yield from validator.descend(value, schema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Json, instance: Json, schema: Mapping[str, Any]) -> Errors:
    if not isinstance(instance, dict):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for key, value in cast("dict[str, Json]", instance).items():
        if key in known or any(search(pattern, key) is not None for pattern in patterns):
            continue
        if allowed is False:
            yield ValidationError(f"the property {excerpt(key)!r} is not allowed")
        else:
            yield from validator.descend(value, allowed, path=key)


def _unique_items(_validator: Any, wanted: Json, instance: Json, _schema: Any) -> Errors:
    if wanted is not True or not isinstance(instance, list):
        return
    seen: set[str] = set()
    for item in cast("list[Json]", instance):
        text = json.dumps(_plain(item), sort_keys=True)
        if text in seen:
            yield ValidationError(f"{excerpt(text)} stands twice")
        seen.add(text)


def _plain(value: Json) -> Json:
    """1.0 and 1 are one number in JSON Schema."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[Json]", value)]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, Json]", value).items()}
    return value


TIMED_KEYWORDS: Mapping[str, Callable[..., Errors]] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
"""To extend a validator with."""
