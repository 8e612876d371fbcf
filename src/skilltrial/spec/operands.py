"""Operands of assertions, wherever they stand."""

from __future__ import annotations

from skilltrial.spec.findings import shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.patterns import BadPattern, compile_pattern


def at(node: Node, *keys: str) -> Node:
    """The value at a key (of a value at a key …), or, where there is none, the last that is there."""
    for key in keys:
        node = node.child(key) or node
    return node


def check_pattern(node: Node, pattern: str) -> None:
    """Raises `Invalid` for a pattern that does not compile, or matches everything because it is empty."""
    if not pattern:
        raise node.error("bad-pattern", "is empty, and would match everything.")
    try:
        compile_pattern(pattern)
    except BadPattern as error:
        hint = "Patterns are Python regular expressions (package `regex`); in JSON every backslash is doubled."
        raise node.error("bad-pattern", f"{error} in {shown(pattern)}.", hint=hint) from None
