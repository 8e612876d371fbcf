"""Which agent program does the trials, and whether it could start now."""
# ruff: noqa: PLC0415 - a command that only reads files does not load model clients

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial import plugins
from skilltrial.errors import AuthFailed, NotInstalled, SpecError

if TYPE_CHECKING:
    from skilltrial.adapters.harness.described import Catalogue, Descriptor, Entry
    from skilltrial.ports import Confinement, Harness, HarnessSettings, HarnessStatus
    from skilltrial.records.plan import HarnessChoice

BUILTIN = "builtin"
CLAUDE_CODE = "claude-code"
EMBEDDED = "embedded"
DEFAULT_MODELS = {"ANTHROPIC_API_KEY": "anthropic:claude-sonnet-4-5", "OPENAI_API_KEY": "openai:gpt-5"}
"""The built-in agent's model where only a key is given; `--model` says another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person asked for; None and empty leave it to us."""

    harness: str | None = None
    model: str | None = None
    base_url: str | None = None
    args: tuple[str, ...] = ()
    recordings: Path | None = None
    settings: Path | None = None
    """The skilltrial.toml that names the harness or the model; None where the person did, or nobody."""
    confinement: Confinement | None = None
    """The sandbox that the agent has to run in."""
    env: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A harness with a model, and whether a trial could start with it now."""

    harness: Harness
    model: str | None
    status: HarnessStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The harness of a run. The caller closes it."""

    harness: Harness
    choice: HarnessChoice
    notices: tuple[str, ...]


def harness_catalogue(env: Mapping[str, str]) -> Catalogue:
    """The harnesses that files describe: ours, those in the person's config folder, and the project's around the current folder."""
    from skilltrial.adapters.harness.described import read_catalogue

    config = Path(env.get("XDG_CONFIG_HOME") or Path(env.get("HOME") or Path.home()) / ".config")
    reserved = plugins.names(plugins.HARNESSES)
    return read_catalogue(
        user=config / "skilltrial/harnesses", project=_project_harnesses(Path.cwd()), reserved=reserved
    )


def installed_programs(env: Mapping[str, str]) -> dict[str, str]:
    """Where the programs of described harnesses are, by the harness's name; nothing is started."""
    from skilltrial.adapters.harness.described.launch import find_program

    entries: list[Entry] = [entry for entry in harness_catalogue(env).entries if entry.descriptor and not entry.error]
    found = {entry.name: find_program(entry.descriptor, env) for entry in entries if entry.descriptor}
    return {name: program for name, program in found.items() if program}


def read_harness(path: Path) -> Descriptor:
    """A harness descriptor; `SpecError` where it is not right."""
    from skilltrial.adapters.harness.described import read_descriptor

    return read_descriptor(path)


def harness_starter(name: str, program: str) -> str:
    """The text of a harness descriptor to start from."""
    from skilltrial.adapters.harness.described import starter

    return starter(name, program)


def carried_values(args: Sequence[str], env: Mapping[str, str]) -> list[str]:
    """The person's values that the command line of the harness `command` hands to its program."""
    from skilltrial.adapters.harness.described import command

    return command.carried_values(args, env)


async def survey(env: Mapping[str, str], *, confinement: Confinement | None = None) -> list[Candidate]:
    """What could execute trials on this machine, in the order in which it is taken."""
    wanted = Wanted(env=env, confinement=confinement)
    pairs = [(CLAUDE_CODE, None), *((BUILTIN, model) for model in (*DEFAULT_MODELS.values(), EMBEDDED))]
    return [await _candidate(name, model, wanted) for name, model in pairs]


async def choose_harness(wanted: Wanted) -> Chosen:
    """The harness asked for, or the first of `survey` that is ready.

    Raises `SpecError` for an unknown name, `NotInstalled` or `AuthFailed` for one that cannot start, each with the next step.
    """
    from skilltrial.adapters.llm import models
    from skilltrial.records.plan import HarnessChoice

    name = wanted.harness or implied_harness(wanted)
    if name is not None:
        candidate, why = await _named(name, wanted)
        _require_ready(candidate)
    else:
        candidates = await survey(wanted.env, confinement=wanted.confinement)
        ready = [candidate for candidate in candidates if candidate.status.ready]
        if not ready:
            raise NotInstalled(
                _nothing_ready(candidates), hint="`skilltrial demo` shows a recorded trial without any of these."
            )
        candidate = ready[0]
        why = f"the first of `skilltrial doctor` that is ready ({candidate.status.detail.rstrip('.')})"
    harness = candidate.harness
    _require_confining(harness, wanted.confinement)
    choice = HarnessChoice(
        name=harness.name,
        version=candidate.status.version,
        model=candidate.model,
        base_url=models.public_url(wanted.base_url) if wanted.base_url else None,
        args=wanted.args,
        discovery=harness.capabilities.discovery,
        sandbox=wanted.confinement.level if wanted.confinement else None,
        described=None
        if harness.name in (CLAUDE_CODE, BUILTIN)
        else harness_catalogue(wanted.env).digest(harness.name),
        why=why,
    )
    return Chosen(harness=harness, choice=choice, notices=candidate.status.notices)


