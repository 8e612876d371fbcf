"""The boundary around agent programs that holds on this machine."""
# ruff: noqa: PLC0415 - a command that only reads files does not load model clients

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial.errors import NotInstalled, SpecError

if TYPE_CHECKING:
    from skilltrial.adapters.sandbox.selection import Sandbox
    from skilltrial.ports import Confinement


def sandboxes(
    env: Mapping[str, str], *, hidden: tuple[Path, ...] = (), base_url: str | None = None
) -> Iterator[Sandbox]:
    """Each level of sandbox, best first, examined on this machine when it is asked for.

    `hidden` is to be out of the agent's reach, beside the home; an address of the model's has to be in reach.
    """
    from skilltrial.adapters.sandbox import selection
    from skilltrial.adapters.sandbox.self_test import Surroundings

    url = base_url or next((env[name] for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL") if env.get(name)), "")
    around = Surroundings(home=Path(env.get("HOME") or Path.home()), address=selection.address(url))
    real = tuple(place.resolve() for place in hidden)
    return (selection.examine(level, around, env=env, hidden=real) for level in selection.LEVELS)


def open_sandbox(
    wanted: str, env: Mapping[str, str], *, hidden: tuple[Path, ...] = (), base_url: str | None = None
) -> Confinement | None:
    """The sandbox of this level, or with `auto` the best one; None for `none`.

    Raises `SpecError` for an unknown level, and `NotInstalled` where it does not hold on this machine.
    """
    from skilltrial.adapters.sandbox.selection import LEVELS

    if wanted not in {"none", "auto", *LEVELS}:
        raise SpecError(f"there is no sandbox {wanted!r}.", hint=f"Known: none, auto, {', '.join(LEVELS)}.")
    if wanted == "none":
        return None
    problems: list[str] = []
    for sandbox in sandboxes(env, hidden=hidden, base_url=base_url):
        if wanted not in {"auto", sandbox.level}:
            continue
        if sandbox.confinement is not None:
            return sandbox.confinement
        problems.append(f"{sandbox.level}: {sandbox.detail}")
    which = "no sandbox can" if wanted == "auto" else f"the sandbox {wanted} cannot"
    hint = "`skilltrial doctor` shows what works here; --sandbox none runs the agent with your rights."
    raise NotInstalled(f"{which} be used here. {' '.join(problems)}", hint=hint)
