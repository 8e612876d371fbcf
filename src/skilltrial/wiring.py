"""Configuration -> objects. The only importer of adapters (harnesses come through their entry points).

Each function imports the adapter that it needs: a command that only reads files does not load model clients.
"""
# ruff: noqa: PLC0415 - see above

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial import plugins
from skilltrial.errors import AuthFailed, NotInstalled, SpecError

if TYPE_CHECKING:
    from skilltrial.adapters.harness.described import Catalogue, Descriptor, Entry
    from skilltrial.adapters.sandbox.selection import Sandbox
    from skilltrial.adapters.store.folder import FolderStore
    from skilltrial.adapters.workspace.revision import Revision
    from skilltrial.ports import (
        Confinement,
        Executor,
        Exporter,
        ExportFile,
        Harness,
        HarnessSettings,
        HarnessStatus,
        LanguageModel,
        Workspace,
    )
    from skilltrial.records.foreign import ForeignWorkspace
    from skilltrial.records.plan import HarnessChoice
    from skilltrial.records.trial import OutputFile

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

    name = wanted.harness or _implied(wanted)
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


def open_judge(
    spec: str, *, base_url: str | None, env: Mapping[str, str]
) -> AbstractAsyncContextManager[LanguageModel]:
    """The judge, as a context manager. A base URL is for names without a vendor; vendors have their own variables."""
    from skilltrial.adapters.llm import models

    return models.open_judge(spec, base_url=None if models.has_own_address(spec) else base_url, env=env)


def open_store(root: Path, *, write: bool) -> FolderStore:
    """A workspace on the local disk; the caller closes it."""
    from skilltrial.adapters.store.folder import FolderStore

    return FolderStore(root, write=write)


def read_foreign(path: Path, *, treatment: str | None = None, baseline: str | None = None) -> ForeignWorkspace:
    """Somebody else's workspace as it is; the names are the person's words on which arm is which.

    Raises `SpecError` where nothing is found or no arm is called so, and `StoreError` where it cannot be read.
    """
    from skilltrial.adapters.interchange import reader

    return reader.read(path, treatment=treatment, baseline=baseline)


def read_revision(
    folder: Path, ref: str, *, path: str | None, into: Path, skips: Callable[[str], bool], env: Mapping[str, str]
) -> Revision:
    """A folder of the person's repository as it was at a commit; see `adapters.workspace.revision`."""
    from skilltrial.adapters.workspace import revision

    return revision.read_revision(folder, ref, path=path, into=into, skips=skips, env=env)


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


def make_workspace(env: Mapping[str, str], confinement: Confinement | None = None) -> Workspace:
    """Fresh folders in the system's temporary folder; keys that an agent may have seen are masked in what it leaves."""
    from skilltrial.adapters.workspace.folders import FolderWorkspace
    from skilltrial.transcript.redaction import redactor, secrets_of

    described = [entry.descriptor for entry in harness_catalogue(env).entries if entry.descriptor]
    keys = {name for descriptor in described for name in descriptor.environment.keys}
    redact = redactor([*secrets_of(env), *(env[name] for name in keys if name in env)])
    return FolderWorkspace(redact=redact, isolation=confinement.isolation if confinement else "folder")


def exporter(name: str) -> Exporter:
    """The exporter of this name; `SpecError` for an unknown one."""
    return plugins.load(plugins.EXPORTERS, name)()


def copy_outputs(source: Path, into: Path, *, skip: frozenset[str] = frozenset()) -> tuple[OutputFile, ...]:
    """Copy somebody else's output files below `into`; see `adapters.interchange.copies`."""
    from skilltrial.adapters.interchange import copies

    return copies.copy_outputs(source, into, skip=skip)


def copy_file(source: Path, into: Path) -> bool:
    """Copy one regular file that somebody else wrote, following no link; whether that was possible."""
    from skilltrial.adapters.interchange import copies

    return copies.copy_file(source, into)


def write_export(folder: Path, files: Iterable[ExportFile]) -> None:
    """All files of an export below a new or empty folder, or none; raises `StoreError`."""
    from skilltrial.adapters.interchange import export_tree

    export_tree.write_export(folder, files)


def is_unfinished_export(path: Path) -> bool:
    """Whether a folder is what a killed export left."""
    from skilltrial.adapters.interchange import export_tree

    return path.match(export_tree.UNFINISHED)


def kill_agents() -> None:
    """Kill all agents of this process without asking; may be called in a signal handler."""
    from skilltrial.processes.tree import kill_running

    kill_running()


async def kill_marked(mark: str) -> int:
    """Kill every process that carries the mark of a trial; how many there were."""
    from skilltrial.processes.strays import kill_strays

    return await kill_strays(mark)


def make_executor() -> Executor:
    """Trials on this machine."""
    from skilltrial.adapters.executor.local import LocalExecutor

    return LocalExecutor()


def _implied(wanted: Wanted) -> str | None:
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
    return Candidate(harness=harness, model=model, status=await harness.probe())


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
            hint=f"Read that file; if you trust it, add --harness {name}.",
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
