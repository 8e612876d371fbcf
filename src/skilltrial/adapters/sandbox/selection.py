"""Which sandboxes hold on this machine, best first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from skilltrial.adapters.sandbox import bwrap, container, landlock
from skilltrial.adapters.sandbox.container import Container
from skilltrial.adapters.sandbox.exposure import system
from skilltrial.adapters.sandbox.network import Address, Secluded
from skilltrial.adapters.sandbox.self_test import Surroundings, prove, prove_container
from skilltrial.ports import Confinement

LEVELS = ("bwrap", "landlock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """A level, and either the sandbox or the reason why there is none."""

    level: str
    confinement: Confinement | None
    detail: str
    """One sentence."""


def examine(
    level: str,
    around: Surroundings,
    *,
    env: Mapping[str, str],
    hidden: tuple[Path, ...],
    reach: tuple[Address, ...] | None = None,
) -> Sandbox:
    """Find a level's means and prove that they hold. Starts processes; takes a tenth of a second.

    `hidden` are places that must stay out of reach beside the home: where one lies in a folder of the system, no level holds.
    `reach` is all that the agent may reach of the network; None: everything.
    """
    in_system = [place for place in hidden if any(place.is_relative_to(folder) for folder in system().readable)]
    if in_system:
        return Sandbox(level=level, confinement=None, detail=f"{str(in_system[0])!r} lies in a folder of the system.")
    kept = (*hidden, around.home, around.home.resolve())
    found = bwrap.find(env.get("PATH"), hidden=kept) if level == "bwrap" else landlock.find(hidden=kept)
    if isinstance(found, str):
        return Sandbox(level=level, confinement=None, detail=found)
    made = found if reach is None else Secluded(inner=found, addresses=reach)
    problem = prove(made, around, reach=reach)
    if problem:
        return Sandbox(level=level, confinement=None, detail=problem)
    return Sandbox(level=level, confinement=made, detail=made.isolation.partition(":")[0])


def examine_container(engine: str, image: str, *, env: Mapping[str, str]) -> Sandbox:
    """Find the engine with the image, and prove that its walls hold. Starts a container."""
    found = container.find(engine, image, env)
    if isinstance(found, str):
        return Sandbox(level=engine, confinement=None, detail=found)
    problem = prove_container(found, has_network=True)
    if problem:
        return Sandbox(level=engine, confinement=None, detail=problem)
    return Sandbox(level=engine, confinement=found, detail=found.isolation.partition(":")[0])


def without_network(confinement: Confinement, around: Surroundings) -> Confinement | str:
    """The same walls without any network, proved; or why there are none."""
    match confinement:
        case Secluded():
            walls = Secluded(inner=confinement.inner, addresses=())
        case bwrap.Bubblewrap() | landlock.Landlock():
            walls = Secluded(inner=confinement, addresses=())
        case Container():
            shut = replace(confinement, network="none")
            return prove_container(shut, has_network=False) or shut
        case _:
            return f"the sandbox {confinement.level} knows no other network."
    return prove(walls, around, reach=()) or walls
