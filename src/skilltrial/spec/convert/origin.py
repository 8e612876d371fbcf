"""Where a suite comes from: its skill, and what its input files hold."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import NamedTuple

from skilltrial.records.skill import Skill
from skilltrial.records.suite import CaseFile
from skilltrial.spec.findings import invalid

MAX_CONTENT = 1_000_000
"""Bytes of an input file that is put into a document."""

Contents = Callable[[CaseFile], bytes]


class Origin(NamedTuple):
    """The surroundings of an eval file."""

    skill_name: str
    """Of the skill, or made from the folder."""
    folder: PurePath
    """Of the skill."""
    read: Contents

    def path_of(self, file: CaseFile) -> str | None:
        """Where an input file lies below the skill's folder; None where it lies elsewhere, or nowhere."""
        if file.source is None:
            return None
        for folder in (self.folder, PurePath(os.path.realpath(self.folder))):
            source = PurePath(file.source)
            if source.is_relative_to(folder):
                return source.relative_to(folder).as_posix()
        return None


def origin_of(path: str, skill: Skill | None, read: Contents) -> Origin:
    """The surroundings of the eval file at a path, whose skill may not be known."""
    if skill is not None:
        return Origin(skill.name, PurePath(skill.folder), read)
    beside = PurePath(path).parent
    folder = beside.parent if beside.name == "evals" else beside
    return Origin(folder.name or "skill", folder, read)


def contents(file: CaseFile) -> bytes:
    """The first bytes of an input file, one more than `MAX_CONTENT` at most. Raises `SpecError` where it cannot be read."""
    if file.source is None:
        return (file.content or "").encode()
    try:
        with Path(file.source).open("rb") as stream:
            return stream.read(MAX_CONTENT + 1)
    except OSError as error:
        message = f"the input file cannot be read: {error.strerror}."
        raise invalid("unreadable", message, file=file.source) from None
