"""Criteria, as a dialect found them -> typed assertions."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from pydantic import ValidationError

from skilltrial.records.document_checks import DocumentMatches, ImageMatches, PythonCheck, TableMatches
from skilltrial.records.json_value import Json
from skilltrial.records.suite import (
    AnswerMatches,
    Assertion,
    AssertionBase,
    CommandCheck,
    DiffScope,
    DoubleCalled,
    FileAbsent,
    FileExists,
    FileMatches,
    Foreign,
    JsonMatches,
    Limit,
    LlmJudge,
    Similar,
    SkillInvoked,
    SkillNotInvoked,
    TranscriptCheck,
)
from skilltrial.spec.assertion_rules import check_rules
from skilltrial.spec.assertion_text import describe
from skilltrial.spec.dialects.draft import CriterionDraft
from skilltrial.spec.findings import Findings, Invalid, shown
from skilltrial.spec.held_out import FILE_OPERANDS, HeldOut, with_files
from skilltrial.spec.json_source import Node

KINDS: Mapping[str, type[AssertionBase]] = {
    "llm_judge": LlmJudge,
    "transcript_check": TranscriptCheck,
    "skill_invoked": SkillInvoked,
    "skill_not_invoked": SkillNotInvoked,
    "file_exists": FileExists,
    "file_absent": FileAbsent,
    "file_matches": FileMatches,
    "answer_matches": AnswerMatches,
    "json_matches": JsonMatches,
    "table_matches": TableMatches,
    "document_matches": DocumentMatches,
    "image_matches": ImageMatches,
    "command_check": CommandCheck,
    "python": PythonCheck,
    "diff_scope": DiffScope,
    "limit": Limit,
    "similar": Similar,
    "double_called": DoubleCalled,
}
MADE_ID = "expected-output"
"""The id of an assertion that was made from the expected output."""
TRANSCRIPT_CHECKS = ("tool_invocation_matches", "assistant_message_matches")

NOT = "not"
"""Another spelling of `negate`."""

STATEMENT_KEYS = ("rubric", "text", "assertion", "description", "criterion", "name")
"""Where an object in prose may have its statement, in the order in which they are tried."""

_LABEL_KEYS = {"id", "type", "text", "name", "description", "written"}
_STANDING = ("weight", "required")
_WORDS = re.compile(r"[a-z0-9]+")
_MUST_BE = {
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "mapping_type": "must be an object",
    "dict_type": "must be an object",
    "tuple_type": "must be a list",
    "finite_number": "must be a number",
}
_BOUNDS = {"expected": "one of {}", "ge": "{} or more", "gt": "more than {}", "le": "{} or less"}


class ReadAssertion(NamedTuple):
    """An assertion and the place where its author wrote it."""

    assertion: Assertion
    node: Node


def read_assertions(criteria: Sequence[CriterionDraft], findings: Findings, held_out: HeldOut) -> list[ReadAssertion]:
    """The assertions of a case, in the order of its criteria, each with an id that is unique in the case.

    Adds to `findings` an error for each of our own form that cannot be used. What no check of ours fits is carried as `Foreign`.
    """
    ids = _Ids()
    for draft in criteria:
        with findings.collecting():
            ids.reserve(draft)
    assertions: list[ReadAssertion] = []
    for draft in criteria:
        with findings.collecting():
            assertion = with_files(_assertion(draft, ids, findings), draft.node, held_out)
            assertions.append(ReadAssertion(assertion, draft.node))
    return assertions


def made_assertion(expected_output: str, taken: Collection[str] = ()) -> LlmJudge:
    """What a case is graded on that has nothing but an expected output. It has no `written`: nobody wrote it."""
    made = MADE_ID
    while made in taken:
        made += "-x"
    return LlmJudge(id=made, text=expected_output, rubric=expected_output)


class _Ids:
    """The ids of one case: those the author wrote, then those made from statements."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self.written: dict[int, str] = {}
        """By the identity of the draft's node."""
        self.n_made: Counter[str] = Counter()

    def reserve(self, draft: CriterionDraft) -> None:
        written = draft.node.child("id")
        if written is None:
            return
        usable = not isinstance(written.value, bool) and isinstance(written.value, str | int) and str(written.value)
        if not usable and not draft.is_ours:
            return
        if not usable:
            raise written.error("bad-id", f"must be a text or a whole number, not {shown(written.value)}.")
        name = str(written.value)
        if name in self.lines:
            if not draft.is_ours:
                return
            lines = f"lines {self.lines[name]} and {written.line}"
            raise written.error("id-twice", f"{name!r} is used twice in this case: {lines}.", hint="Rename one.")
        self.lines[name] = written.line
        self.written[id(draft.node)] = name

    def of(self, node: Node, statement: str) -> str:
        written = self.written.pop(id(node), None)
        if written is not None:
            return written
        name = "-".join(_WORDS.findall(statement.lower())[:5])[:40].strip("-")
        if not name or name in self.lines:
            digest = hashlib.sha256(statement.encode()).hexdigest()[:6]
            name = f"{name or 'assertion'}-{digest}"
        made = name
        while made in self.lines:
            self.n_made[name] += 1
            made = f"{name}-{self.n_made[name] + 1}"
        self.lines[made] = node.line
        return made


