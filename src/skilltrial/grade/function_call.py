"""Call an author's function with a trial, and print what it says as one JSON object. Imports nothing of ours.

A program of its own, of which a copy runs: arguments are the file with the code, its name for messages, the function, and the file
with the trial. Prints `passed` (true, false, null) with `evidence`, or `error`.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, cast

_SHOWN = 200


def main(code: str, name: str, function: str, trial: str) -> None:
    """Call it, answer, and end, whatever it has left running."""
    # What it prints, and what the programs print that it starts, must not stand in the answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answer = _answer(Path(code).read_text(encoding="utf-8"), name, function, json.loads(Path(trial).read_bytes()))
    answers.write(json.dumps(answer))
    answers.close()
    os._exit(0)


def _answer(code: str, name: str, function: str, trial: Any) -> dict[str, Any]:
    module = ModuleType("skill_check")
    module.__file__ = name
    sys.modules[module.__name__] = module
    try:
        exec(compile(code, name, "exec"), module.__dict__)  # noqa: S102 - it is the author's, as commands of checks are
        return _verdict(getattr(module, function)(trial))
    except BaseException as error:  # noqa: BLE001 - also what ends programs; none of it is a verdict
        return {"error": _told(error, name)}


def _verdict(said: Any) -> dict[str, Any]:
    evidence = ""
    if isinstance(said, dict):
        answer = cast("dict[str, Any]", said)
        evidence, said = str(answer.get("evidence") or ""), answer.get("passed", "no 'passed'")
    if type(said).__name__ in {"bool", "bool_"}:  # numpy has its own
        return {"passed": bool(said), "evidence": evidence}
    if said is None and evidence:
        return {"passed": None, "evidence": evidence}
    return {"error": f"it returned {repr(said)[:_SHOWN]}, and has to return true, false, or passed and evidence"}


def _told(error: BaseException, name: str) -> str:
    last = traceback.format_exception_only(error)[-1].strip()
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    return f"{last[:_SHOWN]} ({name}, line {lines[-1]})" if lines else last[:_SHOWN]


if __name__ == "__main__":
    main(*sys.argv[1:])
