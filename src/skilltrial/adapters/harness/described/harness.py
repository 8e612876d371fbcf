"""Any agent program that a descriptor describes, driven without a person."""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast
from urllib.parse import urlsplit

import anyio.to_thread

from skilltrial.adapters.harness.claude_code_setup import secrets
from skilltrial.adapters.harness.decisive import UntilReached
from skilltrial.adapters.harness.described.descriptor import Descriptor
from skilltrial.adapters.harness.described.launch import (
    Launch,
    api_key,
    find_program,
    missing_programs,
    prepare,
    variable,
)
from skilltrial.adapters.harness.described.outcome import ending
from skilltrial.adapters.harness.described.side_files import added_lines, read_files
from skilltrial.adapters.harness.described.template import fill
from skilltrial.adapters.harness.process import GENTLE, confined, run_command
from skilltrial.adapters.harness.result import result_of
from skilltrial.errors import NotInstalled
from skilltrial.ports import Capabilities, Confinement, Harness, HarnessSettings, HarnessStatus, TrialRequest
from skilltrial.processes.tree import Command, Ended, Head, run_tree
from skilltrial.records.events import UserMessage
from skilltrial.records.layout import STDERR
from skilltrial.records.trial import HarnessResult, Reason, SkillEvidence
from skilltrial.transcript.agent_stream import AgentStream
from skilltrial.transcript.evidence import skill_evidence
from skilltrial.transcript.formats import FORMATS, StreamFormat
from skilltrial.transcript.redaction import redactor
from skilltrial.transcript.session import session_in

_GRACE_S = 10.0
"""After its last event the program has this long to end by itself."""
_VERSION_S = 60.0
_VERSION_BYTES = 4096
_STDERR_CHARS = 20_000


def create(descriptor: Descriptor, settings: HarnessSettings, *, base_url: str | None = None) -> Harness:
    """The harness that a descriptor describes. `base_url` is where its model is, in place of the vendor's own address."""
    return DescribedHarness(descriptor, settings, base_url)


