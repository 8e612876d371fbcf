"""What a conversion has to say, and the files that it needs, collected on the way."""

from __future__ import annotations

from skilltrial.ports import ExportFile, Loss
from skilltrial.records.suite import Case, CaseFile


class Ledger:
    """Losses, notes and new input files of one conversion."""

    def __init__(self) -> None:
        self.losses: list[Loss] = []
        self._notes: dict[str, list[str]] = {}
        self._files: dict[str, tuple[str, ExportFile | None]] = {}

    def lose(self, place: str, what: str) -> None:
        """Something that the target cannot hold."""
        self.losses.append(Loss(place=place, what=what))

    def note(self, place: str, what: str) -> None:
        """Something that changes and is not lost. The same words about several places become one note."""
        self._notes.setdefault(what, []).append(place)

    def reserve(self, path: str, file: CaseFile) -> None:
        """A path below the skill at which there is an input file already."""
        self._files[path] = (file.sha256, None)

    def claim(self, path: str, file: CaseFile, content: ExportFile) -> bool:
        """Take a path for a new input file; False where another content has it."""
        sha256, _ = self._files.setdefault(path, (file.sha256, content))
        return sha256 == file.sha256

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence each."""
        return tuple(f"{_places(places)}: {what}" for what, places in self._notes.items())

    @property
    def files(self) -> tuple[ExportFile, ...]:
        """The new input files, by path."""
        made = (file for _, file in self._files.values() if file is not None)
        return tuple(sorted(made, key=lambda file: file.path))


def of_case(case: Case, assertion_id: str | None = None) -> str:
    """A place in messages: `case 'basic'`, or `case 'basic', assertion 'a1'`."""
    place = f"case {case.id!r}"
    return place if assertion_id is None else f"{place}, assertion {assertion_id!r}"


def _places(places: list[str]) -> str:
    more = len(places) - 1
    return places[0] if not more else f"{places[0]} and {more:,} more"
