"""Texts of a descriptor with places to fill in.

`{name}` is the value, `{name:json}` the value as a JSON string, which a TOML string can be as well. Other braces stay as they
are, so that JSON and TOML inside a descriptor need no escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

ALWAYS = frozenset(
    {
        "work",  # the agent's folder
        "home",  # the fresh home
        "tmp",  # the fresh folder for temporary files
        "aside",  # a fresh folder in the home for what the program writes beside its stream
        "api_key",
        "prompt",
        "prompt_file",
        "timeout_s",
    }
)
"""Names that have a value in every trial."""
OF_THE_SKILL = frozenset(
    {
        "skill",  # name of its folder
        "skill_folder",
        "skills_folder",  # the folder that holds it
    }
)
OF_A_SERVER = frozenset(
    {
        "server",  # its name
        "command",  # the program
        "arguments",  # those behind it, as a JSON list
        "argv",  # both, as a JSON list
    }
)
NAMES = ALWAYS | OF_THE_SKILL | OF_A_SERVER | {"model", "base_url", "session"}
_PLACE = re.compile(r"\{([a-z_]+)(:json)?\}")


def unknown_names(text: str) -> list[str]:
    """Names in a text that nothing can be filled in for."""
    return [found.group(1) for found in _PLACE.finditer(text) if found.group(1) not in NAMES]


def names_in(text: str) -> set[str]:
    """The names that a text needs values for."""
    return {found.group(1) for found in _PLACE.finditer(text)}


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with its values; a `KeyError` for a value that is not there."""

    def value(found: re.Match[str]) -> str:
        plain = values[found.group(1)]
        return json.dumps(plain, ensure_ascii=False) if found.group(2) else plain

    return _PLACE.sub(value, text)
