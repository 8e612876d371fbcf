"""What a typed assertion must keep to, beyond the types of its operands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from skilltrial.records.record import Json
from skilltrial.records.suite import (
    AnswerMatches,
    AssertionBase,
    CommandCheck,
    DoubleCalled,
    FileExists,
    FileMatches,
    JsonMatches,
    LlmJudge,
    TranscriptCheck,
)
from skilltrial.spec.case_files import check_path
from skilltrial.spec.findings import shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.patterns import BadPattern, compile_pattern


def check_rules(record: AssertionBase, node: Node) -> None:
    """What types do not say: patterns compile, paths stay inside, nothing is void. Raises `Invalid`."""
    check = _CHECKS.get(type(record))
    if check is not None:
        check(cast("Any", record), node)


def _check_rubric(record: LlmJudge, node: Node) -> None:
    if not record.rubric.strip():
        raise _at(node, "rubric").error("empty-assertion", "is empty.", hint="Write what must hold.")


def _check_pattern(record: TranscriptCheck | AnswerMatches, node: Node) -> None:
    if record.pattern is None:
        raise node.error("key-missing", "has no 'pattern'.", hint=f"A {node.value['type']} needs it.")
    _compile(_at(node, "pattern"), record.pattern)


def _check_file_exists(record: FileExists, node: Node) -> None:
    check_path(_at(node, "path"), record.path)


def _check_file_matches(record: FileMatches, node: Node) -> None:
    check_path(_at(node, "path"), record.path)
    _compile(_at(node, "pattern"), record.pattern)


def _check_json(record: JsonMatches, node: Node) -> None:
    if record.path is not None:
        check_path(_at(node, "path"), record.path)
    if record.schema_ is None and record.pointer is None:
        hint = "Give the one or the other (or both): without, nothing is checked."
        raise node.error("key-missing", "has neither 'schema' nor 'pointer'.", hint=hint)
    if record.pointer is not None and not re.fullmatch(r"(/([^~/]|~[01])*)*", record.pointer):
        hint = "Write it like '/total/amount' (RFC 6901)."
        raise _at(node, "pointer").error("bad-pointer", f"is no JSON pointer: {shown(record.pointer)}.", hint=hint)
    if record.schema_ is not None:
        _check_schema(_at(node, "schema"), record.schema_)


def _check_schema(node: Node, schema: Mapping[str, Json]) -> None:
    from jsonschema import SchemaError  # noqa: PLC0415 - heavy, and few suites need it
    from jsonschema.validators import validator_for  # noqa: PLC0415 - as above

    try:
        validator_for(schema).check_schema(dict(schema))
    except SchemaError as error:
        where = "/".join(str(step) for step in error.absolute_path)
        what = f"is no JSON Schema{' at ' + repr(where) if where else ''}: {error.message[:200]}."
        raise node.error("bad-schema", what) from None
    except (RecursionError, TypeError, AttributeError, ValueError) as error:
        raise node.error("bad-schema", f"is no JSON Schema: {error}.") from None


def _check_command(record: CommandCheck, node: Node) -> None:
    if not record.command.strip() or "\0" in record.command:
        raise _at(node, "command").error("bad-operand", f"is no shell command: {shown(record.command)}.")
    if record.timeout_s <= 0:
        raise _at(node, "timeout_s").error("bad-operand", f"must be more than 0, not {shown(record.timeout_s)}.")
    if record.expect_stdout is not None:
        _compile(_at(node, "expect_stdout"), record.expect_stdout)


def _check_double(record: DoubleCalled, node: Node) -> None:
    if not record.double.strip():
        raise _at(node, "double").error("bad-operand", f"is no name of a double: {shown(record.double)}.")
    if record.matches is not None:
        _compile(_at(node, "matches"), record.matches)
    if record.max_count is not None and record.max_count < record.min_count and record.max_count > 0:
        what = f"must not be less than min_count ({record.min_count}), but is {record.max_count}."
        raise _at(node, "max_count").error("bad-operand", what)


def _compile(node: Node, pattern: str) -> None:
    if not pattern:
        raise node.error("bad-pattern", "is empty, and would match everything.")
    try:
        compile_pattern(pattern)
    except BadPattern as error:
        hint = "Patterns are Python regular expressions (package `regex`); in JSON every backslash is doubled."
        raise node.error("bad-pattern", f"{error} in {shown(pattern)}.", hint=hint) from None


def _at(node: Node, key: str) -> Node:
    return node.child(key) or node


_CHECKS: Mapping[type[AssertionBase], Callable[[Any, Node], None]] = {
    LlmJudge: _check_rubric,
    TranscriptCheck: _check_pattern,
    AnswerMatches: _check_pattern,
    FileExists: _check_file_exists,
    FileMatches: _check_file_matches,
    JsonMatches: _check_json,
    CommandCheck: _check_command,
    DoubleCalled: _check_double,
}