def _assertion(draft: CriterionDraft, ids: _Ids, findings: Findings) -> Assertion:
    if draft.is_ours:
        return _native(draft.node, ids, findings)
    match draft.means:
        case None:
            return _foreign(draft.node, draft.reason, ids, findings)
        case str(statement):
            made = LlmJudge(
                id=ids.of(draft.node, statement), text=statement, rubric=statement, written=draft.node.value
            )
            return made.model_copy(update=_standing(draft.node))
        case means:
            return _mapped(draft.node, means, ids, findings)


def _mapped(node: Node, means: Mapping[str, Json], ids: _Ids, findings: Findings) -> Assertion:
    """Of another tool, in our words; where those cannot be used, it is foreign, since it may well have a meaning there."""
    children: dict[str | int, Node] = {
        key: Node(value, node.file, node.line, node.path) for key, value in means.items()
    }
    try:
        record = _record(Node(means, node.file, node.line, node.path, children), cast("str", means["type"]))
    except Invalid as error:
        what = error.problem.message.removeprefix(node.place or "the file").strip().rstrip(".")
        return _foreign(node, f"in our words it {what}", ids, findings)
    text = record.text or describe(cast("Assertion", record))
    update = {"id": ids.of(node, _name_of(node) or text), "text": text, "written": node.value, **_standing(node)}
    return cast("Assertion", record.model_copy(update=update))


def _standing(node: Node) -> dict[str, Json]:
    """The weight of another tool's assertion and whether it is required, where they are said as here."""
    weight, required = node.child("weight"), node.child("required")
    standing: dict[str, Json] = {}
    if weight is not None and not isinstance(weight.value, bool) and isinstance(weight.value, int | float):
        standing |= {"weight": weight.value} if 0 < weight.value < math.inf else {}
    if required is not None and required.value is True:
        standing["required"] = True
    return standing


def _native(node: Node, ids: _Ids, findings: Findings) -> Assertion:
    if isinstance(node.value, str):
        if not node.value.strip():
            raise node.error("empty-assertion", "is empty.", hint="Write what must hold, or remove it.")
        return LlmJudge(id=ids.of(node, node.value), text=node.value, rubric=node.value, written=node.value)
    if not isinstance(node.value, dict):
        raise node.error("bad-assertion", f"must be a text or an object, not {shown(node.value)}.")
    kind = node.child("type")
    if kind is None:
        return _prose(node, ids, findings)
    reason = _foreign_reason(node, kind)
    if reason:
        return _foreign(node, reason, ids, findings)
    return _typed(node, cast("str", kind.value), ids, findings)


def _statement(node: Node) -> str:
    for key in STATEMENT_KEYS:
        found = node.child(key)
        if found is not None and isinstance(found.value, str) and found.value.strip():
            return found.value
    return ""


def _sentence(node: Node, key: str) -> str:
    """The text at a key, where that is more than a name."""
    found = node.child(key)
    text = found.value if found is not None else None
    return text if isinstance(text, str) and len(text.split()) > 1 else ""


def _prose(node: Node, ids: _Ids, findings: Findings) -> LlmJudge:
    statement = _statement(node)
    if not statement:
        hint = f'Add "type" ({", ".join(KINDS)}), or write the statement as a text.'
        raise node.error("no-statement", "has neither a type nor a statement.", hint=hint)
    _note_unknown(node, {*STATEMENT_KEYS, *_STANDING, "type", "model"}, findings)
    name = node.child("name")
    label = name.value if name is not None and isinstance(name.value, str) else statement
    made = LlmJudge(id=ids.of(node, label), text=statement, rubric=statement, written=node.value)
    return made.model_copy(update=_standing(node))


def _foreign_reason(node: Node, kind: Node) -> str:
    """Why an object with a type has no meaning here; empty where it has one."""
    if kind.value == "foreign" and _is_text(node.child("reason")):  # as `convert` writes it
        return cast("str", node.value["reason"])
    if not isinstance(kind.value, str) or kind.value not in KINDS:
        return f"the assertion type {shown(kind.value)} is not known to this version"
    if kind.value == "python" and "function" not in node.children and node.children.keys() - _LABEL_KEYS - {*_STANDING}:
        return "it is Python of another tool: here a function is named, like 'evals/checks.py:total_is_right'"
    check = node.child("check")
    if kind.value == "transcript_check" and check is not None and check.value not in TRANSCRIPT_CHECKS:
        return f"the transcript check {shown(check.value)} is not known to this version"
    return ""


