"""Input files that other tools copy from one path to another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from skilltrial.records.json_value import Json
from skilltrial.records.repair import Repair
from skilltrial.spec.case_files import check_path
from skilltrial.spec.dialects.made_node import elements, made_node
from skilltrial.spec.findings import Findings, Invalid
from skilltrial.spec.json_source import Node

_SCRIPT = re.compile(
    r"(?:^|[\s;&|(])(?:(?:node|deno|bun|tsx|npx|python3?|ruby|perl|bash|zsh|sh|source|\.)\s+(?!-)|(?=\./))"
    r"[\"']?(?P<path>(?:\./)?[\w@.-]+(?:/[\w@.-]+)*\.\w+)"
)


class PlacedFiles(NamedTuple):
    """Input files by where the agent finds them."""

    places: Mapping[str, Node]
    """Objects with `path` and `source` or `content`."""
    written: tuple[Json, ...] = ()
    at: Node | None = None

    def node(self) -> Node | None:
        """As drafts have them: the value is the author's, the elements are ours."""
        if self.at is None:
            return None
        children: dict[str | int, Node] = dict(enumerate(self.places.values()))
        return Node(list(self.written), self.at.file, self.at.line, self.at.path, children)

    def joined(self, other: PlacedFiles) -> PlacedFiles:
        """With others, which win where both have the same place."""
        return PlacedFiles({**self.places, **other.places}, (*self.written, *other.written), other.at or self.at)


def placed_files(node: Node | None, findings: Findings) -> PlacedFiles:
    """From a list of `{src or content, dest}` and of paths alone, which keep their name.

    What lies outside the eval file's folder or belongs outside the agent's is left out, with a repair: the trial runs
    without it.
    """
    placed: dict[str, Node] = {}
    written: list[Json] = []
    for entry in elements(node):
        written.append(entry.value)
        try:
            place = _place(entry)
        except Invalid as error:
            findings.repair(not_given(entry, error))
            continue
        placed[place["path"]] = made_node(place, entry)
    return PlacedFiles(placed, tuple(written), node)


def not_given(entry: Node, error: Invalid) -> Repair:
    """That an input file is left out, and why."""
    why = error.problem.message.removeprefix(entry.place).strip().rstrip(".")
    return entry.repair("file-not-given", f"is not given to the agent: {why}")


def missing_script(command: str, files: PlacedFiles) -> str | None:
    """A script file that a command starts and that is not among the files the agent has; None where there is none."""
    for match in _SCRIPT.finditer(command):
        path = PurePosixPath(match["path"]).as_posix()
        if not any(path == place or path.startswith(f"{place}/") for place in files.places):
            return path
    return None


def _place(entry: Node) -> dict[str, Json]:
    if isinstance(entry.value, str):
        source = check_path(entry, entry.value)
        return {"path": PurePosixPath(source).name, "source": source}
    dest, source, content = entry.child("dest"), entry.child("src"), entry.child("content")
    if dest is None:
        raise entry.error("bad-path", "has no 'dest'.")
    path = check_path(entry, dest.value)
    if content is not None:
        return {"path": path, "content": content.value}
    if source is None:
        raise entry.error("bad-path", "has neither 'src' nor 'content'.")
    return {"path": path, "source": check_path(entry, source.value)}