def implied_harness(wanted: Wanted) -> str | None:
    """A model says its harness: vendors' names and base URLs are for the built-in agent, other names for Claude Code."""
    if wanted.model is None:
        return BUILTIN if wanted.base_url else None
    vendor = wanted.model.partition(":")[0]
    if wanted.base_url or vendor in {EMBEDDED, "openai", "anthropic"}:
        return BUILTIN
    return CLAUDE_CODE


async def _named(name: str, wanted: Wanted) -> tuple[Candidate, str]:
    if wanted.recordings:
        return await _candidate(name, wanted.model, wanted), "a replay needs no agent"
    if wanted.settings:
        why = f"asked for in {wanted.settings}" if wanted.harness else f"follows from the model in {wanted.settings}"
    else:
        why = f"asked for with --harness {name}" if wanted.harness else f"follows from --model {wanted.model}"
    if name == BUILTIN and wanted.model is not None:
        from skilltrial.adapters.llm import models

        # Asked here, since a name that says no model is a mistake of the request and not a state of this machine.
        models.model_status(wanted.model, base_url=wanted.base_url, env=wanted.env)
    if name != BUILTIN or wanted.model is not None:
        return await _candidate(name, wanted.model, wanted), why
    if wanted.base_url:
        raise SpecError("--base-url needs the name of a model.", hint="Add --model NAME.")
    for key, model in DEFAULT_MODELS.items():
        if wanted.env.get(key):
            return await _candidate(BUILTIN, model, wanted), f"{why}; the model follows from {key}"
    return await _candidate(BUILTIN, EMBEDDED, wanted), f"{why}; no key is set, so the embedded model"


async def _candidate(name: str, model: str | None, wanted: Wanted) -> Candidate:
    from skilltrial.adapters.harness.standing import standing_notices
    from skilltrial.adapters.llm import models
    from skilltrial.ports import HarnessSettings

    settings = HarnessSettings(
        model=model,
        args=wanted.args,
        env=wanted.env,
        recordings=wanted.recordings,
        confinement=wanted.confinement,
    )
    if name == BUILTIN and model is not None:
        settings = replace(
            settings,
            open_model=partial(models.open_model, model, base_url=wanted.base_url, env=wanted.env),
            model_status=partial(models.model_status, model, base_url=wanted.base_url, env=wanted.env),
        )
    elif wanted.base_url:
        settings = replace(settings, env={**wanted.env, "ANTHROPIC_BASE_URL": wanted.base_url})
    harness = _made(name, settings, wanted)
    status = await harness.probe()
    standing = standing_notices(harness.name, harness.capabilities.standing)
    return Candidate(harness=harness, model=model, status=replace(status, notices=(*status.notices, *standing)))


def _made(name: str, settings: HarnessSettings, wanted: Wanted) -> Harness:
    known = plugins.names(plugins.HARNESSES)
    if name in known:
        return plugins.load(plugins.HARNESSES, name)(settings)
    from skilltrial.adapters.harness.described import create

    catalogue = harness_catalogue(wanted.env)
    entry = catalogue.find(name)
    if entry is None or entry.descriptor is None:
        names = sorted({*known, *(entry.name for entry in catalogue.entries)})
        raise SpecError(f"there is no harness named {name!r}.", hint=f"Known: {', '.join(names)}.")
    if entry.source == "project" and wanted.settings:
        # Else two files of somebody's repository would start any program, with the keys that one of them names.
        raise SpecError(
            f"the harness {name!r} is described by the project itself ({entry.path}), and only taken from the command line.",
            where=str(wanted.settings),
            hint=f"Read that file; if you trust it, add --harness {name} (or --judge {name}, for a judge).",
        )
    return create(entry.descriptor, settings, base_url=wanted.base_url)


def _project_harnesses(start: Path) -> Path | None:
    """The nearest `.skilltrial/harnesses` at or above a folder in its repository; without one, that of the folder itself.

    Above a project may be anybody's: /tmp, for one.
    """
    above = (start, *start.parents)
    top = next((n for n, folder in enumerate(above) if (folder / ".git").exists()), 0)
    places = (folder / ".skilltrial/harnesses" for folder in above[: top + 1])
    return next((place for place in places if place.is_dir()), None)


def _require_confining(harness: Harness, confinement: Confinement | None) -> None:
    if confinement is not None and not harness.capabilities.confines:
        raise NotInstalled(
            f"{harness.name} does not run its agent in a sandbox.",
            hint="Use another --harness, or --sandbox none in a container.",
        )


def _require_ready(candidate: Candidate) -> None:
    status = candidate.status
    if status.ready:
        return
    kind = AuthFailed if status.installed else NotInstalled
    raise kind(f"{status.name} cannot start a trial: {status.detail}", hint=status.todo)


def _nothing_ready(candidates: list[Candidate]) -> str:
    lines = dict.fromkeys(f"{item.status.name}: {item.status.detail} {item.status.todo}" for item in candidates)
    return f"no agent is ready for a trial. {' '.join(lines)}"
