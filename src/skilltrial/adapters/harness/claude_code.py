"""Claude Code, the real command line, driven without a person."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.to_thread

from skilltrial.adapters.harness.claude_code_outcome import ending
from skilltrial.adapters.harness.claude_code_setup import (
    BINARY,
    Login,
    arguments,
    environment,
    find_login,
    find_program,
    secrets,
    standing,
)
from skilltrial.adapters.harness.decisive import UntilReached
from skilltrial.adapters.harness.described.side_files import read_files
from skilltrial.adapters.harness.process import GENTLE, confined, run_command
from skilltrial.adapters.harness.result import result_of
from skilltrial.errors import NotInstalled
from skilltrial.ports import Capabilities, Confinement, Harness, HarnessSettings, HarnessStatus, TrialRequest
from skilltrial.processes.tree import Command, Ended, Head, run_tree
from skilltrial.records.events import SessionStarted
from skilltrial.records.layout import STDERR
from skilltrial.records.trial import HarnessResult, SkillEvidence
from skilltrial.transcript.claude_code import ParsedStream, listing_in, parse
from skilltrial.transcript.evidence import skill_evidence
from skilltrial.transcript.redaction import redactor
from skilltrial.transcript.session import session_in

_STREAM = "stream.jsonl"
_GRACE_S = 10.0
"""After its result the program has this long to end by itself."""
_VERSION_S = 60.0
_VERSION_BYTES = 4096
_STDERR_CHARS = 2000
_LISTING_CHARS = 1_000_000
_SKILL_TOOLS = ("Skill",)
_SESSIONS = ".claude/projects/*/*.jsonl"
"""In its home; where the login is the person's it writes none."""
_INSTALL = "Install it (npm install -g @anthropic-ai/claude-code), or name the program in " + BINARY + "."


def create(settings: HarnessSettings) -> Harness:
    """The harness `claude-code`."""
    return ClaudeCode(settings)


class ClaudeCode:
    """Runs `claude -p`, one process a trial; nothing is shared between trials."""

    def __init__(self, settings: HarnessSettings) -> None:
        self._settings = settings
        self._redact = redactor(secrets(settings.env))

    @property
    def name(self) -> str:
        """`claude-code`."""
        return "claude-code"

    @property
    def capabilities(self) -> Capabilities:
        """It finds project skills by itself, and its stream shows when one is loaded.

        With the login in the person's own config folder no session is kept there, to go on with.
        """
        return Capabilities(
            skill_root=".claude/skills",
            discovery="natural",
            stream_name=_STREAM,
            tells_denials=True,
            shows_answers=True,
            standing=standing(self._settings.env, self._settings.args),
            confines=True,
            finds_siblings=True,
            takes_environment=True,
            takes_servers=True,
            takes_path=find_login(self._settings.env).kind != "carried",
            resumes=find_login(self._settings.env).kind != "carried",
        )

    async def probe(self) -> HarnessStatus:
        """Look for the program, ask for its version, look for a login."""
        env = self._settings.env
        program = await anyio.to_thread.run_sync(find_program, env)
        if program is None:
            detail = f"there is no program {env.get(BINARY) or 'claude'!r}."
            return HarnessStatus(name=self.name, installed=False, ready=False, detail=detail, todo=_INSTALL)
        confinement = self._settings.confinement
        version = await _version(program, {name: env[name] for name in ("PATH", "HOME") if name in env}, confinement)
        if version is None:
            where = f" in the sandbox {confinement.level}" if confinement else ""
            detail = f"{program!r} does not tell its version{where}."
            todo = f"Run {program} --version and see what is wrong."
            return HarnessStatus(name=self.name, installed=True, ready=False, detail=detail, todo=todo)
        login = find_login(env)
        if confinement and login.kind == "carried":
            detail = "the login of `claude` lies in the person's home, which the sandbox keeps out of reach."
            todo = "Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN from `claude setup-token`."
            return HarnessStatus(name=self.name, installed=True, ready=False, version=version, detail=detail, todo=todo)
        return HarnessStatus(
            name=self.name,
            installed=True,
            ready=login.kind != "none",
            version=version,
            detail=f"version {version}; {login.detail}.",
            todo="" if login.kind != "none" else "Set ANTHROPIC_API_KEY, or run claude and log in.",
            notices=_notices(login),
        )

    async def run(self, request: TrialRequest) -> HarnessResult:
        """Execute one request from start to end."""
        env = self._settings.env
        login = find_login(env)
        program = find_program(env)
        if program is None:
            raise NotInstalled(f"there is no program {env.get(BINARY) or 'claude'!r}.", hint=_INSTALL)
        command = Command(
            argv=arguments(program, request, login, self._settings.args),
            cwd=request.work,
            env=environment(env, request, login),
            stdin=request.prompt.encode("utf-8", "replace"),
            timeout_s=request.timeout_s,
            mark=request.mark,
            gentle=GENTLE,
        )
        command = confined(command, self._settings.confinement, writable=(request.work, request.home, request.tmp))
        stdout, stderr = request.capture / _STREAM, request.capture / STDERR
        watch = _Watch()
        until = UntilReached(watch, names=_names(request), reached=partial(_reached, request))
        following = until if request.until_loaded else watch
        try:
            ended = await run_command(command, stdout=stdout, stderr=stderr, watch=following, redact=self._redact)
        except (FileNotFoundError, PermissionError) as error:
            if error.filename != program:
                raise
            raise NotInstalled(f"{program!r} cannot be run: {error.strerror}.", hint=_INSTALL) from error
        return await anyio.to_thread.run_sync(partial(_result, request, ended, watch, login, redact=self._redact))

    async def aclose(self) -> None:
        """Nothing is kept open."""


