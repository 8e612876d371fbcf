"""One file -> one JSON object on standard output: `found`, or `broken` or `undecided` with the reason.

Arguments: the kind, the file, the bytes of memory, the seconds of processor time; standard input: an object with what is asked.
Of the kind `several`, that has a list `files` of objects with `kind`, `file` and `asked`, and each answer is a line.
The limits are the system's, since nothing else holds in a library that reads what is hostile.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from skilltrial.grade.readers.refusal import Broken, TooMuch

_MODULES: Mapping[str, str] = {
    "workbook": "workbook",
    "sheets": "workbook",
    "archive": "archive",
    "docx": "office",
    "pptx": "office",
    "pdf": "pdf",
    "html": "html_text",
    "image": "image",
    "jsonpath": "json_path",
    "pattern": "pattern",
    "colours": "colours",
    "markdown": "markdown_tree",
    "lines": "line_difference",
}


def main(kind: str, path: str, memory: str, seconds: str) -> None:
    """Read, and print what came of it."""
    asked: dict[str, Any] = json.load(sys.stdin)
    # What libraries print must not stand in the answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _limit(int(memory), int(seconds))
    megabytes = int(memory) // 1_000_000
    if kind != "several":
        json.dump(_answer(kind, Path(path), asked, megabytes=megabytes), answers, allow_nan=False)
    else:
        for each in asked["files"]:
            answer = _answer(each["kind"], Path(each["file"]), each["asked"], megabytes=megabytes)
            # Line by line: what was answered counts, whatever the next file does.
            print(json.dumps(answer, allow_nan=False), file=answers, flush=True)
    answers.close()


def _limit(memory: int, seconds: int) -> None:
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    limits = (resource.RLIMIT_DATA, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)
    for kind, limit in limits:
        most = resource.getrlimit(kind)[1]
        least = limit if most == resource.RLIM_INFINITY else min(limit, most)
        resource.setrlimit(kind, (least, least))


def _answer(kind: str, path: Path, asked: dict[str, Any], *, megabytes: int) -> dict[str, Any]:
    try:
        read: Callable[[Path, dict[str, Any]], Any] = getattr(
            import_module(f"skilltrial.grade.readers.{_MODULES[kind]}"), f"read_{kind}"
        )
        return {"found": read(path, asked)}
    except Exception as error:  # noqa: BLE001 - libraries raise anything on hostile files, and of what is not known no verdict is made
        return _refusal(error, megabytes=megabytes)


def _refusal(error: Exception, *, megabytes: int) -> dict[str, str]:
    match error:
        case Broken():
            return {"broken": str(error)}
        case TooMuch():
            return {"undecided": str(error)}
        case ImportError():
            return {"missing": error.name or str(error)}
        case MemoryError():
            return {"undecided": f"needs more than {megabytes} MB of memory to be read"}
        case RecursionError():
            return {"undecided": "is nested too deeply to be read"}
        case _:
            return {"undecided": f"cannot be read ({type(error).__name__}: {str(error)[:200]})"}


if __name__ == "__main__":
    main(*sys.argv[1:])
