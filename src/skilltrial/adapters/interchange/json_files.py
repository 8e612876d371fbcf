"""JSON files of somebody else's workspace: read once each, capped in size, with what is wrong and where it stops."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from typing import Literal, NamedTuple

from jiter import from_json

from skilltrial.records.foreign import Refused
from skilltrial.records.json_value import Json
from skilltrial.records.repair import Repair

MAX_BYTES = 64 * 1024 * 1024
_SHOWN = 80

Spelling = Literal["skill-creator", "skill-builder", "slow-powers", "agentskills", "other"]
"""Whose way of writing verdicts a file follows."""


class Loaded(NamedTuple):
    """A file's value, or why there is none. NaN and infinities stay what they are."""

    value: Json
    fault: str = ""


class ForeignFiles:
    """The files below a root, with everything that reading them had to say."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.refused: list[Refused] = []
        self.repairs: list[Repair] = []
        self.stray: list[str] = []
        self.spellings: Counter[Spelling] = Counter()
        """How many files follow whose way."""

    def load(self, place: str) -> Loaded:
        """One JSON file. Never raises: a file that cannot be read has a `fault`."""
        try:
            data = _bytes(f"{self._root}/{place}")
        except OSError as error:
            return Loaded(None, f"cannot be read: {error.strerror}")
        except ValueError as error:
            return Loaded(None, str(error))
        return parse(data)

    def text(self, place: str) -> str | None:
        """A text file; None where it cannot be read."""
        try:
            return _bytes(f"{self._root}/{place}").decode("utf-8", errors="replace")
        except (OSError, ValueError):
            return None

    def refuse(self, place: str, reason: str) -> None:
        """Note a file that is not part of the record."""
        self.refused.append(Refused(place=place, reason=reason))

    def repair(self, code: str, message: str, place: str, *, path: str = "", value: Json = None) -> None:
        """Note that reading had to interpret something. `place` may end in `#path`."""
        file, _, inner = place.partition("#")
        inside = ".".join(part for part in (inner, path) if part)
        shown = "" if value is None else value if isinstance(value, str) else repr(value)
        if len(shown) > _SHOWN:
            shown = shown[:_SHOWN] + "…"
        self.repairs.append(Repair(code=code, message=message, file=file, path=inside, value=shown))


def parse(data: bytes) -> Loaded:
    """The value of a JSON text. The fast parser first; the other one says better what is wrong, and takes more."""
    try:
        return Loaded(from_json(data))
    except ValueError:
        return _parse_slowly(data)


def _parse_slowly(data: bytes) -> Loaded:
    try:
        return Loaded(json.loads(data.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        return Loaded(None, f"not UTF-8: byte {error.start} is {data[error.start : error.start + 1]!r}")
    except json.JSONDecodeError as error:
        return Loaded(None, f"no valid JSON: {error.msg}, line {error.lineno} column {error.colno}")
    except RecursionError:
        return Loaded(None, "nested too deeply to be read")
    except ValueError as error:
        return Loaded(None, f"no valid JSON: {error}")


def _bytes(path: str) -> bytes:
    """Of a regular file, without following a link or waiting for a pipe."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError("no regular file")
        if facts.st_size > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES // (1024 * 1024)} MiB")
        data = os.read(handle, facts.st_size + 1)
        while len(data) < facts.st_size and (part := os.read(handle, facts.st_size - len(data))):
            data += part
        return data
    finally:
        os.close(handle)
