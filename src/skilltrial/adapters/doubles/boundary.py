"""Doubles of a trial on this machine: fake commands and MCP servers behind named pipes, HTTP stubs on loopback."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread

from skilltrial.adapters.doubles import relay
from skilltrial.adapters.doubles.channel import Channel
from skilltrial.adapters.doubles.command_stub import CommandStub
from skilltrial.adapters.doubles.http_stub import HttpStub
from skilltrial.adapters.doubles.mcp_stub import McpStub
from skilltrial.adapters.doubles.playbook import Playbook
from skilltrial.ports import StandIns, ToolServer, TrialFolders
from skilltrial.records.doubles import Doubles

_PROGRAMS, _SERVERS, _CHANNEL = ".local/bin", ".local/libexec", ".local/run"
_LOGIN_FILES = (".profile", ".bash_profile", ".zprofile")
_LOGIN = 'PATH="$HOME/.local/bin:$PATH"\nexport PATH\n'
"""A login shell begins with the system's own search path."""
_PROXIES = ("HTTP_PROXY", "http_proxy")
_DIRECT = ("NO_PROXY", "no_proxy")


class LocalBoundary:
    """Satisfies `ports.Boundary`. `env` is the person's environment, of which it takes what is reached without a proxy."""

    def __init__(self, env: Mapping[str, str], *, redact: Callable[[bytes], bytes] = bytes) -> None:
        self._env, self._redact = env, redact

    @asynccontextmanager
    async def open(self, doubles: Doubles, folders: TrialFolders) -> AsyncGenerator[StandIns]:
        """Put the doubles up, and take them down on leaving."""
        playbook = Playbook(self._redact)
        failure: Exception | None = None
        stubs: list[HttpStub] = []
        try:
            async with anyio.create_task_group() as group:
                channel = Channel(folders.home / _CHANNEL)
                servers = _programs(doubles, folders, channel, playbook)
                if doubles.commands or doubles.mcp:
                    await group.start(channel.serve)
                stubs += [HttpStub(double, playbook) for double in doubles.http]
                try:
                    yield StandIns(
                        env=self._variables(stubs),
                        path=(folders.home / _PROGRAMS,) if doubles.commands else (),
                        servers=servers,
                        calls=playbook.calls,
                    )
                except Exception as error:  # noqa: BLE001 - raised again below, not in a group of one
                    failure = error
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(_stop, stubs)
        if failure is not None:
            raise failure

    def _variables(self, stubs: list[HttpStub]) -> dict[str, str]:
        made = {stub.double.env: stub.address for stub in stubs}
        if stubs and any(self._env.get(name) for name in _PROXIES):
            known = next((self._env[name] for name in _DIRECT if self._env.get(name)), "")
            made |= dict.fromkeys(_DIRECT, f"{known},127.0.0.1".lstrip(","))
        return made


def _programs(doubles: Doubles, folders: TrialFolders, channel: Channel, playbook: Playbook) -> tuple[ToolServer, ...]:
    """Write the programs that stand in the trial's home, each with a handler behind it."""
    within = tuple(Path(os.path.realpath(folder)) for folder in (folders.work, folders.home, folders.tmp))
    for command in doubles.commands:
        token = secrets.token_hex(8)
        text = relay.command(channel.folder, token, reads_stdin=command.reads_stdin)
        _install(folders.home / _PROGRAMS / command.name, text)
        channel.handlers[token] = CommandStub(command, playbook, folders=within).serve
    if doubles.commands:
        for name in _LOGIN_FILES:
            (folders.home / name).write_text(_LOGIN, encoding="utf-8")
    servers: list[ToolServer] = []
    for server in doubles.mcp:
        token = secrets.token_hex(8)
        program = folders.home / _SERVERS / server.name
        _install(program, relay.stream(channel.folder, token))
        channel.handlers[token] = McpStub(server, playbook, folders=within).serve
        servers.append(ToolServer(name=server.name, argv=(str(program),)))
    return tuple(servers)


def _install(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def _stop(stubs: list[HttpStub]) -> None:
    for stub in stubs:
        stub.stop()
