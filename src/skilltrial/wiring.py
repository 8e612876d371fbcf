"""Configuration -> objects. The only importer of adapters (harnesses come through their entry points).

Each function imports the adapter that it needs: a command that only reads files does not load model clients.
"""
# ruff: noqa: PLC0415 - see above

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial import plugins
from skilltrial.errors import AuthFailed, NotInstalled, SpecError

if TYPE_CHECKING:
    from skilltrial.adapters.store.folder import FolderStore
    from skilltrial.ports import Executor, Exporter, ExportFile, Harness, HarnessStatus, LanguageModel, Workspace
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


async def survey(env: Mapping[str, str]) -> list[Candidate]:
    """What could execute trials on this machine, in the order in which it is taken."""
    wanted = Wanted(env=env)
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
        candidates = await survey(wanted.env)
        ready = [candidate for candidate in candidates if candidate.status.ready]
        if not ready:
            raise NotInstalled(
                _nothing_ready(candidates), hint="`skilltrial demo` shows a recorded trial without any of these."
            )
        candidate = ready[0]
        why = f"the first of `skilltrial doctor` that is ready ({candidate.status.detail.rstrip('.')})"
    harness = candidate.harness
    choice = HarnessChoice(
        name=harness.name,
        version=candidate.status.version,
        model=candidate.model,
        base_url=models.public_url(wanted.base_url) if wanted.base_url else None,
        args=wanted.args,
        discovery=harness.capabilities.discovery,
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


def make_workspace(env: Mapping[str, str]) -> Workspace:
    """Fresh folders in the system's temporary folder; keys that an agent may have seen are masked in what it leaves."""
    from skilltrial.adapters.workspace.folders import FolderWorkspace
    from skilltrial.transcript.redaction import redactor, secrets_of

    return FolderWorkspace(redact=redactor(secrets_of(env)))


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

    settings = HarnessSettings(model=model, args=wanted.args, env=wanted.env, recordings=wanted.recordings)
    if name == BUILTIN and model is not None:
        settings = replace(
            settings,
            open_model=partial(models.open_model, model, base_url=wanted.base_url, env=wanted.env),
            model_status=partial(models.model_status, model, base_url=wanted.base_url, env=wanted.env),
        )
    elif wanted.base_url:
        settings = replace(settings, env={**wanted.env, "ANTHROPIC_BASE_URL": wanted.base_url})
    harness: Harness = plugins.load(plugins.HARNESSES, name)(settings)
    return Candidate(harness=harness, model=model, status=await harness.probe())


def _require_ready(candidate: Candidate) -> None:
    status = candidate.status
    if status.ready:
        return
    kind = AuthFailed if status.installed else NotInstalled
    raise kind(f"{status.name} cannot start a trial: {status.detail}", hint=status.todo)


def _nothing_ready(candidates: list[Candidate]) -> str:
    lines = dict.fromkeys(f"{item.status.name}: {item.status.detail} {item.status.todo}" for item in candidates)
    return f"no agent is ready for a trial. {' '.join(lines)}"
