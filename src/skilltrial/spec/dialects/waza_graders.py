"""Graders of waza -> criteria. One that makes several checks becomes several criteria, so that each has its verdict.

What waza calls the output is everything that its agent said, not the final message alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from skilltrial.records.json_value import Json
from skilltrial.spec.dialects.answer_check import contains, in_any_message, is_anchored, matches
from skilltrial.spec.dialects.draft import CriterionDraft
from skilltrial.spec.dialects.made_node import elements, text_of
from skilltrial.spec.json_source import Node

_MEMBERSHIP = re.compile(r"(['\"])([^'\"\\]+)\1\s+(not\s+)?in\s+output(\.lower\(\))?")
_ONE_OF = r"(?:'[^'\"\\]+'|\"[^'\"\\]+\")\s+in\s+output(?:\.lower\(\))?"
_SEVERAL = re.compile(rf"{_ONE_OF}(?:\s+or\s+{_ONE_OF})*")
_MAX_EXPRESSION = 1_000

_OTHER_KINDS: Mapping[str, str] = {
    "behavior": "limits, and tools by the names that waza's agent has for them, are not graded by this version",
    "action_sequence": "it names tools as waza's agent has them",
    "tool_constraint": "it names tools as waza's agent has them",
    "tool_calls": "it names tools as waza's agent has them",
    "skill_invocation": "it is about several skills, and one is on trial",
    "trigger": "it guesses from words whether the skill is meant; trials show whether it is loaded",
    "diff": "it compares with files of the author's",
    "program": "it runs a program on the final message",
    "script": "it runs a script of the author's",
    "llm": "its rubric stands in another file",
}
_ANCHORED = "its pattern is tied to the ends of everything that the agent said, which comes in several messages here"
_LABELS = {"type", "name", "weight", "config", "description"}
_SIGNED = {("regex", "pattern"), ("regex", "should_match")}

_Read = Callable[[Node], Iterator[CriterionDraft]]


def waza_criteria(graders: Node | None) -> Iterator[CriterionDraft]:
    """The criteria of a list of graders."""
    for grader in elements(graders):
        kind = grader.child("type")
        name = kind.value if kind is not None and isinstance(kind.value, str) else ""
        operands = grader.child("config") or grader
        readers = _KINDS.get(name)
        if readers is None:
            reason = _OTHER_KINDS.get(name, f"graders of type {name[:40]!r} are not known here")
            yield CriterionDraft(node=grader, means=None, reason=reason)
            continue
        if name == "regex":
            yield from _pattern(operands)
        yield from _operands(name, operands, readers)


def _operands(kind: str, operands: Node, readers: Mapping[str, _Read]) -> Iterator[CriterionDraft]:
    for key, node in operands.children.items():
        if node.value is None or key in _LABELS or (kind, key) in _SIGNED:
            continue
        read = readers.get(str(key))
        if read is None:
            reason = f"{str(key)[:40]!r} of {kind} has no counterpart here"
            yield CriterionDraft(node=node, means=None, reason=reason)
        else:
            yield from read(node)


def _pattern(operands: Node) -> Iterator[CriterionDraft]:
    """The one pattern whose sign stands beside it."""
    pattern, should = operands.child("pattern"), operands.child("should_match")
    if pattern is None:
        return
    sign = True if should is None else should.value
    means = _said(pattern.value, negate=not sign) if isinstance(sign, bool) else None
    yield CriterionDraft(
        node=operands, means=means, reason=_ANCHORED if isinstance(sign, bool) else "'should_match' is no truth value"
    )


def expected_criteria(expected: Node) -> Iterator[CriterionDraft]:
    """What a task expects beside its graders."""
    for key, node in expected.children.items():
        match key:
            case "output_contains":
                yield from _each_contained(node, ignore_case=True, negate=False)
            case "output_not_contains":
                yield from _each_contained(node, ignore_case=True, negate=True)
            case "output_contains_any":
                texts = [text for text in map(text_of, elements(node)) if text]
                means = in_any_message(contains(texts, ignore_case=True)) if texts else None
                yield CriterionDraft(node=node, means=means, reason="it has no texts")
            case "should_trigger":
                pass
            case _ if node.value is not None:
                reason = f"what waza expects as {str(key)[:40]!r} has no counterpart here"
                yield CriterionDraft(node=node, means=None, reason=reason)
            case _:
                pass


def _each(node: Node, means: Callable[[Node], Mapping[str, Json] | None], reason: str) -> Iterator[CriterionDraft]:
    for entry in elements(node) if isinstance(node.value, list) else [node]:
        yield CriterionDraft(node=entry, means=means(entry), reason=reason)


def _each_contained(node: Node, *, ignore_case: bool, negate: bool) -> Iterator[CriterionDraft]:
    def means(entry: Node) -> Mapping[str, Json] | None:
        text = text_of(entry)
        return in_any_message(contains([text], ignore_case=ignore_case, negate=negate)) if text else None

    yield from _each(node, means, "it is no text")


def _contained(*, ignore_case: bool, negate: bool) -> _Read:
    return lambda node: _each_contained(node, ignore_case=ignore_case, negate=negate)


def _matched(*, negate: bool) -> _Read:
    return lambda node: _each(node, lambda entry: _said(entry.value, negate=negate), _ANCHORED)


def _said(pattern: Json, *, negate: bool) -> Mapping[str, Json] | None:
    return None if is_anchored(pattern) else in_any_message(matches(pattern, negate=negate))


def _expressions(node: Node) -> Iterator[CriterionDraft]:
    reason = "it is an expression in Python; only those of the form 'text' in output (or output.lower()) are graded"
    yield from _each(node, lambda entry: _expression(entry.value), reason)


def _expression(written: Json) -> Mapping[str, Json] | None:
    """What `'text' in output`, its negation, or several joined by `or` say; None for all other expressions."""
    if not isinstance(written, str) or len(written) > _MAX_EXPRESSION:
        return None
    written = written.strip()
    single = _MEMBERSHIP.fullmatch(written)
    parts = [single] if single else list(_MEMBERSHIP.finditer(written)) if _SEVERAL.fullmatch(written) else []
    lowered = {bool(part[4]) for part in parts}
    if len(lowered) != 1:
        return None
    ignore_case = lowered.pop()
    texts = [part[2] for part in parts]
    if ignore_case and any(text != text.lower() for text in texts):
        return None
    return in_any_message(contains(texts, ignore_case=ignore_case, negate=bool(parts[0][3])))


def _existing(node: Node) -> Iterator[CriterionDraft]:
    yield from _each(node, lambda entry: {"type": "file_exists", "path": entry.value, "any": True}, "")


def _contents(node: Node) -> Iterator[CriterionDraft]:
    for entry in elements(node):
        path = entry.child("path")
        for key, negate in (("must_match", False), ("must_not_match", True)):
            for pattern in elements(entry.child(key)):
                means = {
                    "type": "file_matches",
                    "path": path.value if path else None,
                    "pattern": pattern.value,
                    "negate": negate,
                    "any": True,
                }
                yield CriterionDraft(node=pattern, means=means)


def _schema(node: Node) -> Iterator[CriterionDraft]:
    yield CriterionDraft(node=node, means={"type": "json_matches", "schema": node.value})


def _statement(node: Node) -> Iterator[CriterionDraft]:
    yield CriterionDraft(node=node, means=text_of(node), reason="it is no text")


_KINDS: Mapping[str, Mapping[str, _Read]] = {
    "text": {
        "contains": _contained(ignore_case=True, negate=False),
        "not_contains": _contained(ignore_case=True, negate=True),
        "contains_cs": _contained(ignore_case=False, negate=False),
        "not_contains_cs": _contained(ignore_case=False, negate=True),
        "regex_match": _matched(negate=False),
        "regex_not_match": _matched(negate=True),
    },
    "regex": {
        "must_match": _matched(negate=False),
        "must_not_match": _matched(negate=True),
    },
    "code": {"assertions": _expressions},
    "file": {"must_exist": _existing, "content_patterns": _contents},
    "json_schema": {"schema": _schema},
    "prompt": {"prompt": _statement},
}
