"""The embedded model: a small model in a process of our own, spoken to like any other.

It acts; it does not judge. Measured on 40 pairs it judges at chance, so `models.open_judge` refuses it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from skilltrial.adapters.llm.model_file import (
    INSTALL_HINT,
    N_PARTS,
    ModelFile,
    joined_file,
    own_file,
    part_files,
    prepare_model_file,
)
from skilltrial.errors import Crashed, NotInstalled
from skilltrial.ports import ChatModel

ENGINE = "xllamacpp"
CONTEXT_TOKENS = 8192
MAX_TOKENS = 512
TEMPERATURE = 0.5
"""Repeats differ, and a small model still keeps to its task."""

NOTICE = (
    "Runs by a small local model (Qwen2.5-Coder-1.5B). It can follow short format rules; it is far weaker than the agents "
    "your skill is for, and gets facts wrong. Use an agent of your own before you draw conclusions about the skill."
)
"""Every report on its trials shows this."""

_SYSTEM_VARIABLES = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedStatus:
    """What is there of the embedded model, found without loading anything."""

    engine: str | None
    """The engine's version."""
    n_parts: int
    file: Path | None
    """The person's own file, or the joined one; None where it is not joined yet."""

    @property
    def ready(self) -> bool:
        """The engine is there, and a file or all its parts."""
        return self.engine is not None and (self.file is not None or self.n_parts == N_PARTS)

    @property
    def detail(self) -> str:
        """One sentence for people."""
        if self.engine is None:
            return f"the engine {ENGINE} is not installed."
        if self.file is not None:
            return f"{ENGINE} {self.engine}, model file {str(self.file)!r}."
        if self.n_parts == N_PARTS:
            return f"{ENGINE} {self.engine}, all {N_PARTS} parts of the model (joined at the first use)."
        return f"{ENGINE} {self.engine}, but only {self.n_parts} of {N_PARTS} parts of the model."

    @property
    def todo(self) -> str:
        """The next step where it is not ready."""
        return "" if self.ready else INSTALL_HINT


def embedded_status(env: Mapping[str, str]) -> EmbeddedStatus:
    """What is there; SpecError where the person's own path is not a file."""
    file = own_file(env)
    if file is None and joined_file(env).is_file():
        file = joined_file(env)
    return EmbeddedStatus(engine=_engine_version(), n_parts=len(part_files()), file=file)


@asynccontextmanager
async def open_embedded(env: Mapping[str, str]) -> AsyncGenerator[ChatModel]:
    """Starts the model's process, and ends it on leaving.

    Raises `NotInstalled`, `StoreError` or `SpecError` for the file, `Crashed` where the engine does not come up.
    """
    engine = _engine_version()
    if engine is None:
        raise NotInstalled(f"the engine of the embedded model, {ENGINE}, is not installed.", hint=INSTALL_HINT)
    file = await anyio.to_thread.run_sync(prepare_model_file, env)
    threads = physical_cores()
    with tempfile.TemporaryFile() as log:
        process, url, key = await _start(file, threads, env, log)
        try:
            from skilltrial.adapters.llm.clients import local_model  # noqa: PLC0415 - a second of imports

            async with local_model(
                file.name, base_url=url, key=key, temperature=TEMPERATURE, max_tokens=MAX_TOKENS
            ) as client:
                yield ChatModel(
                    client=client,
                    name=file.name,
                    mode="schema",
                    facts={
                        "model_file": file.path.name,
                        "model_sha256": file.sha256,
                        "engine": f"{ENGINE} {engine}",
                        "threads": str(threads),
                        "context_tokens": str(CONTEXT_TOKENS),
                        "temperature": str(TEMPERATURE),
                    },
                )
        finally:
            await _stop(process)


def physical_cores() -> int:
    """Cores without their second threads, as far as the system tells; those that this process may use at most."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pairs: set[tuple[str, str]] = set()
    for topology in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology"):
        with suppress(OSError):
            package = (topology / "physical_package_id").read_text(encoding="ascii")
            pairs.add((package, (topology / "core_id").read_text(encoding="ascii")))
    return max(1, min(usable, len(pairs) or usable))


def _engine_version() -> str | None:
    if importlib.util.find_spec(ENGINE) is None:
        return None
    try:
        return version(ENGINE)
    except PackageNotFoundError:
        return "unknown"


async def _start(file: ModelFile, threads: int, env: Mapping[str, str], log: IO[bytes]) -> tuple[Process, str, str]:
    command = [sys.executable, "-m", "skilltrial.adapters.llm.embedded_server", str(file.path)]
    command += ["--threads", str(threads), "--context", str(CONTEXT_TOKENS)]
    process = await anyio.open_process(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env={name: env[name] for name in _SYSTEM_VARIABLES if name in env},
        start_new_session=True,
    )
    key = secrets.token_hex(16)
    try:
        return process, await _handshake(process, key), key
    except (ValueError, KeyError, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
        await _stop(process)
        log.seek(0)
        said = log.read()[-800:].decode("utf-8", "replace").strip() or "nothing on stderr"
        raise Crashed(
            f"the embedded model did not start (exit code {process.returncode}): {said}",
            where=str(file.path),
            hint="Is it a whole GGUF file, and is there enough memory (2 GB)?",
        ) from error
    except BaseException:
        await _stop(process)
        raise


async def _handshake(process: Process, key: str) -> str:
    assert process.stdin is not None  # noqa: S101 - opened with pipes above
    assert process.stdout is not None  # noqa: S101 - likewise
    await process.stdin.send(f"{key}\n".encode())
    line = await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 4096)
    return str(json.loads(line)["url"])


async def _stop(process: Process) -> None:
    with anyio.CancelScope(shield=True):
        with suppress(ProcessLookupError):
            process.kill()
        await process.aclose()
