"""Documents that an agent left, read by libraries in a process of its own: bounded memory, time and output."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, cast

from anyio import to_thread

from skilltrial.grade.decision import Undecided
from skilltrial.grade.excerpt import excerpt
from skilltrial.processes.tree import Command, Ended, Head, run_tree
from skilltrial.records.json_value import Json

MAX_DOCUMENT_BYTES = 50_000_000
_MEMORY = 256_000_000
"""Bytes that a reader may hold."""
_TIMEOUT_S = 60.0
_CPU_S = 30
_ANSWER_BYTES = 32_000_000
_SAID_BYTES = 4_096

Kind = Literal[
    "workbook", "sheets", "docx", "pptx", "pdf", "html", "image", "archive", "jsonpath", "colours", "markdown", "lines"
]


class Broken(Exception):
    """The file is not what it should be, and nothing can open it. The text is a whole sentence's."""


async def read_document(kind: Kind, data: bytes, *, place: str, asked: Mapping[str, Json]) -> Json:
    """What the reader of this kind finds in a document (see `grade/readers`); `place` is how evidence calls it.

    Raises `Broken` for what is no such file, and `Undecided` where it is locked, takes too much to read, or where the library is
    not installed.
    """
    return _found(*await _ran(kind, [data], asked), place=place)


class Document(NamedTuple):
    """With what is asked of it, as `read_document` takes them."""

    kind: Kind
    data: bytes
    asked: Mapping[str, Json]


async def read_together(documents: Sequence[Document]) -> list[Json | None]:
    """What one process for all of them finds, within the limits that are of one document otherwise.

    None: it has to be read alone, to see what is the matter with it, or since another one took what there was.
    """
    files = [
        {"kind": each.kind, "file": _name(number), "asked": dict(each.asked)} for number, each in enumerate(documents)
    ]
    _, out, _ = await _ran("several", [each.data for each in documents], {"files": cast("Json", files)})
    lines = out.text().split("\n")[:-1]
    found = [_found_in(line) for line in lines[: len(documents)]]
    return [*found, *[None] * (len(documents) - len(found))]


def _found_in(line: str) -> Json | None:
    try:
        answer: object = json.loads(line)
    except ValueError:
        return None
    return cast("dict[str, Json]", answer).get("found") if isinstance(answer, dict) else None


async def _ran(
    kind: Kind | Literal["several"], documents: Sequence[bytes], asked: Mapping[str, Json]
) -> tuple[Ended, Head, Head]:
    folder = Path(await to_thread.run_sync(tempfile.mkdtemp))
    try:
        for number, data in enumerate(documents):
            (folder / _name(number)).write_bytes(data)
        out, err = Head(_ANSWER_BYTES), Head(_SAID_BYTES)
        command = Command(
            argv=(*interpreter("-m", "skilltrial.grade.readers"), kind, _name(0), str(_MEMORY), str(_CPU_S)),
            cwd=folder,
            env=interpreter_env(folder),
            stdin=json.dumps(asked).encode(),
            timeout_s=_TIMEOUT_S,
            mark=str(folder),
        )
        return await run_tree(command, (out, err)), out, err
    finally:
        await to_thread.run_sync(lambda: shutil.rmtree(folder, ignore_errors=True))


def _name(number: int) -> str:
    return f"document-{number}" if number else "document"


def interpreter(*arguments: str) -> tuple[str, ...]:
    """Our own Python, with nothing on its path but what is on ours; never the folder that it starts in."""
    return (sys.executable, "-P", "-s", *arguments)


def interpreter_env(folder: Path) -> dict[str, str]:
    """The environment that goes with it; `folder` is its home and its place for temporary files."""
    places = [place for place in sys.path if os.path.isabs(place)]  # noqa: PTH117 - texts, not paths
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "PYTHONPATH": os.pathsep.join(places),
        "PYTHONUTF8": "1",
    }


def _found(ended: Ended, out: Head, err: Head, *, place: str) -> Json:
    if ended.stopped:
        raise Undecided(f"{place} could not be read within {_TIMEOUT_S:g} s.")
    if out.cut:
        raise Undecided(f"{place} holds more than the {_ANSWER_BYTES:,} bytes that are taken from a document.")
    try:
        answer = cast("dict[str, Json]", json.loads(out.text()))
    except ValueError:
        said = excerpt(err.text().strip()[-200:]) or "nothing"
        raise Undecided(
            f"{place} could not be read: its reader ended with {ended.exit_code} and said {said}."
        ) from None
    match answer:
        case {"found": found}:
            return found
        case {"broken": str(why)}:
            raise Broken(f"{place} {excerpt(why)}.")
        case {"missing": str(library)}:
            raise Undecided(
                f"{place} cannot be read without the library {library!r}: pip install 'skilltrial[documents]'."
            )
        case _:
            raise Undecided(f"{place} {excerpt(str(answer.get('undecided')))}.")
