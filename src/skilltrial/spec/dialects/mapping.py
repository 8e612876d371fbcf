"""Assertion types of other tools -> ours, where the meaning is the same.

The table is in docs/dialects.md. What is looked at is the final message, all messages where the author says so, or the
text of one file; a type that looks at something else, or has an operand that is not understood, is foreign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from skilltrial.records.json_value import Json
from skilltrial.spec.assertions import KINDS, STATEMENT_KEYS, operands
from skilltrial.spec.dialects.answer_check import in_any_message, is_anchored
from skilltrial.spec.dialects.draft import CriterionDraft
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node


class Kind(NamedTuple):
    """What a type of another tool does."""

    of: Literal["text", "pattern", "exists", "absent", "not_empty", "judge"]
    n: Literal["all", "any", "none"] = "all"
    """How many of the texts have to be there."""
    ignores_case: bool = False


_ALL, _ANY, _NONE = Kind("text"), Kind("text", "any"), Kind("text", "none")
KINDS_OF_OTHERS: Mapping[str, Kind] = {
    **dict.fromkeys(("contains", "contains_all", "contains_text", "includes", "substring", "output_contains"), _ALL),
    **dict.fromkeys(("substring_in_file", "file_contains", "all_substrings_in_file"), _ALL),
    **dict.fromkeys(("contains_any", "any_substring_in_file", "output_contains_any"), _ANY),
    **dict.fromkeys(("not_contains", "does_not_contain", "excludes", "output_not_contains"), _NONE),
    **dict.fromkeys(("file_not_contains", "not_substring_in_file"), _NONE),
    "icontains": Kind("text", ignores_case=True),
    "icontains_all": Kind("text", ignores_case=True),
    "icontains_any": Kind("text", "any", ignores_case=True),
    "not_icontains": Kind("text", "none", ignores_case=True),
    **dict.fromkeys(("regex", "regex_match", "regexp", "matches", "matches_regex", "string_match"), Kind("pattern")),
    **dict.fromkeys(("not_regex", "regex_absent", "not_matches", "regex_not_match"), Kind("pattern", "none")),
    **dict.fromkeys(("file_exists", "file_present"), Kind("exists")),
    **dict.fromkeys(("file_not_exists", "file_does_not_exist", "file_not_present"), Kind("absent")),
    **dict.fromkeys(("file_exists_nonempty", "file_not_empty"), Kind("not_empty")),
    "min_substrings_in_file": _ALL,
    **dict.fromkeys(
        ("llm", "llm_judge", "llm_rubric", "rubric", "model_graded", "judge", "llm_as_judge", "semantic"), Kind("judge")
    ),
}

_NAMES = {
    "id",
    "type",
    "check",
    "name",
    "text",
    "description",
    "weight",
    "required",
    "severity",
    "category",
    "optional",
}
_REMARKS = {"reason", "rationale", "comment", "note", "notes", "evidence", "passed", "last_result", "expected"}
_TEXTS = ("value", "values", "substring", "substrings", "contains", "strings", "phrases", "keywords", "expected")
_PATTERNS = ("pattern", "patterns", "regex", "value", "values")
_STATEMENTS = ("rubric", "criterion", "criteria", "prompt", "value", "statement", "description", "text", "name")
_FILES = ("file", "path", "filename", "file_path")
_NEGATIONS = {"should_match": False, "negate": True, "not": True, "invert": True}
_SETTINGS = {"flags", "case_sensitive", "ignore_case", "case_insensitive", "target", "min_count"}
_JUDGED = {"model", "judge", "judge_model", "provider", "provider_model"}
_ANSWERS = {"answer", "output", "response", "message", "final_message", "final_output"}
_ALL_MESSAGES = {"assistant_text", "assistant"}
_IDLE: Mapping[str, Json] = {
    "weight": 0,
    "required": False,
    "optional": True,
    "enabled": False,
    "disabled": True,
    "skip": True,
}
_OF_FILES = {name for name in KINDS_OF_OTHERS if "_file" in name or name.startswith("file_")}
_ONLY_MADE = {"file_exists", "file_matches", "json_matches", "similar"}
"""Our checks that count only what the agent made or changed."""
_POINTER = re.compile(r"(?i)see\s+\S+\.\w{1,5}(\s.{0,200})?", re.DOTALL)
_NEGATIVE = re.compile(
    r"(?:^|_)(?:not|no|never|without|absent|absence|negative|anti|forbid\w*|exclud\w*|avoid\w*)(?:_|$)"
)
"""Of a type whose words say what must not be: its description alone may say what it is that must not."""
_OF_THE_WHOLE = re.compile(r"\(\?[a-zA-Z]|\\[1-9]")
"""Parts of a pattern that are about all of it, so that it cannot be put beside another."""
_SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")


class NoMeaningError(Exception):
    """Why something has no meaning here, as the end of a sentence."""


def criterion(node: Node, findings: Findings) -> CriterionDraft:
    """One criterion: a text, an object of our own form, or one of another tool's."""
    if isinstance(node.value, str) and _POINTER.fullmatch(node.value.strip()):
        return CriterionDraft(node=node, means=None, reason="it names a script, which is not read")
    return _of_object(node, findings) if isinstance(node.value, dict) else CriterionDraft(node=node, means=node.value)


