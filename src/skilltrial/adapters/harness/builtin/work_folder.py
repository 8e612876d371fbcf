"""The agent's folder: reading and writing files in it and nowhere else."""

from __future__ import annotations

import io
import stat
from pathlib import Path, PurePosixPath

from skilltrial.adapters.inner_file import open_inside

MAX_READ = 50_000
MAX_WRITE = 1_000_000
MAX_LISTED = 500


class Refused(Exception):
    """An action that could not be done; the text goes to the model."""


class WorkFolder:
    """File actions confined to a folder, after links are resolved."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def place(self, path: str) -> Path:
        """The place that a path of the model's names; Refused where it is outside."""
        try:
            resolved = (self._root / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise Refused(f"{path!r} is no usable path: {error}") from error
        if not resolved.is_relative_to(self._root):
            raise Refused(f"{path!r} is outside the working folder.")
        return resolved

    def read(self, path: str) -> str:
        """The text of a file, cut where it is long."""
        text = self._text(path)
        return text if len(text) <= MAX_READ else f"{text[:MAX_READ]}\n[cut after {MAX_READ} characters]"

    def write(self, path: str, content: str) -> str:
        """Makes or replaces a file, with the folders above it."""
        place = self.place(path)
        if len(content) > MAX_WRITE:
            raise Refused(f"the content is longer than {MAX_WRITE} characters.")
        try:
            if place.exists() and not place.is_file():
                raise Refused(f"{path!r} is not a file.")
            data = content.encode("utf-8")
            with open_inside(self._root, self._inner(place), write=True) as file:
                file.write(data)
        except (OSError, UnicodeError) as error:
            raise Refused(f"{path!r} cannot be written: {error}.") from error
        return f"Wrote {path}."

    def edit(self, path: str, old: str, new: str) -> str:
        """Replaces a text that stands in the file exactly once."""
        text = self._text(path)
        if len(text) > MAX_WRITE:
            raise Refused(f"{path!r} is longer than {MAX_WRITE} characters.")
        count = text.count(old) if old else 0
        if count != 1:
            raise Refused(f"the old text stands in {path!r} {count} times; it has to stand there once.")
        return self.write(path, text.replace(old, new))

    def list(self, path: str) -> str:
        """Files below a folder, one a line; version control is left out."""
        place = self.place(path or ".")
        if not place.is_dir():
            raise Refused(f"{path!r} is not a folder.")
        found = sorted(
            file.relative_to(self._root).as_posix()
            for file in place.rglob("*")
            if not file.is_dir() and ".git" not in file.relative_to(self._root).parts
        )
        cut = [f"[{len(found) - MAX_LISTED} more]"] if len(found) > MAX_LISTED else []
        return "\n".join(found[:MAX_LISTED] + cut) or "[empty]"

    def _text(self, path: str) -> str:
        place = self.place(path)
        try:
            if not stat.S_ISREG(place.stat().st_mode):
                raise Refused(f"{path!r} is not a file.")
            with io.TextIOWrapper(
                open_inside(self._root, self._inner(place)), encoding="utf-8", errors="replace", newline=""
            ) as file:
                return file.read(MAX_WRITE + 1)
        except OSError as error:
            raise Refused(f"{path!r} cannot be read: {error.strerror}.") from error

    def _inner(self, place: Path) -> PurePosixPath:
        """A place as a path in the folder. What was no link a moment ago may be one now: the agent's programs go on."""
        return PurePosixPath(place.relative_to(self._root))
