"""Keys of a SKILL.md's front matter that some agents know and the specification does not have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

FIELDS: frozenset[str] = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
"""Those of the specification."""

_MODEL_OFF = ("Claude Code", "Cursor", "Copilot", "pi")
_MENU_OFF = ("Claude Code", "Copilot")

HOSTS: Mapping[str, tuple[str, ...]] = {
    "agent": ("Claude Code",),
    "argument-hint": ("Claude Code", "Copilot"),
    "arguments": ("Claude Code",),
    "context": ("Claude Code",),
    "disable-model-invocation": _MODEL_OFF,
    "disallowed-tools": ("Claude Code",),
    "effort": ("Claude Code",),
    "hooks": ("Claude Code",),
    "model": ("Claude Code",),
    "paths": ("Claude Code", "Cursor"),
    "shell": ("Claude Code",),
    "user-invocable": _MENU_OFF,
    "when_to_use": ("Claude Code",),
}
"""Key -> agents that are known to read it."""

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SIMILARITY = 0.82


def meant(key: str) -> str | None:
    """The field or host key that a key looks like a slip of; None where it is one itself, or like none."""
    if key in FIELDS or key in HOSTS:
        return None
    known = {name.replace("_", "-"): name for name in (*FIELDS, *HOSTS)}
    near = get_close_matches(_CAPITAL.sub("-", key).lower().replace("_", "-"), known, n=1, cutoff=_SIMILARITY)
    return known[near[0]] if near else None
