"""What a check comes to."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.records.grading import Verdict


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A verdict and what it rests on."""

    verdict: Verdict
    evidence: str


class Undecided(Exception):
    """No verdict can be given; the text says why, in one sentence. `trial.grade_trial` turns it into UNGRADED."""


def passed(evidence: str) -> CheckResult:
    """The assertion holds."""
    return CheckResult("PASS", evidence)


def failed(evidence: str) -> CheckResult:
    """The assertion does not hold."""
    return CheckResult("FAIL", evidence)


def decided(holds: bool, evidence: str) -> CheckResult:  # noqa: FBT001 - the verdict itself, read as `decided(holds, why)`
    """PASS or FAIL."""
    return passed(evidence) if holds else failed(evidence)
