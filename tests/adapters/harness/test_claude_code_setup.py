"""What Claude Code is started with, and what `probe` finds."""

from __future__ import annotations

import json
import os
import tracemalloc
import uuid
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skilltrial.adapters.harness.claude_code import create
from skilltrial.adapters.harness.claude_code_setup import arguments, environment, find_login, secrets
from skilltrial.errors import NotInstalled
from skilltrial.ports import HarnessSettings, HarnessStatus, PlacedSkill, ToolServer, TrialRequest

PERSON = {
    "PATH": "/usr/bin:/home/me/skilltrial/.venv/bin:/bin",
    "HOME": "/home/me",
    "LANG": "de_DE.UTF-8",
    "ANTHROPIC_API_KEY": "sk-ant-0123456789",
    "ANTHROPIC_MODEL": "claude-mine",
    "CLAUDECODE": "1",
    "CLAUDE_CODE_ENTRYPOINT": "cli",
    "HTTPS_PROXY": "http://me:pass-word-1@proxy:8080",
    "AWS_SECRET_ACCESS_KEY": "aws",
    "GITHUB_TOKEN": "gh",
    "SKILLTRIAL_CLAUDE": "/opt/claude",
}


@pytest.fixture
def request_(tmp_path: Path) -> TrialRequest:
    """A request without a skill."""
    return TrialRequest(
        prompt="p",
        work=tmp_path / "work",
        home=tmp_path / "home",
        tmp=tmp_path / "tmp",
        capture=tmp_path / "capture",
        skill=None,
        model=None,
        timeout_s=9.0,
        seed=1,
        mark="m" * 32,
    )


def made(request: TrialRequest, **changes: str) -> dict[str, str]:
    """The environment that is made from the person's."""
    env = {**PERSON, **changes}
    return environment(env, request, find_login(env))


def test_the_environment_is_an_allow_list(request_: TrialRequest) -> None:
    """Names that may be there; nothing else of the person's, and of other sessions."""
    names = set(made(request_)) - {"IS_SANDBOX"}
    assert names == {
        "ANTHROPIC_API_KEY",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS",
        "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CLAUDE_CODE_MAX_RETRIES",
        "CLAUDE_CODE_TMPDIR",
        "CLAUDE_CONFIG_DIR",
        "DISABLE_AUTOUPDATER",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_TELEMETRY",
        "HOME",
        "HTTPS_PROXY",
        "LANG",
        "PATH",
        "TMPDIR",
    }


def test_nothing_in_it_says_what_is_going_on(request_: TrialRequest) -> None:
    """No value names this program, not even through PATH."""
    env = made(request_)
    assert env["PATH"] == "/usr/bin:/bin"
    assert "skilltrial" not in " ".join([*env, *env.values()]).lower()


def test_home_config_and_temporary_folders_are_the_trials(request_: TrialRequest) -> None:
    """All fresh."""
    env = made(request_)
    assert env["HOME"] == str(request_.home)
    assert env["CLAUDE_CONFIG_DIR"] == str(request_.home / ".claude")
    assert env["TMPDIR"] == env["CLAUDE_CODE_TMPDIR"] == str(request_.tmp)


