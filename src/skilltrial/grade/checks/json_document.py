"""`json_matches`: a JSON document against a JSON Schema (draft 2020-12) or a JSON pointer (RFC 6901).

The document is the file at `path`, or the final message: the whole of it, or the one fenced block in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn, cast

from skilltrial.grade.checks.files import only_file
from skilltrial.grade.decision import CheckResult, Undecided, failed, passed
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import Material
from skilltrial.records.json_value import Json
from skilltrial.records.suite import JsonMatches

_MAX_PARTS = 400_000
"""Arrays and objects of a document: each takes some 200 bytes of memory, and two characters of text."""


class _NoDocument(ValueError):
    pass


class Document(NamedTuple):
    """A JSON document and how evidence calls it."""

    value: Json
    place: str


def check_json(assertion: JsonMatches, material: Material) -> CheckResult:
    """The document is JSON, fits the schema and has the value at the pointer; each only where it is asked for.

    A number and its float are equal, a boolean and a number are not. Raises `Undecided` for a broken schema, a reference to another
    document (nothing is fetched), and a document that is too large or nested too deeply.
    """
    try:
        document = read_json(assertion, material)
        problem = _misfit(assertion, document.value)
    except _NoDocument as error:
        return failed(str(error))
    except RecursionError as error:
        raise Undecided("the JSON document is nested too deeply to be checked.") from error
    return failed(f"{document.place}: {problem}") if problem else passed(_fit(assertion, document))


def read_json(assertion: JsonMatches, material: Material) -> Document:
    """The document that is looked at, which has to be there. Raises `Undecided` where it cannot be told or read."""
    if assertion.path is None:
        answer = material.final_message()
        if answer is None:
            raise _NoDocument("the agent gave no final message.")
        return _answer(answer)
    file = only_file(assertion.path, material, kept_too=assertion.any)
    if isinstance(file, CheckResult):
        raise _NoDocument(file.evidence)
    place = f"{excerpt(file.path)!r}"
    return Document(_parsed(material.text(file), place), place)


def _answer(text: str) -> Document:
    blocks = _fenced(text)
    if len(blocks) == 1:
        return Document(_parsed(blocks[0], "the fenced block"), "the fenced block of the final message")
    if len(blocks) > 1:
        raise _NoDocument(
            f"the final message has {len(blocks)} fenced blocks, and must be JSON or have one block of it."
        )
    return Document(_parsed(text, "the final message"), "the final message")


def _fenced(text: str) -> list[str]:
    """The closed blocks. By lines: a pattern would be slow where many fences stay open."""
    blocks: list[str] = []
    block: list[str] | None = None
    for line in text.split("\n"):
        if block is None:
            block = [] if line.lstrip().startswith("```") else None
        elif line.strip() == "```":
            blocks.append("\n".join(block))
            block = None
        else:
            block.append(line)
    return blocks


def _parsed(text: str, place: str) -> Json:
    def no_number(name: str) -> NoReturn:
        raise _NoDocument(f"{place} is no JSON: {name} is no JSON number.")

    n_parts = text.count("[") + text.count("{")
    if n_parts > _MAX_PARTS:
        raise Undecided(
            f"{place} has up to {n_parts:,} arrays and objects, more than the {_MAX_PARTS:,} that are read."
        )
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=no_number)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _NoDocument(f"{place} is no JSON ({error.msg}, {where}): {excerpt(text)}") from error
    except _NoDocument:
        raise
    except ValueError as error:
        raise Undecided(f"{place} holds a number that is too long to read.") from error


def _misfit(assertion: JsonMatches, value: Json) -> str:
    """What is wrong with the document, empty where nothing is."""
    if assertion.schema_ is not None and (problem := _schema_misfit(assertion.schema_, value)):
        return problem
    if assertion.pointer is None and assertion.equals is None:
        return ""
    try:
        found = _at(value, assertion.pointer or "")
    except LookupError as error:
        return f"nothing is at {assertion.pointer!r}: {error.args[0]}"
    place = f"at {assertion.pointer!r}" if assertion.pointer else "the document"
    if assertion.equals is None:
        return f"null is {place}" if found is None else ""
    return "" if is_same(found, assertion.equals) else f"{place} is {short(found)}, not {short(assertion.equals)}"


def _fit(assertion: JsonMatches, document: Document) -> str:
    if assertion.pointer is not None:
        return f"{document.place}: {short(_at(document.value, assertion.pointer))} at {assertion.pointer!r}"
    return f"{document.place}: {'fits the schema' if assertion.schema_ is not None else 'is as expected'}"


def _schema_misfit(schema: Mapping[str, Json], value: Json) -> str:
    from jsonschema import Draft202012Validator, SchemaError, validators  # noqa: PLC0415 - heavy
    from jsonschema_specifications import REGISTRY  # noqa: PLC0415 - heavy
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - heavy

    from skilltrial.grade.schema_keywords import TIMED_KEYWORDS  # noqa: PLC0415 - as above

    # The stubs leave these untyped.
    make: Any = cast("Any", validators).extend
    try:
        Draft202012Validator.check_schema(schema)
        kind = make(Draft202012Validator, TIMED_KEYWORDS)
        first: Any = next(kind(dict(schema), registry=REGISTRY).iter_errors(value), None)
    except SchemaError as error:
        raise Undecided(f"the schema is no JSON Schema ({excerpt(error.message)}); mend it.") from error
    except Unresolvable as error:
        raise Undecided(f"the schema refers to {error.ref!r}, which is not in it; nothing is fetched.") from error
    return f"{first.json_path}: {excerpt(first.message, 300)}" if first else ""


def _at(value: Json, pointer: str) -> Json:
    if not pointer:
        return value
    if not pointer.startswith("/"):
        raise Undecided(f"the pointer {pointer!r} must be empty or begin with '/'.")
    for written in pointer[1:].split("/"):
        value = _step(value, written.replace("~1", "/").replace("~0", "~"))
    return value


def _step(value: Json, name: str) -> Json:
    if isinstance(value, dict):
        fields = cast("dict[str, Json]", value)
        if name not in fields:
            raise LookupError(f"there is no {name!r} among {excerpt(', '.join(fields) or 'no keys')}")
        return fields[name]
    if isinstance(value, list):
        items = cast("list[Json]", value)
        if not re.fullmatch(r"0|[1-9][0-9]{0,9}", name) or int(name) >= len(items):
            raise LookupError(f"{name!r} is no place in an array of {len(items)}")
        return items[int(name)]
    raise LookupError(f"{short(value)} has no parts")


def is_same(one: Json, other: Json) -> bool:
    """Equal as JSON: a number and its float are, a boolean and a number are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, Mapping):
        left, right = cast("dict[str, Json]", one), cast("Mapping[str, Json]", other)
        return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list | tuple):
        items, others = cast("list[Json]", one), cast("list[Json]", other)
        return len(items) == len(others) and all(map(is_same, items, others))
    return bool(one == other)


def short(value: Json) -> str:
    """A value in one line."""
    return excerpt(json.dumps(value, ensure_ascii=False, default=repr))