class _Watch:
    """Sees the end coming: the result of the run, or a key that is refused."""

    def __init__(self) -> None:
        self.refused = False

    def __call__(self, line: bytes) -> float | None:
        if b'"api_retry"' not in line and b'"result"' not in line:
            return None
        try:
            row: Any = json.loads(line)
        except (ValueError, RecursionError):
            return None
        fields = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
        if fields.get("type") == "result":
            return _GRACE_S
        if fields.get("subtype") == "api_retry" and fields.get("error") == "authentication_failed":
            self.refused = True  # it would go on for minutes
            return 0.0
        return None


def _parsed(request: TrialRequest) -> ParsedStream:
    with (request.capture / _STREAM).open(encoding="utf-8", errors="replace", newline="\n") as lines:
        return parse(lines, prompt=request.prompt, resumed=request.resume is not None)


def _names(request: TrialRequest) -> tuple[str, ...]:
    return (request.skill.name, request.skill.folder.name) if request.skill else ()


def _reached(request: TrialRequest) -> bool:
    return _evidence(request, _parsed(request)).reached is True


def _result(
    request: TrialRequest, ended: Ended, watch: _Watch, login: Login, *, redact: Callable[[bytes], bytes]
) -> HarnessResult:
    parsed = _with_listing(_parsed(request), request, redact)
    with (request.capture / _STREAM).open(encoding="utf-8", errors="replace", newline="\n") as lines:
        session = None if login.kind == "carried" else session_in(lines, "session_id")
    with (request.capture / STDERR).open(encoding="utf-8", errors="replace") as file:
        stderr = file.read(_STDERR_CHARS)
    return result_of(
        parsed,
        ended,
        ending(ended, parsed, refused=watch.refused, timeout_s=request.timeout_s, stderr=stderr),
        evidence=_evidence(request, parsed),
        session=session,
        facts=_facts(login, parsed),
        until_loaded=request.until_loaded,
    )


def _with_listing(parsed: ParsedStream, request: TrialRequest, redact: Callable[[bytes], bytes]) -> ParsedStream:
    """With the listing of skills that the model got, which stands in the session's file only, in the first `init`."""
    sessions = read_files(str(request.home / _SESSIONS), within=(request.home,), redact=redact)
    listing = listing_in(sessions.splitlines()) if sessions else None
    events = list(parsed.events)
    for at, event in enumerate(events):
        if listing and isinstance(event, SessionStarted):
            events[at] = event.model_copy(update={"listing": listing[:_LISTING_CHARS]})
            break
    return replace(parsed, events=tuple(events))


def _evidence(request: TrialRequest, parsed: ParsedStream) -> SkillEvidence:
    placed = request.skill
    name = placed.name if placed else request.under_trial
    if name is None or parsed.version is None:
        return SkillEvidence()  # nothing to look for, or the program never got to work
    evidence = skill_evidence(
        parsed.events,
        name,
        skill_tools=_SKILL_TOOLS,
        also=(placed.folder.name,) if placed else (),
        description=placed.description if placed else None,
    )
    first = request.prompt.split(maxsplit=1)[:1]
    if placed and first in (["/" + name], ["/" + placed.folder.name]):
        return evidence.model_copy(update={"injected": True})  # the program puts the skill in place of `/name`, unseen
    return evidence


def _facts(login: Login, parsed: ParsedStream) -> dict[str, str]:
    facts = {
        "login": {"key": "key in the environment", "carried": "the person's own, in their config folder"}.get(
            login.kind, "none"
        ),
        "bundled skills": "off",
        "memory": "off",
        "background tasks": "off",
    }
    if parsed.key_source:
        facts["key source"] = parsed.key_source
    if parsed.retries:
        facts["retried requests"] = str(len(parsed.retries))
    return facts


def _notices(login: Login) -> tuple[str, ...]:
    if login.kind != "carried":
        return ()
    return ("Trials used the login in the person's own config folder: HOME was not a fresh one.",)


async def _version(program: str, env: dict[str, str], confinement: Confinement | None) -> str | None:
    out, err = Head(_VERSION_BYTES), Head(0)
    command = Command(argv=(program, "--version"), cwd=Path("/"), env=env, timeout_s=_VERSION_S)
    try:
        ended = await run_tree(confined(command, confinement), (out, err))
    except OSError:
        return None
    found = re.search(r"\d+\.\d+\.\d+\S*", out.text())
    return found.group() if found and not ended.stopped and ended.exit_code == 0 else None
