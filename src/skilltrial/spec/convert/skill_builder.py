"""skill-builder: no `skill_name`, ids and `assertions` are texts, `files` maps a path to the content."""

from __future__ import annotations

from skilltrial.records.json_value import Json
from skilltrial.records.suite import Case, Suite
from skilltrial.spec.convert.fields import (
    codebase_of,
    conversation_of,
    doubles_of,
    note_unused,
    reference_of,
    top,
    trigger_flag,
    with_extra,
)
from skilltrial.spec.convert.input_files import contents_by_path
from skilltrial.spec.convert.ledger import Ledger
from skilltrial.spec.convert.origin import Origin
from skilltrial.spec.convert.statements import as_statements, as_written

NAME = "skill-builder"
_UNUSED = (
    "name",
    "expected_output",
    "runs",
    "skill_should_trigger",
    "family",
    "codebase",
    "doubles",
    "turns",
    "responder",
    "reference",
)


def write(suite: Suite, origin: Origin, ledger: Ledger) -> Json:
    """The form of its document; keys that it does not name go along."""
    own = suite.dialect == NAME
    if suite.skill_name is not None and not own and suite.skill_name != origin.skill_name:
        ledger.lose("the file", f"skill_name {suite.skill_name!r}, which is not the name of the skill that it lies in")
    entries = [_case(case, suite, origin, ledger) for case in suite.cases]
    return top(suite, entries, ledger, skill_name=suite.skill_name if own else None)


def _case(case: Case, suite: Suite, origin: Origin, ledger: Ledger) -> Json:
    own = suite.dialect == NAME
    fields: dict[str, Json] = {
        "id": case.written_id if own else case.id,
        "name": case.name,
        "prompt": case.prompt,
        "files": case.written_files if own else contents_by_path(case, origin, ledger) or None,
        "assertions": as_written(case) if own else as_statements(case, ledger),
        "expected_output": case.expected_output,
        "runs": case.runs,
        "skill_should_trigger": trigger_flag(case),
        "family": case.family,
        "codebase": codebase_of(case, suite),
        "doubles": doubles_of(case, suite),
        "reference": reference_of(case),
        **conversation_of(case),
    }
    if not own:
        note_unused(case, fields, _UNUSED, ledger, to=NAME)
    return with_extra(case, fields, suite, ledger, keeps_root=own)
