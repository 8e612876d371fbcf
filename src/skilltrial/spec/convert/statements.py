"""Assertions in the forms of other tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from skilltrial.records.json_value import Json
from skilltrial.records.suite import Assertion, Case, Foreign, LlmJudge, Suite
from skilltrial.spec.assertion_text import describe
from skilltrial.spec.assertions import MADE_ID
from skilltrial.spec.convert.ledger import Ledger, of_case

EVALS_OBJECTS = ("skill-creator", "skill-builder", "slow-powers", "agentskills", "mixed")
"""Suites whose assertions were read as our native form, so that the author's own values are in it."""


def written_assertions(case: Case) -> list[Assertion]:
    """Those of the author; not the one that reading makes from the expected output of a case without any."""
    return [one for one in case.assertions if not (one.id == MADE_ID and one.written is None)]


def as_written(case: Case) -> list[Json]:
    """The author's own values, for a file that keeps its form."""
    return [assertion.written for assertion in written_assertions(case)]


def as_statements(case: Case, ledger: Ledger) -> list[str]:
    """Texts for tools whose assertions are texts; whatever a text cannot say is a loss."""
    found = (_statement(case, assertion, ledger) for assertion in written_assertions(case))
    return [statement for statement in found if statement is not None]


def has_words(assertion: Assertion) -> bool:
    """Whether a reader of prose can make something of an assertion; not so for one of another tool that is only keys."""
    return not isinstance(assertion, Foreign) or not assertion.text.startswith(("{", "["))


def left_out(case: Case, assertion: Assertion, ledger: Ledger) -> bool:
    """Whether an assertion is of no use to a reader of prose. A loss."""
    if has_words(assertion):
        return False
    ledger.lose(of_case(case, assertion.id), f"is left out, having no words: {assertion.text}")
    return True


def lost_keys(written: Json, kept: Iterable[str], *, said: str) -> str:
    """The keys of an author's object that are not written, as the end of a sentence; empty where there are none.

    `kept` are written; one whose value is `said` is written under another name.
    """
    if not isinstance(written, dict):
        return ""
    kept, fields = frozenset(kept), cast("dict[str, Json]", written)
    lost = (key for key, value in fields.items() if key not in kept and value is not None and value != said)
    return ", ".join(repr(key)[:60] for key in lost)


def as_native(assertion: Assertion, suite: Suite) -> Json:
    """Our own form: the author's value where it is in that form, else an object with everything that is known."""
    if suite.dialect in EVALS_OBJECTS:
        return assertion.written
    if isinstance(assertion, LlmJudge) and assertion.written == assertion.rubric and assertion.model is None:
        return assertion.rubric
    fields: dict[str, Json] = assertion.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"type", "written"}
    )
    if fields["text"] == describe(assertion) and not isinstance(assertion, Foreign):
        del fields["text"]
    value: dict[str, Json] = {"id": assertion.id, "type": assertion.type, **fields}
    if assertion.written is not None and assertion.written != assertion.text:
        value["written"] = assertion.written
    return value


def _statement(case: Case, assertion: Assertion, ledger: Ledger) -> str | None:
    place = of_case(case, assertion.id)
    if left_out(case, assertion, ledger):
        return None
    if isinstance(assertion, LlmJudge):
        keys = lost_keys(assertion.written, {"type"}, said=assertion.rubric)
        if keys:
            ledger.lose(place, f"is a text there, without its {keys}")
        return assertion.rubric
    what = "another tool's check" if isinstance(assertion, Foreign) else f"a check by code ({assertion.type})"
    ledger.lose(place, f"is {what}; its sentence for a judge is written instead")
    return assertion.text