def lenient(node: Node, findings: Findings) -> CriterionDraft:
    """The same, where the file is another tool's: what says nothing to us may say something there, and is no error."""
    draft = criterion(node, findings)
    if draft.is_ours and node.child("any") is None and node.child("path") is not None and _type(node) in _ONLY_MADE:
        # Elsewhere a file counts that is there, whoever put it there.
        return CriterionDraft(node=node, means={**node.value, "any": True})
    if not draft.is_ours or _text_of(node, STATEMENT_KEYS) or node.child("type") is not None:
        return draft
    if isinstance(node.value, str) and node.value.strip():
        return draft
    return CriterionDraft(node=node, means=None, reason="it has neither a type nor a statement")


def _of_object(node: Node, findings: Findings) -> CriterionDraft:
    if why := _of_no_weight(node) or _turned_round(node):
        return CriterionDraft(node=node, means=None, reason=why)
    if _is_native(node):
        return _prose(node)
    kind = KINDS_OF_OTHERS.get(_type(node))
    if kind is None:
        return _unknown(node, findings)
    try:
        return CriterionDraft(node=node, means=_means(node, kind))
    except NoMeaningError as why:
        return CriterionDraft(node=node, means=None, reason=str(why))


def _of_no_weight(node: Node) -> str:
    """Why nothing hangs on a criterion there; empty where something does. Here every one counts, and counts the same."""
    for key, idle in _IDLE.items():
        if key == "required" and _type(node) in KINDS:  # that is our word: it counts, and no more
            continue
        said = node.child(key)
        if said is not None and (said.value is idle or (key == "weight" and said.value == idle)):
            return f"{key!r} is {shown(said.value)}: it decides nothing there, and would here"
    return ""


def _turned_round(node: Node) -> str:
    """Why the opposite of what a type says may be meant, by a key that it is not known to have; empty where it is not."""
    name = _type(node)
    kind = KINDS_OF_OTHERS.get(name)
    if not name or (kind is not None and kind.of in {"text", "pattern"}):
        return ""
    ours = operands(name) if name in KINDS else set[str]()
    for key in (*_NEGATIONS, "exists", "should_exist", "expected", "expect"):
        said = node.child(key)
        if key not in ours and said is not None and said.value is _NEGATIONS.get(key, False):
            return f"{key!r} is {shown(said.value)}, which turns its meaning round"
    return ""


def _is_native(node: Node) -> bool:
    written = node.child("type")
    if written is None:
        return node.child("check") is None
    if not isinstance(written.value, str):
        return True
    return written.value in KINDS and not (
        node.child("path") is None and written.value == "file_exists" and _file(node)
    )


