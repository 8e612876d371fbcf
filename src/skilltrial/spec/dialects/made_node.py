"""Values that a dialect makes, at the place of what they are made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from skilltrial.records.json_value import Json
from skilltrial.spec.json_source import Node


def made_node(value: Json, place: Node) -> Node:
    """A value with the file, line and path of another, at every depth."""
    children: dict[str | int, Node] = {}
    if isinstance(value, dict):
        children = {key: made_node(inner, place) for key, inner in cast("dict[str, Json]", value).items()}
    elif isinstance(value, list):
        children = {number: made_node(inner, place) for number, inner in enumerate(cast("list[Json]", value))}
    return Node(value, place.file, place.line, place.path, children)


def elements(node: Node | None) -> Iterator[Node]:
    """The elements of a list; none where there is no list."""
    if node is not None and isinstance(node.value, list):
        yield from node.elements()


def text_of(node: Node | None) -> str | None:
    """A text that is not blank; None for anything else."""
    return node.value if node is not None and isinstance(node.value, str) and node.value.strip() else None


def has_list(root: Node, key: str) -> bool:
    """Whether a key of an object holds a list with elements."""
    found = root.child(key) if isinstance(root.value, dict) else None
    return found is not None and isinstance(found.value, list) and bool(found.children)