def _foreign(node: Node, reason: str, ids: _Ids, findings: Findings) -> Foreign:
    findings.repair(node.repair("foreign-assertion", f"is carried but not graded: {reason}"))
    text = _statement(node) or json.dumps(node.value, ensure_ascii=False)
    return Foreign(id=ids.of(node, text), text=text, reason=reason, written=node.value)


def _typed(node: Node, kind: str, ids: _Ids, findings: Findings) -> Assertion:
    rubric: str | None = None
    if kind == "llm_judge" and node.child("rubric") is None:
        rubric = _sentence(node, "criterion") or _statement(node) or None
        if rubric:
            findings.repair(node.repair("rubric-missing", "has no rubric; its statement is taken for it"))
        _note_unknown(node, {*STATEMENT_KEYS, *_LABEL_KEYS, *_STANDING, "model"}, findings)
    else:
        _note_unknown(node, operands(kind) | _LABEL_KEYS, findings)
    record = _record(node, kind, rubric=rubric)
    text = record.text or describe(cast("Assertion", record))
    identity = ids.of(node, _name_of(node) or text)
    return cast("Assertion", record.model_copy(update={"id": identity, "text": text, "written": node.value}))


def _name_of(node: Node) -> str:
    name = node.child("name")
    return cast("str", name.value) if name is not None and _is_text(name) else ""


def operands(kind: str) -> set[str]:
    """The keys that an assertion of one of our types may have, as authors write them."""
    names = {field.alias or name for name, field in KINDS[kind].model_fields.items()} - {"text", "written"}
    return names | {NOT} if "negate" in names else names


def _record(node: Node, kind: str, *, rubric: str | None = None) -> AssertionBase:
    """The assertion that an object describes, without an id, and without a text where it has none. Raises `Invalid`."""
    names = operands(kind) - {"id", NOT, *FILE_OPERANDS}
    fields: dict[str, Json] = {key: child.value for key, child in _given(node) if key in names}
    _take_not(node, kind, fields)
    if rubric is not None:
        fields["rubric"] = rubric
    label = next((key for key in ("text", "description", "name") if _is_text(node.child(key))), None)
    text = cast("str", node.value[label]) if label else ""
    try:
        record = KINDS[kind].model_validate({**fields, "id": "?", "text": text}, strict=True)
    except ValidationError as error:
        raise _field_error(node, error) from None
    check_rules(record, node)
    return record


def _take_not(node: Node, kind: str, fields: dict[str, Json]) -> None:
    """`not` is another spelling of `negate`."""
    said = node.child(NOT)
    if said is None or NOT not in operands(kind):
        return
    if not isinstance(said.value, bool):
        raise said.error("bad-operand", f"must be true or false, not {shown(said.value)}.")
    if fields.setdefault("negate", said.value) is not said.value:
        raise said.error("bad-operand", "says the opposite of 'negate'.", hint="They mean the same: write one of them.")


def _given(node: Node) -> Iterable[tuple[str, Node]]:
    return ((key, child) for key, child in node.children.items() if isinstance(key, str) and child.value is not None)


def _is_text(node: Node | None) -> bool:
    return node is not None and isinstance(node.value, str) and bool(node.value.strip())


def _note_unknown(node: Node, known: set[str], findings: Findings) -> None:
    for key, child in _given(node):
        if key not in known and key != "id" and not key.startswith("$"):
            findings.repair(child.repair("unknown-key", "is not known here; it is kept, and has no effect"))


def _field_error(node: Node, error: ValidationError) -> Invalid:
    first = error.errors()[0]
    found = node
    for key in first["loc"]:
        below = found.child(key)
        if below is None and first["type"] == "missing":
            return found.error("key-missing", f"has no {key!r}.", hint=f"A {node.value['type']} needs it.")
        found = below or found
    if first["type"] == "extra_forbidden":
        return found.error("bad-operand", "is not known here.", hint="Look for a slip in its name.")
    about = first.get("ctx", {})
    what = _MUST_BE.get(first["type"], "cannot be used")
    for name, words in _BOUNDS.items():
        if name in about:
            bound = about[name]
            what = f"must be {words.format(f'{bound:g}' if isinstance(bound, float) else bound)}"
    return found.error("bad-operand", f"{what}, not {shown(found.value)}.")
