"""Markdown as a tree of the few elements that it can make. HTML in it stays text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

_ATTRIBUTES = {"a": {"href", "title"}, "img": {"src", "alt", "title"}, "ol": {"start"}}
_CELLS = {"td", "th"}


def read_markdown(path: Path, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - one shape for all readers
    """`tree`: nodes, each a text or [tag, attributes, nodes]. Addresses are as they were written: who shows them has to look."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only here

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # It refuses odd addresses by leaving the source as it is; what may be followed is decided where it is shown.
    parser.validateLink = lambda url: True  # noqa: ARG005 - its signature
    return {"tree": _nodes(parser.parse(path.read_bytes().decode("utf-8", "replace")))}


def _nodes(tokens: Sequence[Any]) -> list[Any]:
    root: list[Any] = []
    stack = [root]
    for token in tokens:
        if token.nesting < 0:
            # A paragraph of a tight list has no element.
            if not token.hidden:
                stack.pop()
            continue
        if token.hidden:
            continue
        node = _node(token)
        if token.type == "inline":
            stack[-1].extend(node)
            continue
        stack[-1].append(node)
        if token.nesting > 0:
            stack.append(node[2])
    return root


def _node(token: Any) -> Any:  # noqa: PLR0911 - one for each kind of token
    match token.type:
        case "inline":
            return _nodes(token.children or [])
        case "text" | "html_inline" | "html_block":
            return token.content
        case "softbreak":
            return "\n"
        case "hardbreak":
            return ["br", {}, []]
        case "code_inline":
            return ["code", {}, [token.content]]
        case "fence" | "code_block":
            return ["pre", {"language": token.info.split(" ")[0]}, [token.content]]
        case "image":
            return ["img", {**_attributes(token), "alt": token.content}, []]
        case _:
            return [token.tag, _attributes(token), []]


def _attributes(token: Any) -> dict[str, Any]:
    found = {name: value for name, value in token.attrs.items() if name in _ATTRIBUTES.get(token.tag, ())}
    if token.tag in _CELLS and "right" in str(token.attrs.get("style", "")):
        found["number"] = True
    return found
