"""What a model may write as a version of a skill."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

MAX_FILES = 100
MAX_BYTES = 1_000_000
_MAX_PATH = 200
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]*")
_SKILL_FILE = "SKILL.md"
_NO_PART_OF_A_SKILL = {"evals", "node_modules", "__pycache__"}


def path_fault(path: str) -> str:
    """Why no file of a version may have this path; empty where it may. Relative, forward slashes, nothing hidden."""
    parts = path.split("/")
    if not path or len(path) > _MAX_PATH or not all(_PART.fullmatch(part) for part in parts):
        return f"{path[:_MAX_PATH]!r} is no path of a file in a skill: write it relative, with forward slashes."
    if any(part.endswith((".", " ")) for part in parts):
        return f"{path!r} has a part that ends with a dot or a space."
    if parts[0].endswith("-workspace") or not _NO_PART_OF_A_SKILL.isdisjoint(part.casefold() for part in parts):
        return (
            f"{path!r} is no part of the skill: agents get no evals, caches or workspaces, and nor may they be written."
        )
    return ""


def proposal_fault(written: Sequence[tuple[str, str]], deleted: Sequence[str], parent: Mapping[str, bytes]) -> str:
    """Why these files are no version of the parent (path -> bytes); empty where they are."""
    return next(_faults(written, deleted, parent), "")


def _faults(written: Sequence[tuple[str, str]], deleted: Sequence[str], parent: Mapping[str, bytes]) -> Iterator[str]:
    paths = [path for path, _ in written]
    yield from filter(None, map(path_fault, [*paths, *deleted]))
    yield from (f"{path!r} is to be deleted, but is no file of the skill." for path in deleted if path not in parent)
    if _SKILL_FILE in deleted:
        yield f"{_SKILL_FILE} cannot be deleted."
    if len(set(paths)) < len(paths) or set(paths) & set(deleted):
        yield "a path is named twice."
    size = sum(len(text.encode("utf-8", "replace")) for _, text in written)
    if size > MAX_BYTES:
        yield f"what was written has {size} bytes; {MAX_BYTES} are the most."
    if any("\0" in text for _, text in written):
        yield "a file holds a zero byte: only files of text can be written."
    yield from _faults_of_whole(version_files(written, deleted, parent), parent)


def _faults_of_whole(after: Mapping[str, bytes], parent: Mapping[str, bytes]) -> Iterator[str]:
    if len(after) > MAX_FILES + len(parent):
        yield f"there are {len(after)} files; {MAX_FILES} more than before are the most."
    if len({path.casefold() for path in after}) < len(after):
        yield "two paths differ in case alone."
    folders = {str(folder) for path in after for folder in PurePosixPath(path).parents}
    yield from (f"{path!r} would be a file and a folder." for path in sorted(folders & set(after)))
    if after == dict(parent):
        yield "nothing is different from the version that there is."


def version_files(
    written: Sequence[tuple[str, str]], deleted: Sequence[str], parent: Mapping[str, bytes]
) -> dict[str, bytes]:
    """All files of the version: the parent's but for what is deleted, and what is written in place of those or beside them."""
    kept = {path: data for path, data in parent.items() if path not in deleted}
    return kept | {path: text.encode("utf-8", "replace") for path, text in written}
