"""Variables, search path and MCP servers of a request, in what described programs are started with."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from skilltrial.adapters.harness.described import read_catalogue
from skilltrial.adapters.harness.described.launch import Launch, prepare
from skilltrial.ports import ToolServer, TrialRequest

TICKETS = ToolServer(name="tickets", argv=("/h/tickets", "--all"), env={"MODE": "x y"})
STARTED = ["/usr/bin/env", "MODE=x y", "/h/tickets", "--all"]


def launched(
    name: str, folder: Path, *, servers: tuple[ToolServer, ...] = (TICKETS,), resume: str | None = None
) -> Launch:
    """What a program is started with."""
    entry = read_catalogue(user=None, project=None).find(name)
    assert entry is not None
    assert entry.descriptor is not None
    request = TrialRequest(
        prompt="p",
        work=folder / "work",
        home=folder / "home",
        tmp=folder / "tmp",
        capture=folder / "capture",
        skill=None,
        model=None,
        timeout_s=9.0,
        seed=1,
        mark="m",
        env={"API_URL": "http://127.0.0.1:1", "HOME": "/elsewhere", "TZ": "UTC"},
        path=(folder / "home/.local/bin",),
        servers=servers,
        resume=resume,
    )
    person = {"PATH": "/usr/bin", "TZ": "Asia/Tokyo"}
    return prepare(entry.descriptor, request, "/opt/it", env=person, base_url=None, extra=("--mine",))


def test_variables_come_before_the_persons_and_after_what_the_harness_needs(tmp_path: Path) -> None:
    """A home that is not the trial's would be another trial."""
    env = launched("codex", tmp_path).env
    assert (env["API_URL"], env["TZ"], env["HOME"]) == ("http://127.0.0.1:1", "UTC", str(tmp_path / "home"))
    assert env["PATH"] == f"{tmp_path}/home/.local/bin:/usr/bin"


def test_codex_gets_servers_on_its_command_line(tmp_path: Path) -> None:
    """As TOML, before arguments of the person's."""
    argv = launched("codex", tmp_path).argv
    told = next(one for one in argv if one.startswith("mcp_servers."))
    assert tomllib.loads(told) == {"mcp_servers": {"tickets": {"command": STARTED[0], "args": STARTED[1:]}}}
    assert argv.index(told) < argv.index("--mine")


@pytest.mark.parametrize(
    ("name", "file", "key"),
    [
        ("gemini-cli", ".gemini/settings.json", "mcpServers"),
        ("qwen-code", ".qwen/settings.json", "mcpServers"),
        ("opencode", ".config/opencode/opencode.json", "mcp"),
        ("copilot-cli", ".copilot/mcp-config.json", "mcpServers"),
        ("kimi-code", ".kimi-code/mcp.json", "mcpServers"),
    ],
)
def test_others_get_servers_in_a_file(name: str, file: str, key: str, tmp_path: Path) -> None:
    """Beside what stands there without them."""
    launched(name, tmp_path / "a", servers=())
    launched(name, tmp_path / "b")
    without, with_servers = (tmp_path / each / "home" / file for each in "ab")
    told = json.loads(with_servers.read_text())
    server = told.pop(key)["tickets"]
    command = server["command"] if isinstance(server["command"], list) else [server["command"], *server["args"]]
    assert command == STARTED
    assert told == (json.loads(without.read_text()) if without.exists() else {})


def test_vibe_gets_servers_behind_its_settings(tmp_path: Path) -> None:
    """Its file is no JSON: each server is a table more."""
    launched("mistral-vibe", tmp_path)
    told = tomllib.loads((tmp_path / "home/.vibe/config.toml").read_text())
    assert told["mcp_servers"] == [
        {"name": "tickets", "transport": "stdio", "command": STARTED[0], "args": STARTED[1:]}
    ]


@pytest.mark.parametrize("at", ["file", "folder"])
def test_links_that_the_agent_left_are_not_written_through(tmp_path: Path, at: str) -> None:
    """Before a later message: what writes there is outside of the agent's sandbox. A file's link gives way to the file."""
    launched("gemini-cli", tmp_path)
    settings, mine = tmp_path / "home/.gemini/settings.json", tmp_path / "mine/settings.json"
    mine.parent.mkdir()
    mine.write_text("{}")
    if at == "file":
        settings.unlink()
        settings.symlink_to(mine)
    else:
        settings.parent.rename(tmp_path / "home/aside")
        settings.parent.symlink_to(mine.parent)
    if at == "folder":
        with pytest.raises(NotADirectoryError):
            launched("gemini-cli", tmp_path, resume="s")
    else:
        launched("gemini-cli", tmp_path, resume="s")
        assert "tickets" in settings.read_text()
        assert not settings.is_symlink()
    assert mine.read_text() == "{}"
