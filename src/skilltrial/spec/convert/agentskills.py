"""Our own form, the object of agentskills.io's guide: it holds everything."""

from __future__ import annotations

from skilltrial.records.json_value import Json
from skilltrial.records.suite import Case, Suite
from skilltrial.spec.convert.fields import (
    codebase_of,
    conversation_of,
    doubles_of,
    reference_of,
    skill_name_of,
    top,
    trigger_flag,
    with_extra,
)
from skilltrial.spec.convert.input_files import placed
from skilltrial.spec.convert.ledger import Ledger
from skilltrial.spec.convert.origin import Origin
from skilltrial.spec.convert.statements import EVALS_OBJECTS, as_native, written_assertions


def write(suite: Suite, origin: Origin, ledger: Ledger) -> Json:
    """`assertions` that are texts or typed objects."""
    skill_name = skill_name_of(suite, origin, ledger, to="agentskills")
    return top(suite, [_case(case, suite, origin, ledger) for case in suite.cases], ledger, skill_name=skill_name)


def _case(case: Case, suite: Suite, origin: Origin, ledger: Ledger) -> Json:
    ours = suite.dialect in EVALS_OBJECTS
    fields: dict[str, Json] = {
        "id": _id(case, suite),
        "name": case.name,
        "prompt": case.prompt,
        "expected_output": case.expected_output,
        "files": case.written_files if ours else placed(case, origin, ledger) or None,
        "runs": case.runs,
        "skill_should_trigger": trigger_flag(case),
        "family": case.family,
        "codebase": codebase_of(case, suite),
        "doubles": doubles_of(case, suite),
        "reference": reference_of(case),
        **conversation_of(case),
        "assertions": [as_native(one, suite) for one in written_assertions(case)] or None,
    }
    return with_extra(case, fields, suite, ledger, keeps_root=ours)


def _id(case: Case, suite: Suite) -> Json:
    if case.written_id is None and suite.dialect == "agentskills":
        return None
    return case.written_id if str(case.written_id) == case.id else case.id
