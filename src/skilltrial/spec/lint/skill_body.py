"""Advice on the body of a SKILL.md: its length, and the files that it points to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from skilltrial.records.skill import Skill
from skilltrial.spec.findings import Problem, shown
from skilltrial.spec.lint.rules import advice
from skilltrial.spec.lint.skill_links import Named, named_paths

_MAX_LINES = 500
_MAX_TOKENS = 5000
_CHARS_PER_TOKEN = 4
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TEXT_FILES = (".md", ".markdown", ".txt", ".rst")
_MAX_BYTES = 1024 * 1024
_MAX_READ = 200


def estimated_tokens(text: str) -> int:
    """Roughly how many tokens a text is: one for 4 characters, and one for each Chinese, Japanese or Korean sign."""
    n_dense = len(_DENSE.findall(text))
    return n_dense + (len(text) - n_dense) // _CHARS_PER_TOKEN


def body_advice(skill: Skill, *, file: str, first_line: int) -> list[Problem]:
    """Length and references; `first_line` is where the body starts in the file, 1-based."""
    problems = list(_length(skill.body, file))
    named = named_paths(skill.body)
    walk = _References(skill)
    problems += walk.problems(named, file, first_line, "")
    for path in list(walk.found)[:_MAX_READ]:
        if path.endswith(_TEXT_FILES) and path != "SKILL.md":
            problems += walk.inside(path, {name.path for name in named})
    return problems


def _length(body: str, file: str) -> Iterator[Problem]:
    n_lines = len(body.strip("\n").split("\n"))
    hint = "Move what is not always needed into files below references/, and say when to read each."
    if n_lines > _MAX_LINES:
        message = f"the body has {n_lines:,} lines; the specification advises to stay below {_MAX_LINES}."
        yield advice("body-long", message, file=file, hint=hint)
    n_tokens = estimated_tokens(body)
    if n_tokens > _MAX_TOKENS:
        message = (
            f"the body has about {round(n_tokens, -2):,} tokens (estimated at {_CHARS_PER_TOKEN} characters each); the "
            f"specification advises to stay below {_MAX_TOKENS:,}, since all of it is loaded at once."
        )
        yield advice("body-heavy", message, file=file, hint=hint)


class _References:
    """Holds named paths against the files of one skill, and remembers those that are there."""

    def __init__(self, skill: Skill) -> None:
        self.folder = Path(skill.folder)
        self.files = {file.path for file in skill.files}
        self.folders = {parent for path in self.files for parent in _parents(path)}
        self.found: dict[str, None] = {}

    def problems(self, named: Sequence[Named], file: str, first_line: int, beside: str) -> list[Problem]:
        """About the paths in one file; `beside` is that file's folder in the skill."""
        problems: list[Problem] = []
        for name in named:
            target = self.resolve(name.path, beside)
            if target is not None:
                self.found.setdefault(target)
                continue
            rule, message, hint = self.dead_end(name.path, beside)
            line = first_line + name.line - 1
            problems.append(advice(rule, message, file=file, line=line, place=name.path, hint=hint))
        return problems

    def dead_end(self, path: str, beside: str) -> tuple[str, str, str]:
        """Rule, message and hint for a path that leads nowhere."""
        if self.is_outside(path, beside):
            message = f"{shown(path)} is outside the skill, and not there once the skill is installed."
            return "reference-outside", message, "Copy it into the skill."
        if path.startswith("evals/"):
            return "reference-missing", f"{shown(path)} is in evals/, which agents do not get.", "Move it elsewhere."
        rule = "script-missing" if path.startswith("scripts/") else "reference-missing"
        return rule, f"{shown(path)} is not in the skill.", "Add it, or remove what points to it."

    def inside(self, path: str, known: set[str]) -> list[Problem]:
        """What a referenced text points to itself: dead ends, and files that SKILL.md does not name."""
        text = _read(self.folder / path)
        named = named_paths(text)
        beside = posixpath.dirname(path)
        file = str(self.folder / path)
        level_one = {self.resolve(other, "") for other in known}
        problems = self.problems(named, file, 1, beside)
        for name in named:
            target = self.resolve(name.path, beside)
            if target is not None and target.endswith(_TEXT_FILES) and target not in {*level_one, path, "SKILL.md"}:
                message = f"{target!r} is named here and not in SKILL.md; agents may not follow that far."
                hint = "Name it in SKILL.md too."
                problems.append(
                    advice("reference-deep", message, file=file, line=name.line, place=name.path, hint=hint)
                )
        return problems

    def resolve(self, path: str, beside: str) -> str | None:
        """The file or folder of the skill that a path means, from the skill's root (the rule) or the file's own folder."""
        for start in ("", beside):
            target = posixpath.normpath(posixpath.join(start, path))
            if target in self.files or target in self.folders or target == ".":
                return target
        return None

    def is_outside(self, path: str, beside: str) -> bool:
        target = posixpath.normpath(posixpath.join(beside, path))
        return target.startswith(("../", "/", "~")) or target == ".."


def _parents(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
