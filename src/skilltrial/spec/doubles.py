"""The `doubles` of a case: what stands in for real programs, services and servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from skilltrial.records.doubles import Doubles
from skilltrial.records.json_value import Json
from skilltrial.spec.case_files import check_path
from skilltrial.spec.findings import Invalid, shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.patterns import BadPattern, compile_pattern

_HINT = "docs/doubles.md has examples."
_FREE = {"json", "input_schema", "headers", "writes"}
"""Below these, any key may stand."""
_PATTERNS = ("args_match", "path_matches", "body_matches")
_TAKEN = {"PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "SHELL", "LANG"}
_WHAT = {
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "mapping_type": "must be an object",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


def read_doubles(node: Node) -> Doubles:
    """What an author wrote, checked. Raises `Invalid` with the place of the first thing that is not right."""
    try:
        text = json.dumps(_without_comments(node.value), ensure_ascii=True)
        doubles = Doubles.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise _complaint(node, error) from None
    if not (doubles.commands or doubles.http or doubles.mcp):
        raise node.error("bad-doubles", "has no doubles.", hint=f"Give 'commands', 'http' or 'mcp'. {_HINT}")
    _check_names(node)
    for one in _below(node):
        _check(one)
    return doubles.model_copy(update={"written": node.value})


def _without_comments(value: Json) -> Json:
    """Keys that begin with `$` are comments, but not in what is the double's own."""
    if isinstance(value, dict):
        items = cast("dict[str, Json]", value).items()
        return {
            key: item if key in _FREE else _without_comments(item) for key, item in items if not key.startswith("$")
        }
    return [_without_comments(item) for item in cast("list[Json]", value)] if isinstance(value, list) else value


def _complaint(node: Node, error: ValidationError) -> Invalid:
    first = error.errors(include_url=False)[0]
    at = node
    for step in first["loc"]:
        at = at.children.get(step, at)
    key = str(first["loc"][-1]) if first["loc"] else ""
    match first["type"]:
        case "missing":
            what = f"has no {key!r}."
        case "extra_forbidden":
            near = get_close_matches(key, _keys(Doubles, list(first["loc"][:-1])), n=1)
            what = f"is no key of a double{f' (did you mean {near[0]!r}?)' if near else ''}."
        case "string_pattern_mismatch":
            what = f"is no name that can be used: {shown(at.value)}."
        case kind:
            why = _WHAT.get(kind) or f"cannot be used ({first['msg'][0].lower()}{first['msg'][1:]})"
            what = f"{why}, not {shown(at.value)}." if kind in _WHAT else f"{why}: {shown(at.value)}."
    return at.error("bad-doubles", what, hint=_HINT)


def _keys(model: type[BaseModel], loc: list[Any]) -> list[str]:
    """The keys of the record at a place."""
    for step in loc:
        if isinstance(step, str) and step in model.model_fields:
            inner = [
                one for one in getattr(model.model_fields[step].annotation, "__args__", ()) if isinstance(one, type)
            ]
            model = next((one for one in inner if issubclass(one, BaseModel)), model)
    return [field.alias or name for name, field in model.model_fields.items() if name != "written"]


def _below(node: Node) -> Iterator[Node]:
    """Every object of doubles, without what is the double's own."""
    if isinstance(node.value, dict):
        yield node
    for key, child in node.children.items():
        if key not in _FREE and not str(key).startswith("$"):
            yield from _below(child)


def _check(node: Node) -> None:
    """What types do not say of one object."""
    for key in _PATTERNS:
        pattern = node.child(key)
        if pattern is not None:
            _check_pattern(pattern)
    writes = node.child("writes")
    for path, content in writes.children.items() if writes else ():
        check_path(content, str(path), owner="trial")
    headers = node.child("headers")
    for name, header in headers.children.items() if headers else ():
        if not str(name).replace("-", "").isalnum() or not str(header.value).isprintable():
            raise header.error("bad-doubles", f"is no header: {shown(header.value)}.", hint=_HINT)
    if node.child("json") is not None and node.child("body") is not None:
        raise node.error("bad-doubles", "has both 'json' and 'body'.", hint="Leave one of them out.")


def _check_pattern(node: Node) -> None:
    try:
        compile_pattern(str(node.value))
    except BadPattern as error:
        hint = "Patterns are Python regular expressions (package `regex`); in JSON every backslash is doubled."
        raise node.error("bad-pattern", f"{error} in {shown(node.value)}.", hint=hint) from None


def _check_names(node: Node) -> None:
    """No two of a kind have one name, and no two services one variable."""
    servers = [one.children["tools"] for one in _listed(node, "mcp") if "tools" in one.children]
    for group, key in (
        *((list(_listed(node, kind)), "name") for kind in ("commands", "http", "mcp")),
        *((list(tools.elements()), "name") for tools in servers),
        (list(_listed(node, "http")), "env"),
    ):
        seen: set[Json] = set()
        for one in group:
            name = one.children[key]
            if name.value in seen:
                raise name.error("bad-doubles", f"is used twice: {shown(name.value)}.", hint="Rename one.")
            if key == "env" and name.value in _TAKEN:
                raise name.error("bad-doubles", f"is the system's own: {shown(name.value)}.", hint="Take another one.")
            seen.add(name.value)


def _listed(node: Node, kind: str) -> Iterator[Node]:
    found = node.child(kind)
    yield from found.elements() if found else ()
