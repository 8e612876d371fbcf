"""slow-powers: exactly what its published JSON Schema allows, and nothing beside.

Its successor eval-magic has more fields (`turns`, `command_check`, `diff_scope` and others). They are not in the schema, which
wins: they are losses.
"""

from __future__ import annotations

import re
from typing import cast

from skilltrial.records.json_value import Json
from skilltrial.records.suite import Assertion, Case, LlmJudge, Suite, TranscriptCheck
from skilltrial.spec.convert.fields import (
    codebase_of,
    conversation_of,
    doubles_of,
    reference_of,
    skill_name_of,
    trigger_flag,
)
from skilltrial.spec.convert.input_files import paths_from_evals
from skilltrial.spec.convert.ledger import Ledger, of_case
from skilltrial.spec.convert.origin import Origin
from skilltrial.spec.convert.statements import has_words, left_out, lost_keys, written_assertions

NAME = "slow-powers"
_ID = re.compile(r"[a-z0-9][a-z0-9-]*")
_NOT_IN_IDS = re.compile(r"[^a-z0-9]+")
_KNOWN_OPERANDS = ("id", "text", "written", "weight", "required", "check", "pattern", "must_precede")
_NO_OUTPUT = "What the prompt asks for is done."


def write(suite: Suite, origin: Origin, ledger: Ledger) -> Json:
    """A file that is valid under the schema; unknown keys are losses."""
    for key in suite.extra:
        ledger.lose("the file", f"the key {key!r} is not allowed there")
    skill_name = skill_name_of(suite, origin, ledger, to="")
    taken = {case.id for case in suite.cases if _ID.fullmatch(case.id)}
    return {"skill_name": skill_name, "evals": [_case(case, suite, origin, ledger, taken) for case in suite.cases]}


def _case(case: Case, suite: Suite, origin: Origin, ledger: Ledger, taken: set[str]) -> Json:
    for key in case.extra:
        if key not in {"files_root", "written_turns", "written_responder"}:  # the paths say it
            ledger.lose(of_case(case), f"the key {key!r} is not allowed there")
    if codebase_of(case, suite) is not None:
        ledger.lose(of_case(case), "the key 'codebase' is not allowed there")
    if doubles_of(case, suite) is not None:
        ledger.lose(of_case(case), "the key 'doubles' is not allowed there")
    if case.family is not None:
        ledger.lose(of_case(case), "the key 'family' is not allowed there")
    if reference_of(case) is not None:
        ledger.lose(of_case(case), "the key 'reference' is not allowed there")
    for key, field in conversation_of(case).items():
        if field is not None:
            ledger.lose(of_case(case), f"the key {key!r} is not allowed there")
    if case.name is not None:
        ledger.lose(of_case(case), f"its name: {case.name!r}")
    fields: dict[str, Json] = {
        "id": _id(case, ledger, taken),
        "prompt": case.prompt,
        "expected_output": _expected(case, ledger),
        "files": _files(case, suite, origin, ledger),
        "runs": case.runs,
        "skill_should_trigger": trigger_flag(case),
        "assertions": _assertions(case, ledger) or None,
    }
    return {key: field for key, field in fields.items() if field is not None}


def _id(case: Case, ledger: Ledger, taken: set[str]) -> str:
    if _ID.fullmatch(case.id):
        return case.id
    name = _NOT_IN_IDS.sub("-", case.id.lower()).strip("-") or "case"
    made, n_more = name, 2
    while made in taken:
        made, n_more = f"{name}-{n_more}", n_more + 1
    taken.add(made)
    ledger.lose(of_case(case), f"its id becomes {made!r}: only small letters, digits and hyphens are allowed there")
    return made


def _expected(case: Case, ledger: Ledger) -> str:
    if case.expected_output:
        return case.expected_output
    statements = [one.text for one in written_assertions(case) if has_words(one)]
    if statements:
        ledger.note(of_case(case), "expected_output, which has to be there, is made from the assertions")
        return "\n".join(statements)
    ledger.lose(of_case(case), f"that it has no expected output: one has to be there, and is {_NO_OUTPUT!r}")
    return _NO_OUTPUT


def _files(case: Case, suite: Suite, origin: Origin, ledger: Ledger) -> Json:
    written: Json = case.written_files
    is_own = suite.dialect == NAME and "files_root" not in case.extra and isinstance(written, list)
    if is_own and all(isinstance(path, str) for path in cast("list[Json]", written)):
        return cast("list[Json]", written)
    return paths_from_evals(case, origin, ledger) or None


def _assertions(case: Case, ledger: Ledger) -> list[Json]:
    found = (_assertion(case, assertion, ledger) for assertion in written_assertions(case))
    return [value for value in found if value is not None]


def _assertion(case: Case, assertion: Assertion, ledger: Ledger) -> Json:
    """An object that the schema allows; None where nothing can be said."""
    if left_out(case, assertion, ledger):
        return None
    place = of_case(case, assertion.id)
    if isinstance(assertion, LlmJudge):
        value = _judge(assertion, assertion.rubric, model=assertion.model)
    elif isinstance(assertion, TranscriptCheck) and _is_known(assertion):
        value = _transcript(assertion)
    else:
        ledger.lose(
            place, f"is a check that is not in the schema ({assertion.type}); a judge gets its sentence instead"
        )
        return _judge(assertion, assertion.text, model=None)
    said = assertion.rubric if isinstance(assertion, LlmJudge) else ""
    keys = lost_keys(assertion.written, {*value, "negate"}, said=said)
    if keys:
        ledger.lose(place, f"without its {keys}")
    return value


def _is_known(assertion: TranscriptCheck) -> bool:
    """The schema lets every check pass; the runners of its time know one, and fail all others."""
    known = assertion.check == "tool_invocation_matches" or _is(assertion.written, "check", assertion.check)
    plain = TranscriptCheck.model_validate({name: getattr(assertion, name) for name in _KNOWN_OPERANDS})
    return known and assertion == plain and assertion.must_precede != "first_write"


def _judge(assertion: Assertion, rubric: str, *, model: str | None) -> dict[str, Json]:
    value: dict[str, Json] = {"id": assertion.id, "type": "llm_judge", "rubric": rubric}
    return value if model is None else {**value, "model": model}


def _transcript(assertion: TranscriptCheck) -> dict[str, Json]:
    value: dict[str, Json] = {"id": assertion.id, "type": "transcript_check", "check": assertion.check}
    value["pattern"] = assertion.pattern
    if assertion.must_precede != "any" or _is(assertion.written, "must_precede", "any"):
        value["must_precede"] = assertion.must_precede
    return value


def _is(written: Json, key: str, text: str) -> bool:
    return isinstance(written, dict) and cast("dict[str, Json]", written).get(key) == text
