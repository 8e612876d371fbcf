"""The boundary around agent programs that holds on this machine."""
# ruff: noqa: PLC0415 - a command that only reads files does not load model clients

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial.errors import NotInstalled, SpecError

if TYPE_CHECKING:
    from skilltrial.adapters.sandbox.network import Address
    from skilltrial.adapters.sandbox.selection import Sandbox
    from skilltrial.adapters.sandbox.self_test import Surroundings
    from skilltrial.ports import Confinement

_MODELS = {
    "claude-code": "https://api.anthropic.com",
    "codex": "https://api.openai.com",
    "gemini-cli": "https://generativelanguage.googleapis.com",
    "builtin": None,
}
"""Where the models of agent programs are, without a base URL. None: it is asked from outside of the sandbox."""


def sandboxes(
    env: Mapping[str, str],
    *,
    hidden: tuple[Path, ...] = (),
    base_url: str | None = None,
    reach: tuple[Address, ...] | None = None,
) -> Iterator[Sandbox]:
    """Each level of sandbox, best first, examined on this machine when it is asked for.

    `hidden` is to be out of the agent's reach, beside the home; an address of the model's has to be in reach. `reach` is all
    that the agent may reach of the network; None: everything.
    """
    from skilltrial.adapters.sandbox import selection

    real = tuple(place.resolve() for place in hidden)
    around = _surroundings(env, base_url)
    return (selection.examine(level, around, env=env, hidden=real, reach=reach) for level in selection.LEVELS)


def open_sandbox(
    wanted: str,
    env: Mapping[str, str],
    *,
    hidden: tuple[Path, ...] = (),
    base_url: str | None = None,
    reach: tuple[Address, ...] | None = None,
) -> Confinement | None:
    """The sandbox of this level, or with `auto` the best one; None for `none`.

    Raises `SpecError` for an unknown level, and `NotInstalled` where it does not hold on this machine.
    """
    from skilltrial.adapters.sandbox.container import ENGINES
    from skilltrial.adapters.sandbox.selection import LEVELS

    engine, _, image = wanted.partition(":")
    if engine in ENGINES:
        return _open_container(engine, image, env, reach=reach)
    if wanted not in {"none", "auto", *LEVELS}:
        known = ", ".join(["none", "auto", *LEVELS, *(f"{each}:IMAGE" for each in ENGINES)])
        raise SpecError(f"there is no sandbox {wanted!r}.", hint=f"Known: {known}.")
    if wanted == "none":
        if reach is not None:
            raise SpecError("--network needs a sandbox that limits it.", hint="Add --sandbox auto, or leave it out.")
        return None
    problems: list[str] = []
    for sandbox in sandboxes(env, hidden=hidden, base_url=base_url, reach=reach):
        if wanted not in {"auto", sandbox.level}:
            continue
        if sandbox.confinement is not None:
            return sandbox.confinement
        problems.append(f"{sandbox.level}: {sandbox.detail}")
    which = "no sandbox can" if wanted == "auto" else f"the sandbox {wanted} cannot"
    limits = "" if reach is None else ", --network all with an open network"
    hint = f"`skilltrial doctor` shows what works here; --sandbox none runs the agent with your rights{limits}."
    raise NotInstalled(f"{which} be used here. {' '.join(problems)}", hint=hint)


def _open_container(
    engine: str, image: str, env: Mapping[str, str], *, reach: tuple[Address, ...] | None
) -> Confinement:
    from skilltrial.adapters.sandbox import selection

    if not image:
        hint = f"Build one with the agent program in it, and give --sandbox {engine}:IMAGE."
        raise SpecError(f"the sandbox {engine} needs an image.", hint=hint)
    if reach is not None:
        hint = "Use --sandbox bwrap or landlock, or --network all."
        raise SpecError(f"the network of {engine} cannot be limited to addresses.", hint=hint)
    found = selection.examine_container(engine, image, env=env)
    if found.confinement is None:
        hint = "`skilltrial doctor` shows what works here."
        raise NotInstalled(f"the sandbox {engine} cannot be used here: {found.detail}", hint=hint)
    return found.confinement


def container_engines(env: Mapping[str, str]) -> Iterator[tuple[str, bool, str]]:
    """Each engine of containers: its name, whether it answers, and one sentence."""
    from skilltrial.adapters.sandbox.container import ENGINES, find_engine

    for name in ENGINES:
        found = find_engine(name, env)
        yield name, not isinstance(found, str), found if isinstance(found, str) else f"{name} {found.version} answers"


def without_network(confinement: Confinement, env: Mapping[str, str]) -> Confinement | str:
    """The same sandbox without any network, proved on this machine; or why there is none."""
    from skilltrial.adapters.sandbox import selection

    return selection.without_network(confinement, _surroundings(env, None))


def walls_of_checks(confinement: Confinement | None, env: Mapping[str, str]) -> Confinement | None:
    """What command checks run in: the agent's sandbox, without any network where that can be had."""
    if confinement is None:
        return None
    found = without_network(confinement, env)
    return confinement if isinstance(found, str) else found


def network_reach(
    wanted: str, programs: Iterable[tuple[str | None, str | None]], env: Mapping[str, str]
) -> tuple[Address, ...] | None:
    """What an agent may reach: `all` (None), `model`, or addresses as `HOST:PORT`, with commas between them.

    `programs` are the harnesses whose models `model` means (None: the automatic choice), each with its base URL. Raises
    `SpecError` where an address is not known or not right, or where a proxy would lead everywhere.
    """
    from skilltrial.adapters.sandbox.network import PROXIES, reachable

    if wanted == "all":
        return None
    proxy = next((name for name in PROXIES if env.get(name)), None)
    if proxy:
        raise SpecError(
            f"{proxy} is set, and through a proxy everything can be reached.",
            hint=f"Unset {proxy}, or leave --network out.",
        )
    if wanted != "model":
        return tuple(dict.fromkeys(reachable(text.strip()) for text in wanted.split(",")))
    found = [_model_of(harness or "claude-code", env, base_url) for harness, base_url in programs]
    return tuple(dict.fromkeys(reachable(url) for url in found if url))


def _model_of(harness: str, env: Mapping[str, str], base_url: str | None) -> str | None:
    if harness in _MODELS and _MODELS[harness] is None:
        return None
    own = env.get("ANTHROPIC_BASE_URL") if harness == "claude-code" else None
    url = base_url or own or _MODELS.get(harness)
    if url is None:
        raise SpecError(
            f"where the model of {harness!r} is, is not known.",
            hint="Say it with --network HOST:PORT, or give --base-url.",
        )
    return url


def _surroundings(env: Mapping[str, str], base_url: str | None) -> Surroundings:
    from skilltrial.adapters.sandbox import network
    from skilltrial.adapters.sandbox.self_test import Surroundings

    url = base_url or next((env[name] for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL") if env.get(name)), "")
    return Surroundings(home=Path(env.get("HOME") or Path.home()), address=network.address(url))