class DescribedHarness:
    """Runs one process a trial; nothing is shared between trials."""

    def __init__(self, descriptor: Descriptor, settings: HarnessSettings, base_url: str | None) -> None:
        self._descriptor = descriptor
        self._settings = settings
        self._base_url = base_url
        keys = [settings.env.get(name, "") for name in descriptor.environment.keys]
        password = urlsplit(base_url or "").password or ""
        self._redact = redactor([*secrets(settings.env), *keys, password])

    @property
    def name(self) -> str:
        """The descriptor's name."""
        return self._descriptor.name

    @property
    def capabilities(self) -> Capabilities:
        """What the descriptor and the format of its stream say."""
        return Capabilities(
            skill_root=self._descriptor.skills.root,
            stream_name=_stream_name(self._descriptor),
            confines=True,
            finds_siblings=self._descriptor.skills.listing == "program" and self._descriptor.skills.user_root is None,
            tells_cost=self._format.tells_cost,
            tells_tokens=self._format.tells_tokens,
            tells_denials=self._format.tells_denials,
            shows_answers=self._format.shows_answers,
            # A sandbox shows none of them.
            standing=() if self._settings.confinement else self._descriptor.system,
            resumes=self._descriptor.resume is not None,
            takes_environment=True,
            takes_path=True,
            takes_servers=self._descriptor.servers is not None,
        )

    @property
    def _format(self) -> StreamFormat:
        return FORMATS[self._descriptor.stream.format]

    async def probe(self) -> HarnessStatus:
        """Look for the program and what it needs, ask for its version, look for a key."""
        descriptor, env = self._descriptor, self._settings.env
        status = HarnessStatus(
            name=self.name, installed=False, ready=False, notices=descriptor.remarks, todo=_install(descriptor)
        )
        program = await anyio.to_thread.run_sync(find_program, descriptor, env)
        if program is None:
            wanted = env.get(variable(descriptor)) or descriptor.program
            return replace(status, detail=f"there is no program {wanted!r}.")
        status = replace(status, installed=True)
        missing = missing_programs(descriptor, env)
        if missing:
            return replace(status, detail=f"it needs {missing[0]!r} on PATH.", todo=f"Install {missing[0]}.")
        version = await _version(program, descriptor, env.get("PATH", ""), self._settings.confinement)
        if version is None:
            todo = f"Run {program} {' '.join(descriptor.version.args)} and see what is wrong."
            where = f" in the sandbox {self._settings.confinement.level}" if self._settings.confinement else ""
            return replace(status, detail=f"{program!r} does not tell its version{where}.", todo=todo)
        status = replace(status, version=version)
        lacking = self._lacking()
        if lacking:
            return replace(status, detail=f"version {version}; {lacking[0]}.", todo=lacking[1])
        how = "a base URL is given" if self._base_url else f"{self._key_name()} is set"
        return replace(status, ready=True, detail=f"version {version}; {how}.", todo="")

    async def run(self, request: TrialRequest) -> HarnessResult:
        """Execute one request from start to end."""
        descriptor, env = self._descriptor, self._settings.env
        program = find_program(descriptor, env)
        if program is None:
            raise NotInstalled(f"there is no program {descriptor.program!r}.", hint=_install(descriptor))
        if request.model is None and self._settings.model is not None:
            request = replace(request, model=self._settings.model)
        launch = prepare(descriptor, request, program, env=env, base_url=self._base_url, extra=self._settings.args)
        earlier = await anyio.to_thread.run_sync(self._beside, request, launch) if request.resume else {}
        if any("\0" in argument for argument in launch.argv):
            return _unstarted("the task has a character NUL, which a command line cannot hold")
        command = Command(
            argv=launch.argv,
            cwd=request.work,
            env=launch.env,
            stdin=launch.stdin,
            timeout_s=request.timeout_s,
            mark=request.mark,
            gentle=GENTLE,
        )
        folders = (request.work, request.home, request.tmp)
        command = confined(command, self._settings.confinement, writable=folders, needs=descriptor.needs)
        watch = _Watch(self._format.last)
        until = UntilReached(watch, names=_names(launch), reached=partial(self._reached, request, launch))
        stdout = "stdout.txt" if descriptor.stream.file else _stream_name(descriptor)
        try:
            ended = await run_command(
                command,
                stdout=request.capture / stdout,
                stderr=request.capture / STDERR,
                watch=until if request.until_loaded else watch,
                redact=self._redact,
            )
        except OSError as error:
            if error.errno == errno.E2BIG:
                return _unstarted("the task is too long for a command line, where this program takes it")
            if not isinstance(error, FileNotFoundError | PermissionError) or error.filename != program:
                raise
            raise NotInstalled(f"{program!r} cannot be run: {error.strerror}.", hint=_install(descriptor)) from error
        return await anyio.to_thread.run_sync(partial(self._result, request, launch, ended, earlier))

    async def aclose(self) -> None:
        """Nothing is kept open."""

    def _lacking(self) -> tuple[str, str] | None:
        """What is missing and what to do about it, once the program is there."""
        descriptor, env = self._descriptor, self._settings.env
        own = descriptor.environment
        key = api_key(descriptor, env, base_url=self._base_url)
        if self._base_url and descriptor.endpoint is None:
            return "it cannot be pointed at a base URL", "Leave --base-url out."
        if self._base_url and not self._settings.model:
            return "a base URL needs the name of a model", "Add --model NAME."
        if not self._base_url and own.keys and self._key_name() is None:
            return "no key is set", f"Set {' or '.join(own.keys)}."
        if key and len(key) < own.shortest_key:
            wanted = f"a key of at least {own.shortest_key} characters"
            return f"it masks its key wherever it stands, so that it needs {wanted}", f"Set {wanted}."
        return None

    def _key_name(self) -> str | None:
        return next((name for name in self._descriptor.environment.keys if self._settings.env.get(name)), None)

    def _reached(self, request: TrialRequest, launch: Launch) -> bool:
        """Whether what the stream shows so far has the skill in it; files beside it are read at the end alone."""
        if self._descriptor.stream.file:
            return False
        with (request.capture / _stream_name(self._descriptor)).open(
            encoding="utf-8", errors="replace", newline="\n"
        ) as lines:
            stream = self._format.read(lines, prompt=launch.prompt, beside={})
        return _evidence(self._descriptor, request, launch, stream).reached is True

    def _result(self, request: TrialRequest, launch: Launch, ended: Ended, earlier: Mapping[str, str]) -> HarnessResult:
        descriptor = self._descriptor
        stream = self._read(request, launch, earlier)
        if ended.stopped and not self._format.tells_end:
            stream = replace(stream, finished=False)
        with (request.capture / STDERR).open(encoding="utf-8", errors="replace") as file:
            stderr = file.read()[-_STDERR_CHARS:]
        end = ending(
            ended,
            stream,
            run=descriptor.run,
            program=descriptor.program,
            timeout_s=request.timeout_s,
            stderr=stderr,
        )
        evidence = _evidence(descriptor, request, launch, stream)
        session = self._session(request)
        return result_of(stream, ended, end, evidence=evidence, session=session, until_loaded=request.until_loaded)

    def _session(self, request: TrialRequest) -> str | None:
        resume = self._descriptor.resume
        if resume is None:
            return None
        path = request.capture / _stream_name(self._descriptor)
        with path.open(encoding="utf-8", errors="replace", newline="\n") as lines:
            return session_in(lines, resume.session)

    def _read(self, request: TrialRequest, launch: Launch, earlier: Mapping[str, str]) -> AgentStream:
        """Keep what lies beside the stream with it, and read all but what was there `earlier`, of the messages before."""
        own, folders = self._descriptor.stream, (request.home, request.tmp)
        path = request.capture / _stream_name(self._descriptor)
        if own.file:
            text = read_files(fill(own.file, launch.values), within=folders, redact=self._redact)
            path.write_text(text or "", encoding="utf-8")
        told: dict[str, str] = {}
        for name, text in self._beside(request, launch).items():
            before, suffix = earlier.get(name, ""), Path(own.beside[name]).suffix
            if suffix != ".jsonl" and not text.startswith(before):  # written anew
                told[f"{name}:before"] = before
            told[name] = added_lines(text, before) if suffix == ".jsonl" else text.removeprefix(before)
            (request.capture / f"beside-{name}{suffix}").write_text(told[name], encoding="utf-8")
        with path.open(encoding="utf-8", errors="replace", newline="\n") as lines:
            return self._format.read(lines, prompt=launch.prompt, beside=told)

    def _beside(self, request: TrialRequest, launch: Launch) -> dict[str, str]:
        """The texts of the files that the program writes beside its stream, by name."""
        found = {
            name: read_files(fill(pattern, launch.values), within=(request.home, request.tmp), redact=self._redact)
            for name, pattern in self._descriptor.stream.beside.items()
        }
        return {name: text for name, text in found.items() if text is not None}


