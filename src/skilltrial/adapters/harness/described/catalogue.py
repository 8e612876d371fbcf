"""The descriptors that there are: ours, the person's, the project's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skilltrial.adapters.harness.described.descriptor import Descriptor, read_descriptor
from skilltrial.errors import SpecError

BUILT_IN = Path(__file__).parent / "descriptors"
Source = Literal["built-in", "user", "project"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file that describes a harness, or fails to."""

    path: Path
    source: Source
    descriptor: Descriptor | None
    error: SpecError | None = None

    @property
    def name(self) -> str:
        """What `--harness` calls it; the file's name where nothing better is known."""
        return self.descriptor.name if self.descriptor else self.path.stem


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All entries, by name."""

    entries: tuple[Entry, ...]

    def find(self, name: str) -> Entry | None:
        """The entry of this name; None where there is none. Raises `SpecError` where its file is not right, or two have it."""
        found = [entry for entry in self.entries if entry.name == name]
        if not found:
            return None
        for entry in found:
            if entry.error:
                raise entry.error
        return found[0]

    def digest(self, name: str) -> str | None:
        """Of what a file of the person's or the project's says; None for ours, which change with skilltrial's version."""
        entry = self.find(name)
        if entry is None or entry.descriptor is None or entry.source == "built-in":
            return None
        return f"sha256:{hashlib.sha256(entry.descriptor.model_dump_json(exclude_unset=True).encode()).hexdigest()}"


def read_catalogue(*, user: Path | None, project: Path | None, reserved: Collection[str] = ()) -> Catalogue:
    """Read every `*.toml` of the folders, which may not exist. `reserved` are names that harnesses have that are no files.

    A file that is not right is an entry with an error, so that it does not stand in the way of the others; so is each that
    takes a name that is taken.
    """
    entries: list[Entry] = []
    sources: Sequence[tuple[Source, Path | None]] = (("built-in", BUILT_IN), ("user", user), ("project", project))
    for source, folder in sources:
        for path in sorted(folder.glob("*.toml")) if folder and folder.is_dir() else []:
            entries.append(_entry(path, source, entries, reserved))
    return Catalogue(entries=tuple(sorted(entries, key=lambda entry: (entry.name, entry.source))))


def _entry(path: Path, source: Source, others: Sequence[Entry], reserved: Collection[str]) -> Entry:
    try:
        descriptor = read_descriptor(path)
    except SpecError as error:
        return Entry(path=path, source=source, descriptor=None, error=error)
    taken = next((other for other in others if other.descriptor and other.name == descriptor.name), None)
    if descriptor.name in reserved or taken:
        holder = f"the {taken.source} one in {taken.path}" if taken else "a harness of this program"
        error = SpecError(
            f"the name {descriptor.name!r} is taken by {holder}.", where=str(path), hint="Give it another name."
        )
        return Entry(path=path, source=source, descriptor=descriptor, error=error)
    return Entry(path=path, source=source, descriptor=descriptor)


def starter(name: str, program: str) -> str:
    """A descriptor to start from: the text of a file with a word on every key."""
    text = (Path(__file__).parent / "starter.toml").read_text(encoding="utf-8")
    # A JSON string is a TOML string.
    values = {"NAME": json.dumps(name), "PROGRAM": json.dumps(program)}
    for key, value in values.items():
        text = text.replace(f" = {key} ", f" = {value} ")
    return text
