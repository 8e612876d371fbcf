"""What Claude Code is started with: the same in both arms, and nothing of the person's own set-up but a login."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from skilltrial.adapters.harness.search_path import DEFAULT_PATH, neutral_path
from skilltrial.ports import TrialRequest
from skilltrial.transcript.redaction import secrets_of

BINARY = "SKILLTRIAL_CLAUDE"
"""A variable of the person's that names the program, where `claude` on PATH is not the right one."""

_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_ADDRESSES = ("ANTHROPIC_BASE_URL", "HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy")
_CARRIED = (*_KEYS, *_ADDRESSES, "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
_PLAIN = ("LC_ALL", "LC_CTYPE", "TZ", "SHELL", "USER", "LOGNAME")
_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
_ALIKE = {
    "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_MAX_RETRIES": "3",
}
_FLAGS = (
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--setting-sources",
    "project",
    "--strict-mcp-config",
    "--permission-mode",
    "bypassPermissions",
)
_SKILLS_OF_THE_PROGRAM = ("plugin-authoring", "doctor")
"""Those that switching the bundled skills off leaves on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How the program will show who it is. `carried`: in the person's own config folder, which then has to stay."""

    kind: Literal["key", "carried", "none"]
    detail: str


def find_login(env: Mapping[str, str]) -> Login:
    """The login that a person's environment has; no secret is read."""
    for name in _KEYS:
        if env.get(name):
            return Login(kind="key", detail=f"{name} is set")
    config = Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME", "")) / ".claude")
    if (config / ".credentials.json").is_file():
        return Login(kind="carried", detail="a login of `claude` was found")
    return Login(kind="none", detail="no key and no login")


def standing(env: Mapping[str, str], args: tuple[str, ...]) -> tuple[str, ...]:
    """Where it takes settings and skills from whatever its folders: an organisation's, and a person's own where asked for."""
    places = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"]
    sources = ",".join(after for name, after in pairwise(args) if name == "--setting-sources")
    if find_login(env).kind == "carried" and "user" in sources.split(","):
        places.append(env.get("CLAUDE_CONFIG_DIR") or str(Path(env.get("HOME", "")) / ".claude"))
    return tuple(places)


def find_program(env: Mapping[str, str]) -> str | None:
    """The program's path, or None."""
    return shutil.which(env.get(BINARY) or "claude", path=env.get("PATH", DEFAULT_PATH))


def secrets(env: Mapping[str, str]) -> list[str]:
    """The values that must not be written anywhere: the agent may look for any key of the person's in other processes."""
    passwords = [urlsplit(env[name]).password for name in _ADDRESSES if "@" in env.get(name, "")]
    return [*secrets_of(env), *(password for password in passwords if password)]


def environment(env: Mapping[str, str], request: TrialRequest, login: Login) -> dict[str, str]:
    """The program's whole environment, made from an allow-list; the request's own variables come before the person's."""
    made = {name: env[name] for name in (*_PLAIN, *_CARRIED) if env.get(name)} | dict(request.env)
    made |= {"PATH": neutral_path(env, first=request.path), "LANG": env.get("LANG") or "C.UTF-8", **_QUIET, **_ALIKE}
    made |= {"TMPDIR": str(request.tmp), "CLAUDE_CODE_TMPDIR": str(request.tmp)}
    if login.kind == "carried":
        made |= {name: env[name] for name in ("HOME", "CLAUDE_CONFIG_DIR") if env.get(name)}
    else:
        made |= {"HOME": str(request.home), "CLAUDE_CONFIG_DIR": str(request.home / ".claude")}
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        made["IS_SANDBOX"] = "1"  # as root it refuses to go without questions, unless told that it is safe
    return made


def arguments(program: str, request: TrialRequest, login: Login, extra: tuple[str, ...]) -> tuple[str, ...]:
    """The command line. The prompt is no part of it: it goes to stdin."""
    ours = request.skill.name if request.skill else None
    overrides = {name: "off" for name in _SKILLS_OF_THE_PROGRAM if name != ours}
    new = uuid.UUID(bytes=hashlib.sha256(request.mark.encode()).digest()[:16], version=4)
    session = ["--resume", request.resume] if request.resume else ["--session-id", str(new)]
    servers = ["--mcp-config", _servers(request)] if request.servers else []
    argv = [program, *_FLAGS, *servers, *session, "--settings", json.dumps({"skillOverrides": overrides})]
    argv += ["--model", request.model] if request.model else []
    argv += ["--no-session-persistence"] if login.kind == "carried" else []  # leaves nothing in the person's folder
    return (*argv, *extra)


def _servers(request: TrialRequest) -> str:
    """With `--strict-mcp-config` these are all that there are."""
    told = {one.name: {"command": one.argv[0], "args": one.argv[1:], "env": dict(one.env)} for one in request.servers}
    return json.dumps({"mcpServers": told})