def _type(node: Node) -> str:
    """The type in small letters with underscores; empty where there is none that is a text."""
    written = node.child("type") or node.child("check")
    return written.value.strip().lower().replace("-", "_") if written and isinstance(written.value, str) else ""


def _prose(node: Node) -> CriterionDraft:
    """Ours; but where `text` is no more than a name, and a description stands beside it, that is the statement."""
    text, description = node.child("text"), node.child("description")
    named = text is not None and isinstance(text.value, str) and re.fullmatch(r"[\w.:/-]+", text.value, re.ASCII)
    if node.child("type") is None and named and description is not None and isinstance(description.value, str):
        return CriterionDraft(node=node, means=description.value)
    return CriterionDraft(node=node, means=node.value)


def _unknown(node: Node, findings: Findings) -> CriterionDraft:
    """An unknown type without operands, and with a statement in prose: nothing but the statement can be meant."""
    operands = {key for key, child in node.children.items() if child.value is not None} - _NAMES - _REMARKS
    statement = _text_of(node, ("description", "text"))
    if operands or not statement or node.child("type") is None or _NEGATIVE.search(_type(node)):
        return CriterionDraft(node=node, means=node.value)
    expected = _text_of(node, ("expected",))
    what = f"is of the type {shown(node.value['type'])}, which is not known here; its words are taken as a statement"
    findings.repair(node.repair("type-as-prose", what))
    return CriterionDraft(node=node, means=f"{statement} (expected: {expected})" if expected else statement)


def _means(node: Node, kind: Kind) -> Mapping[str, Json]:
    known = {
        "judge": {*_STATEMENTS, *_JUDGED},
        "exists": {*_FILES, "target"},
        "absent": {*_FILES, "target"},
        "not_empty": {*_FILES, "target"},
        "text": {*_TEXTS, *_FILES, *_SETTINGS, *_NEGATIONS},
        "pattern": {*_PATTERNS, *_FILES, *_SETTINGS, *_NEGATIONS},
    }[kind.of]
    for key, child in node.children.items():
        if key not in known | _NAMES | _REMARKS and child.value is not None and not str(key).startswith("$"):
            raise NoMeaningError(f"its {key!r} is not known here")
    match kind.of:
        case "judge":
            statement = _text_of(node, _STATEMENTS)
            if not statement:
                raise NoMeaningError("it has no statement")
            return {"type": "llm_judge", "rubric": statement, "text": statement}
        case "exists":
            return {"type": "file_exists", "path": _path(node), "any": True, "text": _words(node)}
        case "absent":
            return {"type": "file_absent", "path": _path(node), "text": _words(node)}
        case "not_empty":
            path = _path(node)
            text = _words(node) or f"The file {path} is not empty"
            return {"type": "file_matches", "path": path, "any": True, "pattern": r"[\s\S]", "text": text}
        case "text":
            return _search(node, kind, _texts(node, _TEXTS))
        case "pattern":
            return _search(node, kind, _texts(node, _PATTERNS))


def _words(node: Node) -> str:
    return _text_of(node, ("description", "text"))


def _search(node: Node, kind: Kind, found: list[str]) -> Mapping[str, Json]:
    if kind.of == "pattern" and len(found) > 1 and any(_OF_THE_WHOLE.search(pattern) for pattern in found):
        raise NoMeaningError("it has several patterns, of which one has flags or counts its groups")
    negated = _is_negated(node)
    if negated and (kind.n == "none" or len(found) > 1):
        raise NoMeaningError("it negates several texts, or what is negated already")
    n = "none" if negated else kind.n
    flags = _flags(node, kind)
    literal = kind.of == "text"
    parts = [escaped(text) if literal else text for text in found]
    path = _path(node) if _type(node) in _OF_FILES else _file(node)
    where = f"The text of {path}" if path else "The final message"
    means: dict[str, Json] = {
        "type": "file_matches" if path else "answer_matches",
        "pattern": flags + (_every(parts) if n == "all" else "|".join(parts)),
        "negate": n == "none",
    }
    if path:
        means |= {"path": path, "any": True}
    words = _words(node)
    if words or literal:
        means["text"] = words or _literal_words(where, found, n)
    return (
        means
        if path or not _is_of_all_messages(node)
        else _in_all_messages(means, several=n == "all" and len(parts) > 1)
    )


