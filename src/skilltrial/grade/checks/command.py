"""`command_check`: the author's own command on a copy of what the trial left."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

from anyio import to_thread

from skilltrial.grade.decision import CheckResult, Undecided, decided, failed, passed
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import Material
from skilltrial.grade.patterns import search, shown
from skilltrial.grade.shell import OUTPUT_BYTES, Cell, CommandEnd, absolute_places, run_command
from skilltrial.ports import Confinement
from skilltrial.records.suite import CommandCheck
from skilltrial.transcript.redaction import redactor, secrets_of

_NOT_FOUND = 127
_MISSING_PROGRAM = re.compile(r"^sh: (?:line )?(?:\d+: )?([^\s:/]+): (?:command )?not found$", re.MULTILINE)


async def check_command(
    assertion: CommandCheck, material: Material, *, env: Mapping[str, str], walls: Confinement | None = None
) -> CheckResult:
    """The command ends with the expected exit code, and its standard output holds the expected pattern.

    With a matrix it does so for every combination; the first that does not decides. `env` is the person's; PATH (its absolute
    places) and LANG are taken from it, then come the author's variables. In `walls` it can use the system's programs and those
    that it names. Raises `Undecided` where there is no verdict about the agent: the command did not start or not end in time, a
    program it names is not installed, or it failed where files were missing.
    """
    doubts: list[str] = []
    results: list[CheckResult] = []
    for values in product(*assertion.matrix.values()):
        own = dict(zip(assertion.matrix, values, strict=True))
        named = f"with {', '.join(f'{name}={excerpt(value, 60)}' for name, value in own.items())}: " if own else ""
        try:
            result = await _run_once(assertion, material, own=own, env=env, walls=walls)
        except Undecided as gap:
            doubts.append(f"{named}{gap}")
            continue
        results.append(CheckResult(result.verdict, f"{named}{result.evidence}"))
        if result.verdict == "FAIL":
            return results[-1]
    if doubts:
        raise Undecided(doubts[0])
    return results[0] if len(results) == 1 else passed(f"all {len(results)} combinations hold; {results[0].evidence}")


async def _run_once(
    assertion: CommandCheck,
    material: Material,
    *,
    own: Mapping[str, str],
    env: Mapping[str, str],
    walls: Confinement | None,
) -> CheckResult:
    folder = Path(await to_thread.run_sync(tempfile.mkdtemp))
    try:
        work, home, tmp = (folder / name for name in ("work", "home", "tmp"))
        for place in (work, home, tmp):
            place.mkdir()
        missing = await to_thread.run_sync(_fill, assertion, material, work)
        allowed = {
            "PATH": absolute_places(env.get("PATH", os.defpath)),
            "LANG": env.get("LANG", "C.UTF-8"),
            "HOME": str(home),
            **assertion.env,
            **own,
            # By this one its processes are found.
            "TMPDIR": str(tmp),
        }
        cell = Cell(walls=walls, writable=(work, home, tmp), needs=_named(assertion)) if walls else None
        try:
            end = await run_command(assertion.command, work, env=allowed, timeout_s=assertion.timeout_s, cell=cell)
        except OSError as error:
            raise Undecided(f"the command could not be started ({error.strerror}).") from error
        end = replace(end, stdout=_masked(end.stdout, env), stderr=_masked(end.stderr, env))
        if not end.begun:
            level = walls.level if walls else "none"
            raise Undecided(f"the command could not be started in the sandbox {level}; it said: {_said(end)}")
        result = await to_thread.run_sync(_verdict, assertion, end, allowed["PATH"])
        if walls:
            result = CheckResult(result.verdict, f"{result.evidence} (in the sandbox {walls.level})")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if missing and result.verdict == "FAIL":
        raise Undecided(f"{result.evidence}; but {len(missing)} files were not at hand, like {excerpt(missing[0])!r}.")
    return result


def _fill(assertion: CommandCheck, material: Material, work: Path) -> list[str]:
    """What the trial left, then the held-out files; the paths that could not be had."""
    missing = material.copy_to(work)
    for file in assertion.setup_files:
        try:
            material.put(file, work)
        except OSError as error:
            raise Undecided(f"the held-out file {file.path!r} cannot be put there ({error.strerror}).") from error
    held_out = {file.path for file in assertion.setup_files}
    return [path for path in missing if path not in held_out] + (["…"] if material.unlisted() else [])


def _masked(said: str, env: Mapping[str, str]) -> str:
    """The command has no keys, but code of the agent's that it runs can look for them in other processes."""
    return redactor(secrets_of(env))(said.encode()).decode()


def _said(end: CommandEnd) -> str:
    return excerpt((end.stderr.strip() or end.stdout.strip())[-200:]) or "nothing"


def _named(assertion: CommandCheck) -> tuple[str, ...]:
    """What may be a program in the author's words: names, and places outside of what the trial left."""
    words = re.findall(r"[\w.+/-]+", assertion.command)
    return tuple(dict.fromkeys(word for word in words if "/" not in word or word.startswith("/")))


def _verdict(assertion: CommandCheck, end: CommandEnd, path: str) -> CheckResult:
    if end.exit_code is None:
        raise Undecided(
            f"the command did not end within {assertion.timeout_s:g} s and was killed; "
            "raise its timeout if it needs longer."
        )
    if end.exit_code != assertion.expect_exit_code:
        if program := _missing_program(assertion, end, path):
            raise Undecided(f"the program {program!r} of the command is not installed on this machine.")
        code = f"exit code {end.exit_code}" if end.exit_code >= 0 else f"ended by signal {-end.exit_code}"
        return failed(f"{code}, expected {assertion.expect_exit_code}; it said: {_said(end)}")
    if assertion.expect_stdout is None:
        return passed(f"exit code {end.exit_code}")
    match = search(assertion.expect_stdout, end.stdout)
    if match is None and end.cut:
        raise Undecided(f"no match in the first {OUTPUT_BYTES // 1024} KiB of output, and the rest was not kept.")
    what = shown(match) if match else f"no match for {excerpt(assertion.expect_stdout)!r} in: {excerpt(end.stdout)}"
    return decided(match is not None, f"exit code {end.exit_code}; output: {what}")


def _missing_program(assertion: CommandCheck, end: CommandEnd, path: str) -> str:
    """A program that the author's own command names and this machine lacks: that is nothing the agent did."""
    if end.exit_code != _NOT_FOUND:
        return ""
    words = set(re.findall(r"[\w.+-]+", assertion.command))
    for name in _MISSING_PROGRAM.findall(end.stderr):
        if name in words and shutil.which(name, path=path) is None:
            return name
    return ""
