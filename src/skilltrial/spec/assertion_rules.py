"""What a typed assertion must keep to, beyond the types of its operands."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from skilltrial.records.json_value import Json
from skilltrial.records.suite import (
    AnswerMatches,
    AssertionBase,
    CommandCheck,
    DiffScope,
    DoubleCalled,
    FileAbsent,
    FileExists,
    FileMatches,
    JsonMatches,
    Limit,
    LlmJudge,
    Similar,
    TranscriptCheck,
)
from skilltrial.spec.case_files import check_path
from skilltrial.spec.document_rules import DOCUMENT_RULES
from skilltrial.spec.findings import shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.operands import at, check_pattern

MAX_COMBINATIONS = 64
"""Of the variables of a command check: each is a run of the command for each trial."""


def check_rules(record: AssertionBase, node: Node) -> None:
    """What types do not say: patterns compile, paths stay inside, nothing is void. Raises `Invalid`."""
    check = _CHECKS.get(type(record))
    if check is not None:
        check(cast("Any", record), node)


def _check_rubric(record: LlmJudge, node: Node) -> None:
    if not record.rubric.strip():
        raise at(node, "rubric").error("empty-assertion", "is empty.", hint="Write what must hold.")


def _check_answer(record: AnswerMatches, node: Node) -> None:
    check_pattern(at(node, "pattern"), record.pattern)


def _check_transcript(record: TranscriptCheck, node: Node) -> None:
    if record.pattern is None:
        raise node.error("key-missing", "has no 'pattern'.", hint=f"A {node.value['type']} needs it.")
    for key in ("pattern", "result_matches", "before", "after"):
        pattern: str | None = getattr(record, key)
        if pattern is not None:
            check_pattern(at(node, key), pattern)
    counted = "min" if record.min_count is not None else "max"
    if record.negate and (record.min_count is not None or record.max_count is not None):
        hint = "Nothing may match then, so that there is nothing to count. Use the one or the other."
        raise at(node, counted).error("bad-operand", f"stands beside a negation: {counted!r}.", hint=hint)
    if record.min_count is not None and record.max_count is not None and record.max_count < record.min_count:
        what = f"must not be less than min ({record.min_count}), but is {record.max_count}."
        raise at(node, "max").error("bad-operand", what)
    of_calls = {"arg": record.arg, "result_matches": record.result_matches, "succeeded": record.succeeded}
    for key, value in of_calls.items():
        if value is not None and record.check != "tool_invocation_matches":
            raise at(node, key).error("bad-operand", f"is about tool calls: {record.check} has no {key!r}.")
    if record.arg is not None and not record.arg.strip():
        raise at(node, "arg").error("bad-operand", f"is no name of an argument: {shown(record.arg)}.")


def _check_file(record: FileExists | FileAbsent, node: Node) -> None:
    check_path(at(node, "path"), record.path)


def _check_file_matches(record: FileMatches, node: Node) -> None:
    check_path(at(node, "path"), record.path)
    check_pattern(at(node, "pattern"), record.pattern)


def _check_text(record: JsonMatches | Similar, node: Node) -> None:
    if record.path is not None:
        check_path(at(node, "path"), record.path)
    elif record.any:
        raise at(node, "any").error(
            "bad-operand", "is about files, and there is no 'path'.", hint="Give the path, or drop it."
        )


def _check_json(record: JsonMatches, node: Node) -> None:
    _check_text(record, node)
    if record.schema_ is None and record.pointer is None and record.jsonpath is None:
        hint = "Give one of them: without, nothing is checked."
        raise node.error("key-missing", "has neither 'schema' nor 'pointer' nor 'jsonpath'.", hint=hint)
    if record.jsonpath is not None:
        _check_jsonpath(record.jsonpath, at(node, "jsonpath"), beside_pointer=record.pointer is not None)
    if record.pointer is not None and not re.fullmatch(r"(/([^~/]|~[01])*)*", record.pointer):
        hint = "Write it like '/total/amount' (RFC 6901)."
        raise at(node, "pointer").error("bad-pointer", f"is no JSON pointer: {shown(record.pointer)}.", hint=hint)
    if record.schema_ is not None:
        _check_schema(at(node, "schema"), record.schema_)


def _check_jsonpath(expression: str, node: Node, *, beside_pointer: bool) -> None:
    if beside_pointer:
        raise node.error("bad-operand", "stands beside 'pointer'.", hint="Write one of them.")
    if not expression.startswith("$"):
        hint = "Write it like '$.items[*].price' (RFC 9535)."
        raise node.error("bad-jsonpath", f"is no JSONPath: {shown(expression)}.", hint=hint)
    try:
        import jsonpath  # noqa: PLC0415 - of an extra; without it the check is UNGRADED
    except ImportError:
        return
    try:
        jsonpath.compile(expression)
    except jsonpath.JSONPathError as error:
        raise node.error("bad-jsonpath", f"is no JSONPath: {shown(expression)} ({error}).") from None


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
        raise at(node, "command").error("bad-operand", f"is no shell command: {shown(record.command)}.")
    if record.timeout_s <= 0:
        raise at(node, "timeout_s").error("bad-operand", f"must be more than 0, not {shown(record.timeout_s)}.")
    if record.expect_stdout is not None:
        check_pattern(at(node, "expect_stdout"), record.expect_stdout)
    for name, value in record.env.items():
        _check_variable(at(node, "env"), name, value)
    for name, values in record.matrix.items():
        _check_dimension(at(node, "matrix"), name, values)
    both = sorted(record.env.keys() & record.matrix.keys())
    if both:
        raise at(node, "matrix").error("bad-operand", f"has a variable that 'env' has too: {both[0]!r}.")
    n_runs = math.prod(len(values) for values in record.matrix.values())
    if n_runs > MAX_COMBINATIONS:
        what = f"has {n_runs:,} combinations, and at most {MAX_COMBINATIONS} are run."
        raise at(node, "matrix").error("bad-operand", what)


def _check_dimension(node: Node, name: str, values: Sequence[str]) -> None:
    if not values or len(set(values)) < len(values):
        what = "has no values" if not values else "has a value twice"
        raise at(node, name).error("bad-operand", f"{what}: {shown(list(values))}.")
    for value in values:
        _check_variable(node, name, value)


def _check_variable(node: Node, name: str, value: str) -> None:
    if not name or set(name) & set("=\0"):
        raise node.error("bad-operand", f"has a name that is none of a variable: {shown(name)}.")
    if "\0" in value:
        raise at(node, name).error("bad-operand", f"has a NUL character in {shown(value)}.")


def _check_scope(record: DiffScope, node: Node) -> None:
    _check_any_of(record, node, ("max_files_touched", "max_lines_changed"))


def _check_limit(record: Limit, node: Node) -> None:
    _check_any_of(record, node, ("tokens", "cost_usd", "seconds", "tool_calls", "turns"))


def _check_any_of(record: AssertionBase, node: Node, keys: Sequence[str]) -> None:
    if all(getattr(record, key) is None for key in keys):
        what = f"has none of {', '.join(map(repr, keys))}."
        raise node.error("key-missing", what, hint="Give one or more: without, nothing is checked.")


def _check_similar(record: Similar, node: Node) -> None:
    given = [key for key in ("golden", "golden_file") if node.child(key) is not None]
    if len(given) != 1:
        what = "has both 'golden' and 'golden_file'." if given else "has neither 'golden' nor 'golden_file'."
        raise node.error("key-missing", what, hint="Write the text itself, or the path of a file that holds it.")
    if record.golden is not None and not record.golden.strip():
        raise at(node, "golden").error("bad-operand", "is empty, and nothing can be like it.")
    _check_text(record, node)


def _check_double(record: DoubleCalled, node: Node) -> None:
    if not record.double.strip():
        raise at(node, "double").error("bad-operand", f"is no name of a double: {shown(record.double)}.")
    if record.matches is not None:
        check_pattern(at(node, "matches"), record.matches)
    if record.max_count is not None and record.max_count < record.min_count and record.max_count > 0:
        what = f"must not be less than min_count ({record.min_count}), but is {record.max_count}."
        raise at(node, "max_count").error("bad-operand", what)


_CHECKS: Mapping[type[AssertionBase], Callable[[Any, Node], None]] = {
    LlmJudge: _check_rubric,
    TranscriptCheck: _check_transcript,
    AnswerMatches: _check_answer,
    FileExists: _check_file,
    FileAbsent: _check_file,
    FileMatches: _check_file_matches,
    JsonMatches: _check_json,
    CommandCheck: _check_command,
    DiffScope: _check_scope,
    Limit: _check_limit,
    Similar: _check_similar,
    DoubleCalled: _check_double,
    **DOCUMENT_RULES,
}
