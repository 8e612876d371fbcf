"""The verdicts on one trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from skilltrial.records.json_value import Json
from skilltrial.records.record import Record
from skilltrial.records.trial import TrialKey

Verdict = Literal["PASS", "FAIL", "UNGRADED"]
Confidence = Literal["HIGH", "MEDIUM", "LOW"]


class Vote(Record):
    """What one judge said of one assertion, one time."""

    judge: str
    sample: int = Field(default=1, ge=1)
    """Which time of asking the same judge."""
    verdict: Verdict
    reason: str = ""
    quote: str = ""
    place: str = ""
    """Where the quote stands: `final message`, `step 3`, `file sum.csv`; empty without a quote, or where it stands nowhere."""
    confidence: Confidence | None = None
    answered: bool = True
    """False: this judge could not be reached."""


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
    votes: tuple[Vote, ...] = ()
    """Of the judges, in the order of asking; empty where code decided, and in gradings of older versions."""
    weight: float = Field(default=1, gt=0)
    required: bool = False

    @property
    def agreement(self) -> float | None:
        """The share of the votes that are the verdict; None below two votes."""
        if len(self.votes) < 2:  # noqa: PLR2004 - one agrees with itself
            return None
        return sum(vote.verdict == self.verdict for vote in self.votes) / len(self.votes)


class Claim(Record):
    """A statement of the agent's that the judge checked."""

    claim: str
    type: str = "factual"
    verified: bool | None = None
    evidence: str = ""


class UserNotes(Record):
    """The agent's own notes for the user, in short."""

    uncertainties: tuple[str, ...] = ()
    needs_review: tuple[str, ...] = ()
    workarounds: tuple[str, ...] = ()


class JudgeFacts(Record):
    """Who judged, and what it took, with what earlier gradings of the same trial took whose answers still count."""

    model: str
    """The name of the judge; several have commas between them."""
    samples: int = 1
    """How often each judge was asked the same."""
    prompt: str | None = None
    """Digest of the prompt's text; None in gradings of older versions."""
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    duration_ms: int = 0
    images_refused: bool = False
    """A judge took no request with pictures, and judged without them."""


class Grading(Record):
    """`grading.json`, in memory. `results` holds every assertion of the case exactly once, in its order."""

    schema_version: Literal[1] = 1
    key: TrialKey
    results: tuple[AssertionResult, ...]
    meta_results: tuple[AssertionResult, ...] = ()
    """What nobody wrote down as an assertion and is looked at all the same; it counts in no figure."""
    claims: tuple[Claim, ...] = ()
    eval_feedback: Mapping[str, Json] = Field(default_factory=dict)
    user_notes: UserNotes = UserNotes()
    """Empty where the agent left none, or no judge read them."""
    judge: JudgeFacts | None = None
    digest: str
    """Of what it was made from: the trial, its outputs, the assertions, the judge."""
    parts: Mapping[str, str] = Field(default_factory=dict)
    """Digests of the parts of that: `rules` (a number), `case`, `trial`, `judge`, `assertion:ID`.
    Empty in gradings of older versions."""

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

    @property
    def weighted_score(self) -> float | None:
        """The weight of what holds over the weight of what has a verdict; None where nothing has one."""
        graded = sum(result.weight for result in self.results if result.verdict != "UNGRADED")
        passed = sum(result.weight for result in self.results if result.verdict == "PASS")
        return passed / graded if graded else None

    @property
    def required_failed(self) -> tuple[str, ...]:
        """Ids of required assertions that do not hold."""
        return tuple(result.id for result in self.results if result.required and result.verdict == "FAIL")
