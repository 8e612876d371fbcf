"""One run's verdicts, in every spelling that has been seen, read into `ForeignGrading`. Nothing is counted again here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from skilltrial.adapters.interchange.json_files import ForeignFiles
from skilltrial.adapters.interchange.statements import EVIDENCE, META, criteria_key, read_statements
from skilltrial.adapters.interchange.values import (
    first_text,
    fraction,
    is_list,
    is_object,
    number,
    verdict,
    words,
)
from skilltrial.records.foreign import ForeignGrading, Statement, Tally
from skilltrial.records.json_value import Json

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
_SAID = re.compile(
    r"\s*(\d{1,9})\s*(?:/|of|out of)\s*(\d{1,9})(?:\s+(?:assertions|expectations|criteria|checks))?"
    r"(?:\s+(?:pass|passed|met|satisfied|hold))?\s*(?:[.,;:(—–].*)?",
    re.IGNORECASE | re.DOTALL,
)
"""skill-builder's summary in words, like `2/3 assertions passed.`; nothing that might count something else."""
_NULLED = ("summary", "timing", "execution_metrics", "user_notes_summary", "claims", "eval_feedback")
_NOTES = ("uncertainties", "needs_review", "workarounds")


class NoGradingError(ValueError):
    """The value holds neither criteria with verdicts nor counts."""


def read_grading(value: Json, place: str, files: ForeignFiles) -> ForeignGrading:
    """The verdicts in a value. Raises `NoGradingError` where there is nothing of the kind in it."""
    if is_list(value):
        return ForeignGrading(place=place, statements=read_statements(value, place, "", files))
    if not is_object(value):
        raise NoGradingError(f"holds {type(value).__name__ if value is not None else 'null'}, not an object or a list")
    key = criteria_key(value)
    rest = dict(value)
    statements = None
    if key is not None:
        statements = read_statements(rest.pop(key), place, key, files)
    tally = _take_tally(rest)
    if statements is None and tally is None:
        lone = lone_verdict(rest)
        if lone is None:
            raise NoGradingError("holds no criteria with verdicts and no counts")
        passed = verdict(rest.pop(lone))
        statements = (Statement(text=lone, passed=passed, evidence=first_text(rest, *EVIDENCE) or ""),)
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
    meta = rest.get(META)
    if is_list(meta):
        fields["meta"] = read_statements(rest.pop(META), place, META, files)
    return ForeignGrading(place=place, statements=statements, tally=tally, extra=_kept(rest), **fields)


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
    tally = counts(rest)
    said = _SAID.fullmatch(summary) if tally is None and isinstance(summary, str) else None
    return tally if said is None else Tally(passed=float(said[1]), total=float(said[2]))


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
    nulls = [key for key, each in value.items() if each is None and key in _NULLED]
    if nulls:
        files.repair("null-object", f"null stands where an object belongs: {', '.join(nulls)}", place)


def _kept(rest: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in rest.items() if value is not None}
