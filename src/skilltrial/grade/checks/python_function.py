"""`python`: a function of the author's decides, in a process of its own, in a copy of what the trial left."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from anyio import to_thread

from skilltrial.grade.decision import CheckResult, Undecided, decided
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import Material
from skilltrial.grade.reading import interpreter, interpreter_env
from skilltrial.grade.shell import absolute_places
from skilltrial.ports import Confinement
from skilltrial.processes.tree import Command, Head, run_tree
from skilltrial.records.document_checks import PythonCheck
from skilltrial.records.events import AssistantMessage, ToolCall
from skilltrial.records.json_value import Json
from skilltrial.transcript.redaction import redactor, secrets_of

_PROGRAM = Path(__file__).parent.parent / "function_call.py"
_OUTPUT_BYTES = 64 * 1024
_EVIDENCE = 500


@dataclass(frozen=True, slots=True)
class _Desk:
    """The folders of one call: the copy, which is where it runs; ours, with program, code and trial; and its home."""

    work: Path
    own: Path
    home: Path


async def check_function(
    assertion: PythonCheck, material: Material, *, env: Mapping[str, str], walls: Confinement | None = None
) -> CheckResult:
    """What the function returns for the trial, which it gets as an object (see docs/grading.md).

    `env` is the person's; PATH (its absolute places) is taken from it. Raises `Undecided` where the function raises, returns
    no verdict, or does not end in time, and where it says no and files were missing.
    """
    folder = Path(await to_thread.run_sync(tempfile.mkdtemp))
    try:
        desk = _Desk(folder / "work", folder / "own", folder / "home")
        missing = await to_thread.run_sync(_laid_out, assertion, material, desk)
        said = await _called(assertion, desk, env=env, walls=walls)
    finally:
        await to_thread.run_sync(lambda: shutil.rmtree(folder, ignore_errors=True))
    evidence = excerpt(str(said["evidence"]), _EVIDENCE) or f"{assertion.function} returned {said['passed']}"
    evidence += f" (in the sandbox {walls.level})" if walls else ""
    if said["passed"] is None:
        raise Undecided(f"{assertion.function} cannot tell: {evidence}")
    if material.unlisted():
        missing.append("…")
    if material.trial.final_message_cut or any(event.cut for event in material.events):
        missing.append("the transcript, of which a part was cut out")
    if missing and not said["passed"]:
        raise Undecided(f"{evidence}; but {len(missing)} files were not at hand, like {excerpt(missing[0])!r}.")
    return decided(bool(said["passed"]), evidence)


def _laid_out(assertion: PythonCheck, material: Material, desk: _Desk) -> list[str]:
    """Fill the folders; returns the paths of files that could not be had."""
    for place in (desk.work, desk.own, desk.home):
        place.mkdir()
    shutil.copyfile(_PROGRAM, desk.own / "call.py")
    (desk.own / "code.py").write_text(assertion.code or "", encoding="utf-8")
    (desk.own / "trial.json").write_text(json.dumps(_trial(material)), encoding="utf-8")
    return material.copy_to(desk.work)


def _trial(material: Material) -> dict[str, Json]:
    """What the function is told. Nothing of it names the arm."""
    return {
        "prompt": material.case.prompt,
        "expected_output": material.case.expected_output,
        "outcome": material.trial.outcome,
        "final_message": material.trial.final_message,
        "messages": [
            event.text for event in material.events if isinstance(event, AssistantMessage) and event.agent is None
        ],
        "tool_calls": [
            {"name": event.name, "input": event.input} for event in material.events if isinstance(event, ToolCall)
        ],
        "files": [{"path": file.path, "origin": file.origin, "size": file.size} for file in material.files()],
        "deleted": [file.path for file in material.trial.files if file.change == "deleted"],
    }


async def _called(
    assertion: PythonCheck, desk: _Desk, *, env: Mapping[str, str], walls: Confinement | None
) -> Mapping[str, Json]:
    name, _, function = assertion.function.rpartition(":")
    own = {**interpreter_env(desk.home), "PATH": absolute_places(env.get("PATH", os.defpath))}
    argv = interpreter(
        str(desk.own / "call.py"), str(desk.own / "code.py"), name, function, str(desk.own / "trial.json")
    )
    if walls is not None:
        argv = walls.wrap(argv, cwd=desk.work, writable=(desk.work, desk.home, desk.own), env=own)
    command = Command(
        argv=argv,
        cwd=desk.work,
        env=own,
        timeout_s=assertion.timeout_s,
        mark=str(desk.home),
        depth=walls.depth if walls else 0,
    )
    out, err = Head(_OUTPUT_BYTES), Head(_OUTPUT_BYTES)
    ended = await run_tree(command, (out, err))
    if ended.stopped:
        raise Undecided(f"{assertion.function} did not end within {assertion.timeout_s:g} s and was killed.")
    masked = redactor(secrets_of(env))
    try:
        answer = cast("Mapping[str, Json]", json.loads(masked(out.text().encode()).decode()))
    except ValueError:
        said = excerpt(masked(err.text().strip()[-200:].encode()).decode()) or "nothing"
        raise Undecided(f"{assertion.function} ended with {ended.exit_code} and no answer; it said: {said}") from None
    if "error" in answer:
        raise Undecided(f"{assertion.function} gave no verdict: {excerpt(str(answer['error']), _EVIDENCE)}.")
    return answer
