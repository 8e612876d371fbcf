"""skill-creator: ids are whole numbers, criteria are texts under `expectations`, files are named from the skill's folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skilltrial.records.json_value import Json
from skilltrial.records.suite import Case, Suite
from skilltrial.spec.convert.fields import (
    codebase_of,
    conversation_of,
    doubles_of,
    note_unused,
    reference_of,
    skill_name_of,
    top,
    trigger_flag,
    with_extra,
)
from skilltrial.spec.convert.input_files import paths_from_skill
from skilltrial.spec.convert.ledger import Ledger, of_case
from skilltrial.spec.convert.origin import Origin
from skilltrial.spec.convert.statements import as_statements, as_written

NAME = "skill-creator"
_MAX_DIGITS = 15


def write(suite: Suite, origin: Origin, ledger: Ledger) -> Json:
    """The form of its document; keys that it does not name go along, and a file in this form keeps the author's values."""
    skill_name = skill_name_of(suite, origin, ledger, to=NAME)
    ids = zip(suite.cases, _numbers(suite.cases), strict=True)
    entries = [_case(case, number, suite, origin, ledger) for case, number in ids]
    return top(suite, entries, ledger, skill_name=skill_name)


def _case(case: Case, number: int, suite: Suite, origin: Origin, ledger: Ledger) -> Json:
    own = suite.dialect == NAME
    fields: dict[str, Json] = {
        "id": case.written_id if own else number,
        "name": case.name if own else _name(case, number, ledger),
        "prompt": case.prompt,
        "expected_output": case.expected_output,
        "files": case.written_files if own else paths_from_skill(case, origin, ledger) or None,
        "runs": case.runs,
        "skill_should_trigger": trigger_flag(case),
        "family": case.family,
        "codebase": codebase_of(case, suite),
        "doubles": doubles_of(case, suite),
        "reference": reference_of(case),
        **conversation_of(case),
        "expectations": as_written(case) if own else as_statements(case, ledger),
    }
    if not own:
        note_unused(
            case,
            fields,
            ("runs", "skill_should_trigger", "family", "codebase", "doubles", "turns", "responder", "reference"),
            ledger,
            to=NAME,
        )
    return with_extra(case, fields, suite, ledger, keeps_root=own)


def _name(case: Case, number: int, ledger: Ledger) -> str | None:
    if case.id == str(number) or case.written_id is None or case.id == case.name:
        return case.name
    if case.name is None:
        ledger.note(of_case(case), "the id becomes a number, and its text the name")
        return case.id
    ledger.lose(of_case(case), f"its id becomes the number {number}, and there is a name already: {case.name!r}")
    return case.name


def _numbers(cases: Sequence[Case]) -> Iterator[int]:
    """The numbers that ids are already, and for all others the first free ones in their order."""
    numbers = [_number(case.id) for case in cases]
    taken = {number for number in numbers if number is not None}
    following = 0
    for number in numbers:
        if number is not None:
            yield number
            continue
        following += 1
        while following in taken:
            following += 1
        yield following


def _number(text: str) -> int | None:
    plain = text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS and str(int(text)) == text
    return int(text) if plain else None
