"""What reading finds: errors that end it, and repairs that do not."""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Literal

from skilltrial.errors import SpecError
from skilltrial.records.json_value import Json
from skilltrial.records.record import Record
from skilltrial.records.repair import Repair

_SHOWN_CHARS = 80


class Problem(Record):
    """One finding of `validate`, for people and programs. An `error` keeps the file from being used."""

    severity: Literal["error", "warning", "note"]
    code: str
    """Stable, kebab-case."""
    rule: str = ""
    """The rule's code, like `ST109`; filled in by `spec.lint.rules`."""
    message: str
    file: str = ""
    line: int | None = None
    """1-based."""
    place: str = ""
    """Place inside the file, like `evals[2].assertions[0].pattern`, or a path inside the skill."""
    value: str = ""
    """The value found, shortened."""
    hint: str = ""
    """What to do about it."""


class Invalid(SpecError):
    """A `SpecError` that keeps its place in fields, so that it can be listed among others."""

    def __init__(self, problem: Problem) -> None:
        where = problem.file if problem.line is None else f"{problem.file}:{problem.line}"
        super().__init__(problem.message, hint=problem.hint, where=where, code=problem.code)
        self.problem = problem


class Findings:
    """Collects what one reading finds, in order, so that a person sees all of it at once."""

    def __init__(self) -> None:
        self.repairs: list[Repair] = []
        self.errors: list[Problem] = []

    def repair(self, repair: Repair) -> None:
        """Note something that was interpreted, carried along or put right."""
        self.repairs.append(repair)

    @contextmanager
    def collecting(self) -> Generator[None]:
        """Turn an `Invalid` raised inside into an entry of `errors`, and go on after the block."""
        try:
            yield
        except Invalid as error:
            if error.problem not in self.errors:  # of the file, and said for each of its cases
                self.errors.append(error.problem)


def invalid(code: str, message: str, *, file: str = "", line: int | None = None, hint: str = "") -> Invalid:
    """An error about a whole file or one of its lines, ready to be raised."""
    return Invalid(Problem(severity="error", code=code, message=message, file=file, line=line, hint=hint))


def unknown_key(key: str, known: Collection[str]) -> str:
    """The message on a key that means nothing, with a guess where it looks like a slip."""
    near = get_close_matches(key, list(known), n=1, cutoff=0.86)
    return f"is not known here; it is kept, and has no effect{f' (did you mean {near[0]!r}?)' if near else ''}"


def shown(value: Json) -> str:
    """A value as messages show it: its `repr`, shortened."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"
