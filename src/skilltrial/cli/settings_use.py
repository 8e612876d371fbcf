"""What a run takes from its skilltrial.toml, and the line that says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from skilltrial.records.settings import RunSettings


def taken(told: RunSettings, asked: Mapping[str, object]) -> RunSettings:
    """The settings that the command line does not overrule; `asked` has its values by name, None where nothing was said."""
    values = {name: value for name, value in told.model_dump().items() if asked.get(name) is None}
    # A model belongs to its harness: another one on the command line may not know it.
    other = asked.get("harness") not in {None, told.harness}
    return RunSettings(**{**values, **({"model": None} if other else {})})


def settings_line(file: Path | None, used: RunSettings, arms: Iterable[str]) -> str:
    """`settings of FILE: judge openai:m, runs 5, arms a and b`; empty where nothing is taken from a file."""
    values = {name: value for name, value in used.model_dump().items() if value is not None}
    parts = [f"{name} {value}" for name, value in values.items()]
    if names := list(arms):
        parts.append(f"arms {', '.join(names)}")
    return f"settings of {file}: {', '.join(parts)}" if file and parts else ""
