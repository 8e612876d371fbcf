"""Schemas in front of a person or a program."""

from __future__ import annotations

import json

from skilltrial.cli.standard_output import put
from skilltrial.spec.schema import PUBLISHED, schema


def print_schemas(name: str | None, *, as_json: bool) -> None:
    """One schema by its name; without a name, what there is, or all of them as JSON. Raises `SpecError` for an unknown name."""
    if name is not None:
        put(_text(schema(name)))
    elif as_json:
        put(_text({each: schema(each) for each in PUBLISHED}))
    else:
        width = max(map(len, PUBLISHED))
        put("".join(f"{each:<{width}}  {published.summary}\n" for each, published in PUBLISHED.items()))


def _text(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
