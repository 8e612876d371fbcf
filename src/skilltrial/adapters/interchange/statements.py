"""Criteria with their verdicts, in every spelling that has been seen."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType

from skilltrial.adapters.interchange.json_files import ForeignFiles, Spelling
from skilltrial.adapters.interchange.values import objects, verdict, words
from skilltrial.records.foreign import Statement
from skilltrial.records.json_value import Json, is_list, is_object

EVIDENCE = (
    "evidence", "reason", "reasoning", "rationale", "explanation", "notes", "note", "detail", "details", "message",
)  # fmt: skip
META = "meta_results"
_LISTS = (
    "expectations", "assertions", "assertion_results", "evaluations", "criteria", "expectation_results",
    "objective_checks", "checks", "assertion_details", "results",
)  # fmt: skip
_TEXTS = ("text", "assertion", "expectation", "criterion", "statement", "description", "name", "check")
_VERDICTS = ("passed", "verdict", "pass", "result", "status", "met", "satisfied", "score")
_COMMON = frozenset({"expectations", "assertion_results", META, "text", "passed", "evidence", "id"})
_PLAIN: Mapping[str, type | tuple[type, ...]] = {
    "text": str, "passed": (bool, NoneType), "evidence": str, "id": (str, NoneType), "confidence": object,
    "grader": (str, NoneType),
}  # fmt: skip
"""Fields of the common form and what they hold there."""
_OF_A_RUN = (
    "eval_id", "eval_name", "case_id", "task_id", "run_id", "entry_point", "configuration", "expectations", "file",
)  # fmt: skip


def criteria_key(value: Mapping[str, Json]) -> str | None:
    """Under which key an object has its criteria."""
    for key in _LISTS:
        found = value.get(key)
        if is_list(found):
            if not found or _is_plain(found[0]) or (_is_statement(found[0]) and not is_rows(found)):
                return key
        elif is_object(found) and found and all(_is_answer(each) for each in found.values()):
            return key
    return None


def is_rows(value: Json) -> bool:
    """Whether a list holds runs and not criteria: each says which case or which arm it is of."""
    rows = objects(value[:1]) and objects(value) if is_list(value) else []
    return bool(rows) and all("text" not in row and any(key in row for key in _OF_A_RUN) for row in rows)


def read_statements(value: Json, place: str, key: str, files: ForeignFiles) -> tuple[Statement, ...]:
    """The criteria under a key; empty for the top level. What had to be interpreted is noted once a file."""
    items = _by_id(value) if is_object(value) else value
    if key != META:
        files.spellings[_spelling(key, items)] += 1
    plain = _plain(items)
    if plain is not None and (not key or key in _COMMON):
        return plain
    return _Wording(key, items).read(place, files)


def _is_plain(value: Json) -> bool:
    return is_object(value) and "text" in value and "passed" in value


def _is_statement(value: Json) -> bool:
    if is_object(value):
        return any(key in value for key in _TEXTS) or ("id" in value and any(key in value for key in _VERDICTS))
    return isinstance(value, str) or value is None


def _is_answer(value: Json) -> bool:
    return isinstance(value, bool) or (is_object(value) and any(key in value for key in _VERDICTS))


def _by_id(value: Mapping[str, Json]) -> list[Json]:
    return [{**each, "id": name} if is_object(each) else {"id": name, "passed": each} for name, each in value.items()]


def _plain(items: list[Json]) -> tuple[Statement, ...] | None:
    """The common form, which needs no thought, in one step; None where one is written otherwise."""
    statements: list[Statement] = []
    for item in items:
        if not is_object(item) or "text" not in item or "passed" not in item or not item.keys() <= _PLAIN.keys():
            return None
        if not all(map(isinstance, item.values(), map(_PLAIN.__getitem__, item))):
            return None
        statements.append(Statement(**item))
    return tuple(statements)


def _spelling(key: str, items: list[Json]) -> Spelling:
    """Whose way of writing it is."""
    first = items[0] if items else None
    if not is_object(first):
        return "other"
    if key == "expectations" and "text" in first and "passed" in first:
        return "skill-creator"
    if key == "expectations" and "assertion" in first and "verdict" in first:
        return "skill-builder"
    if key == "assertion_results" and "passed" in first:
        return "agentskills" if "text" in first else "slow-powers"
    return "other"


class _Wording:
    """Reads criteria by any names, and remembers by which."""

    def __init__(self, key: str, items: list[Json]) -> None:
        self.key = key
        self.items = items
        self.names: set[str] = {key} if key else set()
        self.as_text: Json = None
        self.unreadable: Json = None
        self.on_a_scale = any(is_object(item) and _is_on_a_scale(item) for item in items)

    def read(self, place: str, files: ForeignFiles) -> tuple[Statement, ...]:
        """All of them."""
        statements = tuple([self._statement(item) for item in self.items])
        other = ", ".join(sorted(self.names - _COMMON))
        if other:
            message = "read under other names than text, passed and evidence"
            files.repair("other-spelling", message, place, path=self.key, value=other)
        if self.as_text is not None:
            message = "a verdict written as a text was read as yes or no"
            files.repair("verdict-as-text", message, place, path=self.key, value=self.as_text)
        if self.unreadable is not None:
            message = "a verdict that says neither yes nor no counts as none"
            files.repair("verdict-unreadable", message, place, path=self.key, value=self.unreadable)
        return statements

    def _statement(self, item: Json) -> Statement:
        if not is_object(item):
            return Statement(text=words(item), passed=None)
        rest = dict(item)
        said = self._take(rest, _TEXTS)
        passed = self._take_verdict(rest)
        evidence = self._take(rest, EVIDENCE)
        name = rest.pop("id", None)
        identity = None if name is None else words(name)
        return Statement(
            id=identity,
            text=said or identity or "",
            passed=passed,
            evidence=evidence,
            confidence=rest.pop("confidence", None),
            grader=rest.pop("grader") if isinstance(rest.get("grader"), str) else None,
            extra=rest,
        )

    def _take(self, rest: dict[str, Json], keys: tuple[str, ...]) -> str:
        for key in keys:
            if rest.get(key) not in (None, ""):
                self.names.add(key)
                return words(rest.pop(key))
        return ""

    def _take_verdict(self, rest: dict[str, Json]) -> bool | None:
        key = next((key for key in _VERDICTS if key in rest), None)
        if key is None:
            return None
        self.names.add(key)
        value = rest.pop(key)
        passed = None if key == "score" and self.on_a_scale else verdict(value)
        if passed is None and value is not None:
            self.unreadable = value if self.unreadable is None else self.unreadable
        elif isinstance(value, str) and key == "passed":
            self.as_text = value if self.as_text is None else self.as_text
        return passed


def _is_on_a_scale(item: Mapping[str, Json]) -> bool:
    """A score other than 0 and 1: then a 1 beside it is no yes either."""
    return isinstance(item.get("score"), int | float) and item["score"] not in {0, 1}
