"""Source text in pieces of one colour. What a grammar's patterns may take is why this has a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

_GROUPS = (
    ("Keyword", "keyword"),
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Comment", "comment"),
    ("Name.Function", "function"),
    ("Name.Class", "function"),
    ("Name.Decorator", "function"),
    ("Name.Builtin", "builtin"),
    ("Name.Tag", "tag"),
    ("Name.Attribute", "attribute"),
    ("Operator.Word", "keyword"),
    ("Generic.Inserted", "inserted"),
    ("Generic.Deleted", "deleted"),
    ("Generic.Heading", "heading"),
    ("Generic.Subheading", "heading"),
)
"""Kinds of tokens, the first that fits, and what we call them: a page has a colour for each."""


def read_colours(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """`tokens`: [group or empty, text] in order; `language`, None where no grammar fits the file's `name`."""
    from pygments import lexers  # noqa: PLC0415 - only here
    from pygments.util import ClassNotFound  # noqa: PLC0415 - as above

    try:
        find: Callable[..., Any] = getattr(lexers, "get_lexer_for_filename")  # noqa: B009 - its stubs are half typed
        lexer = find(asked["name"], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return {"language": None, "tokens": []}
    known: dict[Any, str] = {}
    tokens: list[list[str]] = []
    for kind, text in lexer.get_tokens(path.read_bytes().decode("utf-8", "replace")):
        group = known.setdefault(kind, _group(kind))
        if tokens and tokens[-1][0] == group:
            tokens[-1][1] += text
        else:
            tokens.append([group, text])
    return {"language": lexer.name, "tokens": tokens}


def _group(kind: Any) -> str:
    name = ".".join(kind) + "."
    return next((group for prefix, group in _GROUPS if name.startswith(f"{prefix}.")), "")
