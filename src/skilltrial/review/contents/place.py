"""Where the files of a trial lie, and the one way to open them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from skilltrial.errors import SpecError
from skilltrial.grade.decision import Undecided
from skilltrial.grade.material import opened
from skilltrial.records import layout
from skilltrial.records.trial import TrialKey
from skilltrial.review.subject import Query, Subject

PATCH_PATH = f"../{layout.PATCH}"
"""How pages call what a trial changed in its codebase: no file in `outputs/` can be called so."""


class Closed(Exception):
    """A file that is not opened; the text says why, in one sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a trial's files are."""

    folder: Path
    """With `outputs/`, and `diff.patch` where it changed a codebase."""

    @property
    def outputs(self) -> Path:
        """What the trial left."""
        return self.folder / layout.OUTPUTS

    @contextmanager
    def open(self, path: str) -> Generator[BinaryIO]:
        """A regular file of the outputs, or the patch. Raises `Closed`: also for links, pipes, and paths that lead outside."""
        inside = layout.PATCH if path == PATCH_PATH else f"{layout.OUTPUTS}/{path}"
        try:
            with opened(self.folder, inside) as stream:
                yield stream
        except Undecided as error:
            raise Closed(str(error).replace(repr(inside), repr(path))) from error
        except (OSError, ValueError) as error:
            raise Closed(f"the file {path!r} cannot be read ({error}).") from error


def place_of(subject: Subject, query: Query, *, prefix: str = "") -> Place:
    """Of the trial that a question names; with a prefix, of the other one, whose missing parts are those of the first.

    Raises `SpecError` where there is none.
    """
    iteration = query.iteration(subject, earlier=True)
    case, arm, repeat = query.text("case"), query.text("arm"), query.number("repeat", 1)
    if prefix:
        iteration = query.number(f"{prefix}iteration", iteration)
        case, arm = query.optional(f"{prefix}case") or case, query.optional(f"{prefix}arm") or arm
        repeat = query.number(f"{prefix}repeat", repeat)
    if not repeat:
        raise SpecError("there is no trial 0: they are counted from 1.")
    key = TrialKey(case_id=case, arm=arm, repeat=repeat)
    folder = subject.store.path(layout.trial_dir(iteration, key))
    if not folder.is_dir():
        raise SpecError(f"iteration {iteration} has no trial {str(key)[:200]!r} (yet).", where=subject.name)
    return Place(folder)