def test_is_sandbox_is_for_root_only(request_: TrialRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program refuses to run as root without it; nobody else needs it."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "IS_SANDBOX" not in made(request_)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert made(request_)["IS_SANDBOX"] == "1"


def test_a_login_without_a_key_keeps_its_place(request_: TrialRequest, tmp_path: Path) -> None:
    """A subscription lives in the person's config folder: HOME stays, and nothing is stored there."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / ".credentials.json").write_text("{}")
    env = {"HOME": str(tmp_path), "PATH": "/bin"}
    login = find_login(env)
    assert login.kind == "carried"
    made_env = environment(env, request_, login)
    assert made_env["HOME"] == str(tmp_path)
    assert "CLAUDE_CONFIG_DIR" not in made_env
    assert "--no-session-persistence" in arguments("claude", request_, login, ())


def test_a_key_wins_over_a_stored_login(tmp_path: Path) -> None:
    """Then everything can be fresh."""
    (tmp_path / ".credentials.json").write_text("{}")
    env = {"HOME": "/home/me", "CLAUDE_CONFIG_DIR": str(tmp_path)}
    assert find_login(env).kind == "carried"
    assert find_login({**env, "ANTHROPIC_AUTH_TOKEN": "t"}).kind == "key"
    assert find_login({"HOME": "/home/me"}).kind == "none"


def test_secrets_are_the_keys_and_the_proxys_password() -> None:
    """Those of other programs too: the agent may look into the environment of the process above it."""
    assert secrets(PERSON) == ["sk-ant-0123456789", "aws", "gh", "pass-word-1"]


def test_the_command_line(request_: TrialRequest) -> None:
    """The same in both arms; the person's own arguments come last."""
    login = find_login(PERSON)
    argv = arguments("claude", request_, login, ("--max-turns", "9"))
    session = argv[argv.index("--session-id") + 1]
    assert uuid.UUID(session).version == 4
    assert argv == (
        "claude",
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--setting-sources",
        "project",
        "--strict-mcp-config",
        "--permission-mode",
        "bypassPermissions",
        "--session-id",
        session,
        "--settings",
        '{"skillOverrides": {"plugin-authoring": "off", "doctor": "off"}}',
        "--max-turns",
        "9",
    )
    skill = PlacedSkill(name="csv-report", description="", folder=request_.work)
    assert arguments("claude", replace(request_, skill=skill), login, ("--max-turns", "9")) == argv


def test_what_the_request_brings(request_: TrialRequest) -> None:
    """Variables before the person's, folders first on the path, servers as the only ones."""
    env = {"LANG": "C", "HTTPS_PROXY": "http://other:1", "HOME": "/elsewhere"}
    server = ToolServer(name="tickets", argv=("/h/tickets", "-v"), env={"A": "1"})
    request = replace(request_, env=env, path=(Path("/h/bin"),), servers=(server,))
    told = environment(PERSON, request, find_login(PERSON))
    assert (told["HTTPS_PROXY"], told["HOME"]) == ("http://other:1", str(request_.home))
    assert told["PATH"] == "/h/bin:/usr/bin:/bin"
    argv = arguments("claude", request, find_login(PERSON), ())
    assert json.loads(argv[argv.index("--mcp-config") + 1]) == {
        "mcpServers": {"tickets": {"command": "/h/tickets", "args": ["-v"], "env": {"A": "1"}}}
    }
    assert "--strict-mcp-config" in argv


def test_fakes_are_not_first_in_the_shell_of_a_carried_login(tmp_path: Path) -> None:
    """It reads the person's own files."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/.credentials.json").touch()
    person = {"PATH": "/usr/bin", "HOME": str(tmp_path)}
    assert not create(HarnessSettings(env=person)).capabilities.takes_path
    assert create(HarnessSettings(env={**person, "ANTHROPIC_API_KEY": "k"})).capabilities.takes_path


def test_a_model_is_passed_on(request_: TrialRequest) -> None:
    """Only where one is asked for."""
    argv = arguments("claude", replace(request_, model="sonnet"), find_login(PERSON), ())
    assert argv[-2:] == ("--model", "sonnet")


def test_a_skill_is_not_switched_off_by_its_own_name(request_: TrialRequest) -> None:
    """A skill under trial may be called like one of the program's."""
    skill = PlacedSkill(name="doctor", description="", folder=request_.work)
    argv = arguments("claude", replace(request_, skill=skill), find_login(PERSON), ())
    assert json.loads(argv[argv.index("--settings") + 1]) == {"skillOverrides": {"plugin-authoring": "off"}}


def program(folder: Path, script: str) -> str:
    """A stand-in for the program; returns its path."""
    path = folder / "claude"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def probe(**env: str) -> HarnessStatus:
    """What `probe` says in an environment."""
    return anyio.run(create(HarnessSettings(env=env)).probe)


def test_probe_without_the_program(tmp_path: Path) -> None:
    """It says what is missing and how to get it."""
    status = probe(PATH=str(tmp_path))
    assert (status.installed, status.ready) == (False, False)
    assert "npm install" in status.todo


def test_probe_with_program_and_key(tmp_path: Path) -> None:
    """Version and login; the key itself is not shown."""
    program(tmp_path, "echo '2.1.332 (Claude Code)'")
    status = probe(PATH=f"{tmp_path}:/bin", ANTHROPIC_API_KEY="sk-ant-0123456789")
    assert (status.installed, status.ready, status.version) == (True, True, "2.1.332")
    assert "sk-ant" not in repr(status)


def test_probe_without_a_login(tmp_path: Path) -> None:
    """Installed, but not ready, with the next step."""
    status = probe(SKILLTRIAL_CLAUDE=program(tmp_path, "echo '2.1.332 (Claude Code)'"), PATH="/bin", HOME=str(tmp_path))
    assert (status.installed, status.ready) == (True, False)
    assert "ANTHROPIC_API_KEY" in status.todo


def test_probe_of_a_carried_login_has_a_notice(tmp_path: Path) -> None:
    """Every report has to say that HOME was not fresh."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / ".credentials.json").write_text("{}")
    status = probe(SKILLTRIAL_CLAUDE=program(tmp_path, "echo 2.1.332"), PATH="/bin", HOME=str(tmp_path))
    assert status.ready
    assert len(status.notices) == 1


@pytest.mark.parametrize("script", ["exit 3", "echo no version here", "echo 1.2.3; exit 1"])
def test_probe_of_a_broken_program(tmp_path: Path, script: str) -> None:
    """It is there, and cannot be used."""
    status = probe(SKILLTRIAL_CLAUDE=program(tmp_path, script), PATH="/bin", ANTHROPIC_API_KEY="sk-ant-0123456789")
    assert (status.installed, status.ready, status.version) == (True, False, None)


def test_probe_of_a_program_that_never_stops_talking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended at the time limit, and what it says does not fill the memory."""
    monkeypatch.setattr("skilltrial.adapters.harness.claude_code._VERSION_S", 1.0)
    endless = program(tmp_path, "echo 2.1.332; exec yes")
    tracemalloc.start()
    try:
        status = probe(SKILLTRIAL_CLAUDE=endless, PATH=os.defpath)
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (status.ready, status.version) == (False, None)
    assert peak < 8_000_000


def test_run_without_the_program_is_not_installed(request_: TrialRequest, tmp_path: Path) -> None:
    """The one error that a run raises."""
    with pytest.raises(NotInstalled, match="no program 'claude'"):
        anyio.run(create(HarnessSettings(env={"PATH": str(tmp_path)})).run, request_)
