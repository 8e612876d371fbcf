"""Which sandboxes hold on this machine, best first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from skilltrial.adapters.sandbox import bwrap, landlock
from skilltrial.adapters.sandbox.exposure import system
from skilltrial.adapters.sandbox.self_test import Surroundings, prove
from skilltrial.ports import Confinement

LEVELS = ("bwrap", "landlock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """A level, and either the sandbox or the reason why there is none."""

    level: str
    confinement: Confinement | None
    detail: str
    """One sentence."""


def address(url: str) -> tuple[str, int] | None:
    """Host and port of an address; None where it has none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    return (host, port or (80 if parts.scheme == "http" else 443)) if host else None


def examine(level: str, around: Surroundings, *, env: Mapping[str, str], hidden: tuple[Path, ...]) -> Sandbox:
    """Find a level's means and prove that they hold. Starts processes; takes a tenth of a second.

    `hidden` are places that must stay out of reach beside the home: where one lies in a folder of the system, no level holds.
    """
    in_system = [place for place in hidden if any(place.is_relative_to(folder) for folder in system().readable)]
    if in_system:
        return Sandbox(level=level, confinement=None, detail=f"{str(in_system[0])!r} lies in a folder of the system.")
    kept = (*hidden, around.home, around.home.resolve())
    found = bwrap.find(env.get("PATH"), hidden=kept) if level == "bwrap" else landlock.find(hidden=kept)
    if isinstance(found, str):
        return Sandbox(level=level, confinement=None, detail=found)
    problem = prove(found, around)
    if problem:
        return Sandbox(level=level, confinement=None, detail=problem)
    return Sandbox(level=level, confinement=found, detail=found.isolation.partition(":")[0])
