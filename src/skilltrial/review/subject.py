"""What a review page is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from skilltrial.errors import SpecError
from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.review.earlier import EARLIER
from skilltrial.review.kept import Kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A workspace that somebody looks at."""

    store: Store
    """What is shown; only read."""
    journal: Store
    """Where `journal.jsonl` and the feedback files are: another folder where `store` is an import of a foreign workspace."""
    name: str
    """For people: the path as it was given."""
    by: str
    """Who looks."""
    now: Callable[[], datetime]
    """UTC, aware."""
    foreign: str | None = None
    """Whose workspace it is, where it is not ours: `skill-creator`."""
    previous: str | None = None
    """Another workspace, as it was given, whose newest iteration `store` has as number `EARLIER`."""
    blind: bool = False
    """Only the questions of `labelling` are answered: no arm, no verdict."""
    notices: tuple[str, ...] = ()
    """Sentences for the overview: what an import repaired or left out, which folder would have to be opened instead."""
    places: Mapping[int, str] = field(default_factory=dict[int, str])
    """Where a foreign workspace has an iteration of `store`, relative to `journal` (`.`: it is one iteration); empty of ours."""
    read_only: bool = False
    """Nothing is kept: a static page, or a folder that cannot be written to."""
    kept: Kept = field(default_factory=Kept, compare=False, repr=False)
    """What was made of its files, for as long as it is looked at."""


class Query:
    """The parameters of a question, texts by name. What is missing or no number is a `SpecError`."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def text(self, name: str) -> str:
        """A parameter that must be there."""
        if name not in self._values:
            raise SpecError(f"the parameter {name!r} is missing.")
        return self._values[name]

    def optional(self, name: str) -> str | None:
        """A parameter, None where it is missing or empty."""
        return self._values.get(name) or None

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number; raises without a default where it is missing."""
        given = self._values.get(name)
        if given is None and default is not None:
            return default
        text = self.text(name)
        if not text.isascii() or not text.isdigit() or len(text) > 9:  # noqa: PLR2004 - no overflow further on
            raise SpecError(f"the parameter {name!r} is no number: {text[:40]!r}.")
        return int(text)

    def iteration(self, subject: Subject, *, earlier: bool = False) -> int:
        """The iteration that is asked for; the newest by default. Raises `SpecError` where there is none.

        With `earlier` also that of the workspace before, which can be looked at but not spoken of.
        """
        if "iteration" not in self._values:
            return _there(subject)[-1]
        wanted = self.number("iteration")
        if earlier and subject.previous and wanted == EARLIER:
            return wanted
        # By its name alone, since a page in one file asks thousands of times.
        if wanted != EARLIER and subject.store.path(f"{layout.iteration_dir(wanted)}/{layout.PLAN}").is_file():
            return wanted
        there = _there(subject)
        if wanted not in there:
            raise SpecError(f"there is no iteration {wanted}.", hint=f"There are: {', '.join(map(str, there))}.")
        return wanted


def _there(subject: Subject) -> list[int]:
    there = iterations(subject.store)
    if not there:
        raise SpecError("there is no iteration in this workspace.", where=subject.name)
    return there
