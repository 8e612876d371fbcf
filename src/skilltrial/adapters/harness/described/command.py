"""Any program as an agent, by nothing but its command line: `--harness command --harness-arg 'my-agent {prompt_file}'`."""

from __future__ import annotations

import itertools
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from pydantic import ValidationError

from skilltrial.adapters.harness.described.descriptor import Descriptor, Environment, Run, Stream
from skilltrial.adapters.harness.described.harness import DescribedHarness
from skilltrial.adapters.harness.described.launch import find_program
from skilltrial.adapters.harness.described.template import names_in
from skilltrial.errors import SpecError
from skilltrial.ports import Capabilities, HarnessSettings, HarnessStatus, TrialRequest
from skilltrial.records.trial import HarnessResult, Reason

NAME = "command"
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_OWN_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_NOT_STARTED = frozenset({126, 127})
"""Exit codes of a shell, or of `env`, that could not start what it was given."""
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish"})
_SCRIPT = re.compile(r"-[A-Za-z]*c")
_HINT = "Write it like --harness-arg 'my-agent --prompt-file {prompt_file}'; docs/harnesses.md says more."


class _Line(NamedTuple):
    """A command line, read."""

    argv: tuple[str, ...]
    fixed: dict[str, str]
    """Variables with the value that stands there."""
    carried: dict[str, str]
    """Variables with the name of the person's variable that has the value."""


def create(settings: HarnessSettings) -> CommandHarness:
    """The harness; `SpecError` where the first `--harness-arg` is no command line."""
    if settings.model is not None:
        raise SpecError(
            f"the harness command was given the model {settings.model!r}, which it cannot pass on.",
            hint="Leave --model out and write the model into the command line.",
        )
    if not settings.args:
        raise SpecError("the harness command needs a command line.", hint=_HINT)
    text, *more = settings.args
    line = _read(text)
    missing = [own for own in line.carried.values() if not settings.env.get(own)]
    if missing:
        raise SpecError(f"the variable {missing[0]} of the command line {text!r} is not set.", hint="Set it.")
    values = {name: settings.env[own] for name, own in line.carried.items()}
    settings = replace(settings, args=tuple(more), env={**settings.env, **values})
    return CommandHarness(_descriptor(line, text), settings)


class CommandHarness:
    """Satisfies `ports.Harness`: a described harness whose exit code is the agent's own word on how it went."""

    def __init__(self, descriptor: Descriptor, settings: HarnessSettings) -> None:
        self._descriptor = descriptor
        self._env = settings.env
        self._inner = DescribedHarness(descriptor, settings, None)

    @property
    def name(self) -> str:
        """`command`."""
        return NAME

    @property
    def capabilities(self) -> Capabilities:
        """Nothing is known of what it did but its answer and its files."""
        return self._inner.capabilities

    async def probe(self) -> HarnessStatus:
        """Look for the program; nothing is started, since nobody knows what it would do."""
        found = find_program(self._descriptor, self._env)
        detail = f"the program is {found}." if found else f"there is no program {self._descriptor.program!r}."
        todo = "" if found else "Install it, or give its absolute path."
        return HarnessStatus(name=NAME, installed=bool(found), ready=bool(found), detail=detail, todo=todo)

    async def run(self, request: TrialRequest) -> HarnessResult:
        """Execute one request; exit code 0 is `completed`, another one of the program's own `agent_failed`."""
        result = await self._inner.run(request)
        code, reason = result.exit_code, result.reason
        if reason is None or reason.code != "crashed" or code is None or code < 0 or code in _NOT_STARTED:
            return result
        said = Reason(code="crashed", message=reason.message.replace(" after its end", "", 1))
        return result.model_copy(update={"outcome": "agent_failed", "reason": said})

    async def aclose(self) -> None:
        """Nothing is kept open."""


def carried_values(args: Sequence[str], env: Mapping[str, str]) -> list[str]:
    """The person's values that a command line hands on; none of what is no command line."""
    try:
        line = _read(args[0]) if args else None
    except SpecError:
        return []
    return [env[own] for own in line.carried.values() if env.get(own)] if line else []


def _read(text: str) -> _Line:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise SpecError(f"the command line {text!r} cannot be read: {error}.", hint=_HINT) from None
    fixed: dict[str, str] = {}
    carried: dict[str, str] = {}
    while words and (found := _ASSIGNMENT.fullmatch(words[0])):
        words.pop(0)
        own = _OWN_VARIABLE.fullmatch(found[2])
        if own:
            carried[found[1]] = own[1]
        else:
            fixed[found[1]] = found[2]
    if not words:
        raise SpecError(f"the command line {text!r} names no program.", hint=_HINT)
    if _runs_task(words):
        raise SpecError(
            f"the command line {text!r} puts the task into a script, where a shell would run parts of it.",
            hint="""Give it to the script as an argument: sh -c 'my-agent "$1"' sh {prompt}""",
        )
    return _Line(tuple(words), fixed, carried)


def _runs_task(words: Sequence[str]) -> bool:
    """Whether the task, somebody's text, becomes a part of a shell's script."""
    is_shell = any(os.path.basename(word) in _SHELLS for word in words)  # noqa: PTH119 - a text
    return is_shell and any(
        _SCRIPT.fullmatch(flag) and "prompt" in names_in(script) for flag, script in itertools.pairwise(words)
    )


def _descriptor(line: _Line, text: str) -> Descriptor:
    program, *args = line.argv
    if os.sep in program and not program.startswith(os.sep):
        raise SpecError(
            f"the program {program!r} is a relative path: trials run in folders of their own.",
            hint="Give its absolute path, or a name on PATH.",
        )
    try:
        return Descriptor(
            schema=1,
            name=NAME,
            title="a command",
            program=program,
            run=Run(args=tuple(args), prompt=_way(args)),
            environment=Environment(keys=tuple(line.carried), set=line.fixed),
            stream=Stream(format="text"),
        )
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise SpecError(f"the command line {text!r} cannot be used: {said}.", hint=_HINT) from None


def _way(args: Sequence[str]) -> Literal["stdin", "argument", "file"]:
    """How the task gets to the program: where its place is, else on standard input."""
    places = {name for text in args for name in names_in(text)}
    if "prompt_file" in places:
        return "file"
    return "argument" if "prompt" in places else "stdin"
