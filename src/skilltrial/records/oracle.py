"""What checks say where no agent worked: `skilltrial oracle --json`."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.grading import Verdict
from skilltrial.records.record import Record, Severity

OracleCode = Literal["passes-untouched", "fails-reference", "only-negative"]


class Seen(Record):
    """What a check says in one of the two states."""

    verdict: Verdict
    evidence: str


class CheckedAssertion(Record):
    """One assertion of a case."""

    id: str
    text: str
    type: str
    untouched: Seen | None = None
    """Of the files that the case starts with, and no word said. None: code does not decide it."""
    reference: Seen | None = None
    """Of the reference solution. None: there is none, or `undecided` says why."""
    undecided: str = ""
    """Why it is not decided here, or not on a reference."""


class CheckedCase(Record):
    """One case, with its assertions in their order."""

    id: str
    has_reference: bool
    assertions: tuple[CheckedAssertion, ...]


class OracleFinding(Record):
    """A check that cannot tell good work from none, or that good work does not pass."""

    code: OracleCode
    severity: Severity
    message: str
    hint: str
    case_id: str
    assertion_id: str | None = None
    """None: it is about all checks of the case together."""
    file: str = ""
    line: int | None = None


class Oracle(Record):
    """All cases that were looked at."""

    schema_version: Literal[1] = 1
    skill: str
    evals: str
    cases: tuple[CheckedCase, ...]
    findings: tuple[OracleFinding, ...] = ()