def _is_of_all_messages(node: Node) -> bool:
    target = node.child("target")
    said = target.value if target is not None else None
    return isinstance(said, str) and said.lower().replace("-", "_") in _ALL_MESSAGES


def _in_all_messages(means: Mapping[str, Json], *, several: bool) -> Mapping[str, Json]:
    if several or is_anchored(means["pattern"]):
        raise NoMeaningError("it looks at everything that the agent said at once, which comes in several messages here")
    return in_any_message(means)


def _literal_words(where: str, found: list[str], n: Literal["all", "any", "none"]) -> str:
    """A sentence for people, in place of an escaped pattern."""
    verb = "does not contain" if n == "none" else "contains"
    return f"{where} {verb} {(' and ' if n == 'all' else ' or ').join(map(repr, found))}"


def escaped(text: str) -> str:
    """A pattern that matches the text itself."""
    return _SPECIAL.sub(r"\\\1", text)


def _every(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else r"\A" + "".join(rf"(?=[\s\S]*(?:{part}))" for part in parts)


def _flags(node: Node, kind: Kind) -> str:
    """`(?i)` and the like, from what the type or the object says."""
    flags = node.child("flags")
    letters = flags.value if flags is not None and isinstance(flags.value, str) else ""
    if flags is not None and (not isinstance(flags.value, str) or set(letters) - set("gimsu")):
        raise NoMeaningError(f"its flags are {shown(flags.value)}")
    ignores = kind.ignores_case
    for key, meaning in (("case_sensitive", False), ("ignore_case", True), ("case_insensitive", True)):
        said = node.child(key)
        if said is not None:
            ignores = said.value is meaning
    kept = "".join(sorted({*letters, *("i" if ignores else "")} & set("ims")))
    return f"(?{kept})" if kept else ""


def _is_negated(node: Node) -> bool:
    return any((said := node.child(key)) is not None and said.value is value for key, value in _NEGATIONS.items())


def _texts(node: Node, keys: tuple[str, ...]) -> list[str]:
    if node.child("min_count") is not None:
        raise NoMeaningError("it counts how many of several texts are there")
    if _type(node) == "string_match" and node.child("pattern") is None:
        raise NoMeaningError("it does not say whether its text is a pattern")
    given = [key for key in keys if key != "expected" and node.child(key) is not None]
    if len(given) > 1:
        raise NoMeaningError(f"it has both {given[0]!r} and {given[1]!r}")
    for key in keys:
        found = node.child(key)
        if found is None:
            continue
        values = list(found.children.values()) or [found]
        texts = [one.value for one in values if isinstance(one.value, str) and one.value]
        if not texts or len(texts) < len(values):
            raise NoMeaningError(f"its {key!r} is {shown(found.value)}")
        return texts
    raise NoMeaningError("it does not say which text")


def _path(node: Node) -> str:
    path = _file(node)
    if path is None:
        raise NoMeaningError("it does not say which file")
    return path


def _file(node: Node) -> str | None:
    """The file that is looked at; None for the final message."""
    target = node.child("target")
    if target is not None:
        if isinstance(target.value, str) and target.value.lower().replace("-", "_") in _ANSWERS | _ALL_MESSAGES:
            return None
        named = _text_of(target, _FILES)
        if not named:
            raise NoMeaningError(f"it looks at {shown(target.value)}")
        return named
    for key in _FILES:
        found = node.child(key)
        if found is not None:
            if not isinstance(found.value, str) or found.value.startswith("$"):
                raise NoMeaningError(f"its {key!r} is {shown(found.value)}")
            return found.value
    return None


def _text_of(node: Node, keys: tuple[str, ...]) -> str:
    for key in keys:
        found = node.child(key)
        if found is not None and isinstance(found.value, str) and found.value.strip():
            return found.value
    return ""
