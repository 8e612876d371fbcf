"""Stores, workspaces, executors: what a run is done with."""
# ruff: noqa: PLC0415 - a command that only reads files does not load model clients

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial.wiring.harnesses import harness_catalogue

if TYPE_CHECKING:
    from skilltrial.adapters.store.folder import FolderStore
    from skilltrial.adapters.workspace.codebase import CodebaseCopy
    from skilltrial.adapters.workspace.revision import Revision
    from skilltrial.adapters.workspace.scratch import Scratch
    from skilltrial.ports import Boundary, Confinement, Executor, Workspace
    from skilltrial.records.suite import Codebase


def open_store(root: Path, *, write: bool, durable: bool = True) -> FolderStore:
    """A workspace on the local disk; the caller closes it. Not `durable`: what is written need not outlive a crash."""
    from skilltrial.adapters.store.folder import FolderStore

    return FolderStore(root, write=write, durable=durable)


def read_revision(
    folder: Path, ref: str, *, path: str | None, into: Path, skips: Callable[[str], bool], env: Mapping[str, str]
) -> Revision:
    """A folder of the person's repository as it was at a commit; see `adapters.workspace.revision`."""
    from skilltrial.adapters.workspace import revision

    return revision.read_revision(folder, ref, path=path, into=into, skips=skips, env=env)


def copy_codebase(
    what: Codebase,
    *,
    beside: Path,
    hidden: Sequence[Path],
    skill_names: frozenset[str],
    into: Path,
    scratch: Path,
    env: Mapping[str, str],
) -> CodebaseCopy:
    """The files of a repository or folder for agents to work in; see `adapters.workspace.codebase`."""
    from skilltrial.adapters.workspace import codebase

    source = codebase.CodebaseSource(codebase=what, beside=beside, hidden=hidden, skill_names=skill_names)
    return codebase.copy_codebase(source, into=into, scratch=scratch, env=env)


def make_scratch() -> Scratch:
    """A temporary folder; the caller removes it, or the next start does."""
    from skilltrial.adapters.workspace.scratch import Scratch

    return Scratch()


def make_workspace(env: Mapping[str, str], confinement: Confinement | None = None) -> Workspace:
    """Fresh folders in the system's temporary folder; keys that an agent may have seen are masked in what it leaves."""
    from skilltrial.adapters.workspace.folders import FolderWorkspace

    return FolderWorkspace(redact=_redact(env), isolation=confinement.isolation if confinement else "folder")


def make_boundary(env: Mapping[str, str]) -> Boundary:
    """Doubles on this machine; keys are masked in what they record."""
    from skilltrial.adapters.doubles.boundary import LocalBoundary

    return LocalBoundary(env, redact=_redact(env))


def _redact(env: Mapping[str, str]) -> Callable[[bytes], bytes]:
    from skilltrial.transcript.redaction import redactor, secrets_of

    described = [entry.descriptor for entry in harness_catalogue(env).entries if entry.descriptor]
    keys = {name for descriptor in described for name in descriptor.environment.keys}
    return redactor([*secrets_of(env), *(env[name] for name in keys if name in env)])


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
