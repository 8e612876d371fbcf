"""Advice on the files of a skill beside its SKILL.md."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from skilltrial.records.skill import Skill, SkillFile
from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.rules import advice
from skilltrial.spec.lint.secrets import MAX_BYTES, Secret, find_secrets

_SKILL_FILE = "SKILL.md"
_EMPTY_IS_USUAL = {"__init__.py", ".gitkeep", ".keep", "py.typed"}
_MAX_EVAL_FILES = 2000
_MAX_EVAL_DEPTH = 32


def file_advice(skill: Skill) -> list[Problem]:
    """Secrets anywhere (`evals/` too), empty files, scripts that cannot be started, a second SKILL.md in other letters."""
    folder = Path(skill.folder)
    problems: list[Problem] = []
    for file in skill.files:
        data = _head(folder / file.path)
        problems += _secrets(data, str(folder / file.path))
        problems += _about(file, data, folder)
    for path in _eval_files(folder):
        problems += _secrets(_head(path), str(path))
    return problems


def _head(path: Path) -> bytes:
    """The start of a file; nothing where it went away or cannot be read, which reading the skill has reported."""
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES)
    except OSError:
        return b""


def _secrets(data: bytes, file: str) -> Iterator[Problem]:
    for secret in find_secrets(data):
        yield _secret_problem(secret, file)


def _secret_problem(secret: Secret, file: str) -> Problem:
    """The finding about a secret, which does not tell it."""
    rule = "secret" if secret.sure else "secret-likely"
    hint = "Take it out, revoke it, and let the script read it from the environment."
    return advice(rule, f"this looks like {secret.kind}.", file=file, line=secret.line, hint=hint)


def _about(file: SkillFile, data: bytes, folder: Path) -> Iterator[Problem]:
    path = PurePosixPath(file.path)
    full = str(folder / file.path)
    if not data.strip() and path.name not in _EMPTY_IS_USUAL and len(path.parts) > 1:
        yield advice("empty-reference", "the file is empty.", file=full, hint="Fill it, or remove it.")
    if data.startswith(b"#!") and not file.executable:
        message = "the script starts with '#!', and is not executable."
        yield advice("not-executable", message, file=full, line=1, hint=f"Run `chmod +x {file.path}`.")
    if len(path.parts) == 1 and path.name != _SKILL_FILE and path.name.lower() == _SKILL_FILE.lower():
        message = f"this file is beside {_SKILL_FILE}, and differs from it only in capitals."
        yield advice("skill-file-twice", message, file=full, hint="Remove one; some systems cannot tell them apart.")


def _eval_files(folder: Path) -> list[Path]:
    """The regular files below `evals/`, without following links; a first part of them where there are very many or deep ones."""
    evals = folder / "evals"
    if evals.is_symlink() or not evals.is_dir():
        return []
    found: list[Path] = []
    for parent, folders, names in os.walk(evals):
        found += [Path(parent, name) for name in names]
        if parent.count(os.sep) - str(evals).count(os.sep) >= _MAX_EVAL_DEPTH:
            folders.clear()
        if len(found) >= _MAX_EVAL_FILES:
            break
    return sorted(path for path in found[:_MAX_EVAL_FILES] if path.is_file() and not path.is_symlink())
