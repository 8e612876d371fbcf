"""The verdicts on one trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from skilltrial.records.record import Json, Record
from skilltrial.records.trial import TrialKey

Verdict = Literal["PASS", "FAIL", "UNGRADED"]
Confidence = Literal["HIGH", "MEDIUM", "LOW"]


class AssertionResult(Record):
    """The verdict on one assertion of one trial."""

    id: str
    """The assertion's id within its case."""
    text: str
    type: str
    verdict: Verdict
    evidence: str
    """What was found and where; for UNGRADED, why there is no verdict and what to do about it."""
    confidence: Confidence | None = None
    grader: Literal["code", "judge", "none"]


class Claim(Record):
    """A statement of the agent's that the judge checked."""

    claim: str
    type: str = "factual"
    verified: bool | None = None
    evidence: str = ""


class JudgeFacts(Record):
    """Who judged, and what it took."""

    model: str
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    duration_ms: int = 0


class Grading(Record):
    """`grading.json`, in memory. `results` holds every assertion of the case exactly once, in its order."""

    schema_version: Literal[1] = 1
    key: TrialKey
    results: tuple[AssertionResult, ...]
    claims: tuple[Claim, ...] = ()
    eval_feedback: Mapping[str, Json] = Field(default_factory=dict)
    judge: JudgeFacts | None = None
    digest: str
    """Of what it was made from: the trial, its outputs, the assertions, the judge."""

    @property
    def n_passed(self) -> int:
        """How many assertions hold."""
        return sum(result.verdict == "PASS" for result in self.results)

    @property
    def n_failed(self) -> int:
        """How many assertions do not hold."""
        return sum(result.verdict == "FAIL" for result in self.results)

    @property
    def n_ungraded(self) -> int:
        """How many assertions have no verdict."""
        return len(self.results) - self.n_passed - self.n_failed

    @property
    def pass_rate(self) -> float | None:
        """Passed over passed and failed; None where nothing has a verdict."""
        graded = self.n_passed + self.n_failed
        return self.n_passed / graded if graded else None