class _Watch:
    """Sees the last event of a run."""

    def __init__(self, last: frozenset[str]) -> None:
        self._last = last
        self._marks = [value.encode() for value in last]

    def __call__(self, line: bytes) -> float | None:
        if not any(mark in line for mark in self._marks):
            return None
        try:
            row: Any = json.loads(line)
        except (ValueError, RecursionError):
            return None
        fields = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
        return _GRACE_S if fields.get("type") in self._last else None


def _names(launch: Launch) -> tuple[str, ...]:
    return (launch.skill.name, launch.skill.folder.name) if launch.skill else ()


def _unstarted(why: str) -> HarnessResult:
    return HarnessResult(outcome="harness_error", reason=Reason(code="setup_failed", message=f"{why}."))


def _stream_name(descriptor: Descriptor) -> str:
    if descriptor.stream.format == "text":
        return "stream.txt"
    return "stream.json" if descriptor.stream.file else "stream.jsonl"


def _install(descriptor: Descriptor) -> str:
    return f"{descriptor.install or 'Install it.'} Another program: {variable(descriptor)}."


def _evidence(descriptor: Descriptor, request: TrialRequest, launch: Launch, stream: AgentStream) -> SkillEvidence:
    own, placed = descriptor.skills, launch.skill
    name = placed.name if placed else request.under_trial
    if name is None:
        return SkillEvidence()  # nothing to look for
    said = stream.finished or any(not isinstance(event, UserMessage) for event in stream.events)  # the prompt is ours
    told = stream.events if said and descriptor.stream.format != "text" else ()
    also = (placed.folder.name,) if placed else ()
    tools, description = (own.tool,) if own.tool else (), placed.description if placed else None
    evidence = skill_evidence(told, name, skill_tools=tools, also=also, description=description)
    if own.tool is None:  # reading the file is how it loads a skill
        evidence = evidence.model_copy(update={"attempted": evidence.read, "loaded": evidence.read})
    if placed and own.listing == "prompt":
        evidence = evidence.model_copy(update={"offered": True})
    if placed and own.explicit:
        first = request.prompt.split(maxsplit=1)[:1]
        if first in [[fill(own.explicit, {"skill": known})] for known in (placed.name, placed.folder.name)]:
            return evidence.model_copy(update={"injected": True})
    return evidence


async def _version(program: str, descriptor: Descriptor, path: str, confinement: Confinement | None) -> str | None:
    out, err = Head(_VERSION_BYTES), Head(_VERSION_BYTES)
    argv = (program, *descriptor.version.args)
    try:
        with TemporaryDirectory() as home:  # some programs need one to write to, and none gets the person's
            env = {"PATH": path, "HOME": home}
            command = Command(argv=argv, cwd=Path("/"), env=env, timeout_s=_VERSION_S)
            ended = await run_tree(confined(command, confinement, writable=(Path(home),)), (out, err))
    except OSError:
        return None
    found = re.search(descriptor.version.pattern, out.text() + "\n" + err.text())
    if found is None or ended.stopped or ended.exit_code != 0:
        return None
    return found.group(1) if found.re.groups else found.group()
