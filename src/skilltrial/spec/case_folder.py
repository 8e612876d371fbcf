"""A folder of cases that have a file each -> the list of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from skilltrial.records.repair import Repair
from skilltrial.spec.file_tree import is_inside, is_utf8
from skilltrial.spec.findings import Findings, invalid
from skilltrial.spec.json_source import Node

CASE_FILES = ("case.yaml", "case.yml", "case.json")
"""A folder with one of these is one case; whatever else is in it belongs to the case."""
PROMPT_KEYS = ("prompt", "task", "instruction", "query", "input")

_SUFFIXES = {".json", ".yaml", ".yml"}
_RESULTS = re.compile(
    r"(?i)(?:grading|timing|metrics|benchmark|feedback|history|analysis|comparison|eval_metadata|run|plan).*"
)
_LEFT_OUT = re.compile(
    r"(?i)\..*|fixtures?|reference|files|outputs?|results?|node_modules|__pycache__|.*-workspace|iteration-.*|run-.*"
)
_DIGITS = re.compile(r"(\d+)")
_MAX_ENTRIES = 5_000
_MAX_DEPTH = 8
_MAX_BYTES = 32 * 1024 * 1024

Reader = Callable[[Path, Findings], Node]


def case_folder(folder: Path, findings: Findings, *, read: Reader) -> Node:
    """One element for each case file below a folder, in natural order. Each keeps its own file, and a path inside that.

    A folder with a `case.yaml` is one case. Elsewhere every JSON or YAML file with one prompt is one; others are left out, with a
    repair each. Files that cannot be read are errors in `findings`. Raises `SpecError` where no case is found.
    """
    children: dict[str | int, Node] = {}
    n_bytes = 0
    for path in _case_files(folder, findings):
        n_bytes += _size(path)
        if n_bytes > _MAX_BYTES:
            message = f"the files of the folder have more than the {_MAX_BYTES} bytes that are read together."
            raise invalid("too-large", message, file=str(folder), hint="Is it the right folder?")
        with findings.collecting():
            node = read(path, findings)
            if path.name in CASE_FILES or _is_case(node):
                children[len(children)] = node
            else:
                _leave_out(path, "not-a-case", "is no case: it has no prompt", findings)
    if not children and not findings.errors:
        hint = "Give the eval file itself, or a folder of files with a prompt each."
        raise invalid("no-cases", "the folder holds no case files.", file=str(folder), hint=hint)
    return Node([node.value for node in children.values()], str(folder), 1, (), children)


def _is_case(node: Node) -> bool:
    """Whether a value is one case: an object with a prompt, by whatever name."""
    if any(isinstance(found.value, str) for key in PROMPT_KEYS if (found := node.child(key))):
        return True
    holders = (node.child(key) for key in ("inputs", "execution"))
    return any(holder is not None and holder.child("prompt") is not None for holder in holders)


def natural_order(name: str) -> tuple[list[tuple[int, str]], str]:
    """A sort key by which numbers in names count as numbers: `2` before `10`."""
    parts = [(int(part) if part.isdecimal() else -1, part) for part in _DIGITS.split(name[:200])]
    return parts, name


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _case_files(folder: Path, findings: Findings) -> Iterator[Path]:
    n_entries = 0
    waiting = [(folder, 0)]
    while waiting:
        place, depth = waiting.pop(0)
        entries = sorted(_entries(place), key=lambda entry: natural_order(entry.name))
        n_entries += len(entries)
        if n_entries > _MAX_ENTRIES:
            message = f"the folder has more than {_MAX_ENTRIES:,} files and folders."
            raise invalid("too-many-files", message, file=str(folder), hint="Is it the right folder?")
        names = {entry.name for entry in entries}
        case = next((name for name in CASE_FILES if name in names), None)
        if case is not None and is_inside(place / case, folder):
            yield place / case
            continue
        below: list[tuple[Path, int]] = []
        for entry in entries:
            if not is_utf8(entry.name) or not is_inside(entry, folder):
                _leave_out(entry, "link-outside", "leaves the folder, or has no UTF-8 name", findings)
            elif entry.is_dir() and not entry.is_symlink() and depth < _MAX_DEPTH:
                below += [] if _LEFT_OUT.fullmatch(entry.name) else [(entry, depth + 1)]
            elif entry.suffix.lower() in _SUFFIXES and not _RESULTS.fullmatch(entry.stem):
                yield entry
        waiting = below + waiting


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise invalid("unreadable", f"the folder cannot be read: {reason}.", file=str(folder)) from None


def _leave_out(path: Path, code: str, why: str, findings: Findings) -> None:
    name = str(path).encode("utf-8", "replace").decode()
    findings.repair(Repair(code=code, message=f"the file {why}; it is left out", file=name))
