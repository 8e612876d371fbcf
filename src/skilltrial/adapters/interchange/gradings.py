"""One run's verdicts, in every spelling that has been seen, read into `ForeignGrading`. Nothing is counted again here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skilltrial.adapters.interchange.json_files import ForeignFiles, Spelling
from skilltrial.adapters.interchange.values import (
    first_text,
    fraction,
    is_list,
    is_object,
    number,
    objects,
    verdict,
    words,
)
from skilltrial.records.foreign import ForeignGrading, Statement, Tally
from skilltrial.records.record import Json

LISTS = (
    "expectations", "assertions", "assertion_results", "evaluations", "criteria", "expectation_results",
    "objective_checks", "checks", "assertion_details", "results",
)  # fmt: skip
_TEXTS = ("text", "assertion", "expectation", "criterion", "statement", "description", "name", "check")
_VERDICTS = ("passed", "verdict", "pass", "result", "status", "met", "satisfied", "score")
_EVIDENCE = (
    "evidence",
    "reason",
    "reasoning",
    "rationale",
    "explanation",
    "notes",
    "note",
    "detail",
    "details",
    "message",
)
_COMMON = frozenset({"expectations", "assertion_results", "meta_results", "text", "passed", "evidence", "id"})
_NAMES_OF_COUNTS = {
    "passed": ("passed", "pass_count", "passed_count", "passes", "assertions_passed", "n_passed", "total_passed"),
    "failed": ("failed", "fail_count", "failed_count", "fails", "assertions_failed", "n_failed"),
    "total": ("total", "total_count", "assertions_total", "total_assertions", "total_runs", "tests", "n_total"),
    "pass_rate": ("pass_rate", "passRate", "overall_pass_rate", "rate"),
}
_OF_A_RUN = (
    "eval_id", "eval_name", "case_id", "task_id", "run_id", "entry_point", "configuration", "expectations", "file",
)  # fmt: skip
_COUNTS = {key: (name, rank) for name, keys in _NAMES_OF_COUNTS.items() for rank, key in enumerate(keys)}
_NULLED = ("summary", "timing", "execution_metrics", "user_notes_summary", "claims", "eval_feedback")
_PLAIN = ("text", "passed", "evidence")
_NOTES = ("uncertainties", "needs_review", "workarounds")


class NoGradingError(ValueError):
    """The value holds neither criteria with verdicts nor counts."""


def read_grading(value: Json, place: str, files: ForeignFiles) -> ForeignGrading:
    """The verdicts in a value. Raises `NoGradingError` where there is nothing of the kind in it."""
    if is_list(value):
        return ForeignGrading(place=place, statements=_statements(value, place, "", files))
    if not is_object(value):
        raise NoGradingError(f"holds {type(value).__name__ if value is not None else 'null'}, not an object or a list")
    key = criteria_key(value)
    rest = dict(value)
    statements = None
    if key is not None:
        statements = _statements(rest.pop(key), place, key, files)
    tally = _take_tally(rest)
    if statements is None and tally is None:
        lone = lone_verdict(rest)
        if lone is None:
            raise NoGradingError("holds no criteria with verdicts and no counts")
        passed = verdict(rest.pop(lone))
        statements = (Statement(text=lone, passed=passed, evidence=first_text(rest, *_EVIDENCE) or ""),)
    return _assemble(value, rest, place, files, statements=statements, tally=tally)


def _assemble(
    value: Mapping[str, Json],
    rest: dict[str, Json],
    place: str,
    files: ForeignFiles,
    *,
    statements: tuple[Statement, ...] | None,
    tally: Tally | None,
) -> ForeignGrading:
    _note_nulls(value, place, files)
    fields: dict[str, Any] = {}
    claims = rest.get("claims")
    if is_list(claims):
        fields["claims"] = tuple(rest.pop("claims"))
    for key in ("eval_feedback", "execution_metrics", "timing"):
        if key in rest:
            fields[key] = rest.pop(key)
    if "user_notes_summary" in rest or "notes" in rest:
        fields["user_notes"] = _take_notes(rest)
    meta = rest.get("meta_results")
    if is_list(meta):
        fields["meta"] = _statements(rest.pop("meta_results"), place, "meta_results", files)
    return ForeignGrading(place=place, statements=statements, tally=tally, extra=_kept(rest), **fields)


def criteria_key(value: Mapping[str, Json]) -> str | None:
    """Under which key an object has its criteria."""
    for key in LISTS:
        found = value.get(key)
        if is_list(found) and (not found or _is_statement(found[0])) and not is_rows(found):
            return key
        if is_object(found) and found and all(_is_answer(each) for each in found.values()):
            return key
    return None


def is_rows(value: Json) -> bool:
    """Whether a list holds runs and not criteria: each says which case or which arm it is of."""
    rows = objects(value)
    return bool(rows) and all(any(key in row for key in _OF_A_RUN) and "text" not in row for row in rows)


def _is_statement(value: Json) -> bool:
    if is_object(value):
        return any(key in value for key in _TEXTS) or ("id" in value and any(key in value for key in _VERDICTS))
    return isinstance(value, str) or value is None


def _is_answer(value: Json) -> bool:
    return isinstance(value, bool) or (is_object(value) and any(key in value for key in _VERDICTS))


def _statements(value: Json, place: str, key: str, files: ForeignFiles) -> tuple[Statement, ...]:
    spelled: set[str] = set() if key in _COMMON or not key else {key}
    troubles: dict[str, Json] = {}
    if is_object(value):
        items = [
            ({**each, "id": name} if is_object(each) else {"id": name, "passed": each}) for name, each in value.items()
        ]
    else:
        items = value
    if any(is_object(item) and _is_on_a_scale(item) for item in items):
        troubles["scale"] = True
    statements = tuple([_statement(item, spelled, troubles) for item in items])
    files.spellings[_spelling(key, items)] += 1
    other = spelled - _COMMON
    if other:
        names = ", ".join(sorted(other))
        files.repair(
            "other-spelling", "read under other names than text, passed and evidence", place, path=key, value=names
        )
    if "as-text" in troubles:
        files.repair(
            "verdict-as-text",
            "a verdict written as a text was read as yes or no",
            place,
            path=key,
            value=troubles["as-text"],
        )
    if "unreadable" in troubles:
        files.repair(
            "verdict-unreadable",
            "a verdict that says neither yes nor no counts as none",
            place,
            path=key,
            value=troubles["unreadable"],
        )
    return statements


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


def _is_on_a_scale(item: Mapping[str, Json]) -> bool:
    """A score other than 0 and 1: then a 1 beside it is no yes either."""
    return "score" in item and isinstance(item["score"], int | float) and item["score"] not in {0, 1}


def _statement(item: Json, spelled: set[str], troubles: dict[str, Json]) -> Statement:
    if not is_object(item):
        return Statement(text=words(item), passed=None)
    if "text" in item and "passed" in item and len(item) == len(_PLAIN) and "evidence" in item:
        passed = item["passed"]
        said, evidence = item["text"], item["evidence"]
        if isinstance(passed, bool) and isinstance(said, str) and isinstance(evidence, str):
            return Statement(text=said, passed=passed, evidence=evidence)
    rest = dict(item)
    said = _take(rest, _TEXTS, spelled)
    answer_key = next((key for key in _VERDICTS if key in rest), None)
    passed = None
    if answer_key is not None:
        spelled.add(answer_key)
        passed = _answer(answer_key, rest.pop(answer_key), troubles)
    evidence = _take(rest, _EVIDENCE, spelled)
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


def _take(rest: dict[str, Json], keys: tuple[str, ...], spelled: set[str]) -> str:
    for key in keys:
        if rest.get(key) not in (None, ""):
            spelled.add(key)
            return words(rest.pop(key))
    return ""


def _answer(key: str, value: Json, troubles: dict[str, Json]) -> bool | None:
    passed = None if key == "score" and "scale" in troubles else verdict(value)
    if passed is None and value is not None:
        troubles.setdefault("unreadable", value)
    elif isinstance(value, str) and key == "passed":
        troubles.setdefault("as-text", value)
    return passed


def _take_tally(rest: dict[str, Json]) -> Tally | None:
    """Out of `summary`, or where there is none out of the top level. What is not understood stays in `rest`."""
    summary = rest.get("summary")
    if is_object(summary):
        inside = dict(summary)
        tally = counts(inside)
        if tally is not None:
            rest.pop("summary")
            if inside:
                rest["summary"] = inside
            return tally
    result = rest.get("result")
    if is_object(result):
        inside = dict(result)
        tally = counts(inside)
        if tally is not None:
            rest["result"] = inside
            return tally
    return counts(rest)


def counts(values: dict[str, Json]) -> Tally | None:
    """Counts under their names, taken out of `values`; None where there are none."""
    found: dict[str, float] = {}
    ranks: dict[str, int] = {}
    for key in [key for key in values if key in _COUNTS]:
        name, rank = _COUNTS[key]
        value = values[key]
        parts = fraction(value) if isinstance(value, str) else None
        figure = number(value) if parts is None else None
        if parts is not None:
            found.setdefault("passed", parts[0])
            found.setdefault("total", parts[1])
        elif figure is None or rank >= ranks.get(name, len(_COUNTS)):
            continue
        else:
            found[name], ranks[name] = figure, rank
        del values[key]
    return Tally(**found) if found else None


def lone_verdict(value: Mapping[str, Json]) -> str | None:
    """Under which key an object without criteria has one verdict on the whole."""
    for key in ("overall_pass", "overall_passed", "all_passed", "passed", "pass", "verdict", "result"):
        if key in value and verdict(value[key]) is not None:
            return key
    return None


def _take_notes(rest: dict[str, Json]) -> tuple[str, ...]:
    notes: list[str] = []
    summary = rest.get("user_notes_summary")
    if is_object(summary):
        del rest["user_notes_summary"]
        beside: dict[str, Json] = {}
        for key, said in summary.items():
            if key not in _NOTES:
                beside[key] = said
            elif said:
                notes += [words(each) for each in said] if is_list(said) else [words(said)]
        if beside:
            rest["user_notes_summary"] = beside
    said = rest.get("notes")
    if isinstance(said, str):
        notes.append(rest.pop("notes"))
    elif is_list(said) and all(isinstance(each, str) for each in said):
        notes += rest.pop("notes")
    return tuple([note for note in notes if note])


def _note_nulls(value: Mapping[str, Json], place: str, files: ForeignFiles) -> None:
    nulls = [key for key in _NULLED if key in value and value[key] is None]
    if nulls:
        files.repair("null-object", f"null stands where an object belongs: {', '.join(nulls)}", place)


def _kept(rest: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in rest.items() if value is not None}
