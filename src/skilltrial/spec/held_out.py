"""Files that checks need and the agent must not see."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from skilltrial.records.document_checks import ImageMatches, PythonCheck
from skilltrial.records.suite import Assertion, CaseFile, CommandCheck, Similar
from skilltrial.spec.assertion_text import describe
from skilltrial.spec.case_files import Roots, check_path, held_out_place, located_files
from skilltrial.spec.document_rules import function_of
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.operands import at

_MAX_CODE_BYTES = 200_000

FILE_OPERANDS = ("setup_files", "golden_file", "code")
"""Operands that an author writes as paths, and that are read as files; `code` is that of the file in `function`."""


class HeldOut(NamedTuple):
    """Where such files are looked for, and what the agent sees."""

    roots: Roots
    visible: Sequence[CaseFile]
    findings: Findings


def with_files(assertion: Assertion, node: Node, held_out: HeldOut) -> Assertion:
    """The assertion with the files that it names. Raises `Invalid` where one is not there, or is the agent's to see."""
    match assertion:
        case CommandCheck() if node.child("setup_files") is not None:
            return assertion.model_copy(update={"setup_files": tuple(_setup_files(node, held_out))})
        case Similar() if (golden := node.child("golden_file")) is not None:
            return assertion.model_copy(update={"golden_file": _one_file(golden, held_out)})
        case ImageMatches() if (golden := node.child("golden_file")) is not None:
            made = assertion.model_copy(update={"golden_file": _one_file(golden, held_out)})
            is_made = assertion.text == describe(assertion)
            return made.model_copy(update={"text": describe(made)}) if is_made else made
        case PythonCheck():
            return assertion.model_copy(update={"code": _code(assertion, node, held_out)})
        case _:
            return assertion


def _one_file(written: Node, held_out: HeldOut) -> CaseFile:
    files = _read(written, held_out)
    if len(files) != 1:
        raise written.error("not-a-file", f"is a folder: {shown(written.value)}.", hint="Name one file.")
    return files[0]


def _code(assertion: PythonCheck, node: Node, held_out: HeldOut) -> str:
    """The text of the file, which has the function. It goes into the plan, so that a verdict can be made again."""
    written = at(node, "function")
    path, name = function_of(assertion, node)
    file = _one_file(replace(written, value=path), held_out)
    source = Path(file.source or "")
    if source.stat().st_size > _MAX_CODE_BYTES:
        raise written.error("bad-operand", f"names a file of more than {_MAX_CODE_BYTES:,} bytes: {shown(path)}.")
    try:
        code = source.read_text(encoding="utf-8")
        defined = {each.name for each in ast.parse(code).body if isinstance(each, ast.FunctionDef)}
    except (SyntaxError, ValueError) as error:
        raise written.error("bad-code", f"names a file that is no Python: {shown(path)} ({error}).") from None
    if name not in defined:
        hint = f"There are: {', '.join(sorted(defined)) or 'none'}."
        raise written.error("bad-operand", f"names a function that is not in {path!r}: {shown(name)}.", hint=hint)
    return code


def _setup_files(node: Node, held_out: HeldOut) -> list[CaseFile]:
    written = node.children["setup_files"]
    if not isinstance(written.value, list):
        raise written.error("bad-operand", f"must be a list of paths, not {shown(written.value)}.")
    found = [file for entry in written.elements() for file in _read(entry, held_out)]
    taken = {file.path: file for file in found}
    if len(taken) < len(found):
        raise written.error("file-collision", "puts two files at one place.", hint="Name each file once.")
    return found


def _read(entry: Node, held_out: HeldOut) -> list[CaseFile]:
    path = check_path(entry, entry.value)
    files = located_files(entry, path, held_out_place(path), held_out.roots, held_out.findings)
    sources = {file.source for file in held_out.visible if file.source is not None}
    for file in files:
        if file.source in sources or any(_overlap(file.path, other.path) for other in held_out.visible):
            what = f"is held out for a check, and is given to the agent by 'files' too: {shown(file.path)}."
            raise entry.error("bad-setup-file", what, hint="Take it out of 'files'.")
    return files


def _overlap(one: str, other: str) -> bool:
    return PurePosixPath(one).is_relative_to(other) or PurePosixPath(other).is_relative_to(one)
