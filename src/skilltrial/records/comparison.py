"""A blind comparison of two outputs, and the reading of both afterwards: skill-creator's files, and ours beside.

`iteration-N/comparisons/comparison-K.json` and `analysis-K.json` have skill-creator's fields at the top, and all of ours below
`skilltrial`; whatever else another tool wrote stands in `extra`. Which trial is A and which is B stands in `key.json` beside
them alone, so that a comparison can be read blind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from skilltrial.records.json_value import Json
from skilltrial.records.record import Record
from skilltrial.records.trial import TrialKey

COMPARISON_KEY = "key.json"
"""Beside the comparisons."""
COMPARISON_SUMMARY = "summary.json"
"""The same: what all of them come to (`records.preference`)."""
COMPARISON_RUBRICS = "rubrics"
"""A folder beside them, with the rubric of each case."""

Label = Literal["A", "B"]
Winner = Literal["A", "B", "TIE"]


class Criterion(Record):
    """Of a rubric."""

    name: str
    """Lower case, with `_` between words."""
    meaning: str = ""
    """What 1 and what 5 look like."""


class Rubric(Record):
    """`rubrics/eval-<case>.json`: made from the task alone, before any output is looked at, and used for all of its outputs."""

    schema_version: Literal[1] = 1
    case_id: str
    content: tuple[Criterion, ...]
    structure: tuple[Criterion, ...]
    judge: str
    made_from: str
    """Digest of the task, its notes, the judge and the words that it was asked with."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class RubricScores(Record):
    """Of one output, on a rubric made for the task: criteria by name, each 1 to 5."""

    content: Mapping[str, float | None] = Field(default_factory=dict[str, float | None])
    structure: Mapping[str, float | None] = Field(default_factory=dict[str, float | None])
    content_score: float | None = None
    """Mean of the criteria of content."""
    structure_score: float | None = None
    overall_score: float | None = None
    """1 to 10."""


class OutputQuality(Record):
    """What is good and bad about one output."""

    score: float | None = None
    """1 to 10."""
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()


class CheckedExpectation(Record):
    """One expectation, of one output. `passed` is None where it is not told."""

    text: str
    passed: bool | None


class ExpectationResults(Record):
    """The expectations of the case, of one output."""

    passed: int | None = None
    total: int | None = None
    pass_rate: float | None = None
    """A fraction of 1."""
    details: tuple[CheckedExpectation, ...] = ()


class ComparedInOrder(Record):
    """What the judge said when it saw the outputs in one order."""

    first: Label
    """The one that was shown first."""
    winner: Winner
    reasoning: str = ""


class ComparisonFacts(Record):
    """Ours of a comparison. Nothing of it tells which output is from which arm."""

    schema_version: Literal[1] = 1
    case_id: str
    repeat: int | None = None
    """Where both trials have the same."""
    orders: tuple[ComparedInOrder, ...] = ()
    """A winner in one order alone is a tie."""
    seed: int | None = None
    """From which the labels were drawn."""
    judge: str | None = None
    """The identity of the model and its settings."""
    n_chars: Mapping[Label, int] = Field(default_factory=dict[Label, int])
    """How long each output is, to tell whether length wins."""
    made_from: str | None = None
    """Digest of both outputs as shown, the rubric, the judge, its words and the seed; None of an older version."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    """Of all calls of the comparison; the rubric is apart."""


class BlindComparison(Record):
    """`comparison-K.json`."""

    winner: Winner | None
    """None where a file says something else: nobody knows then."""
    reasoning: str = ""
    rubric: Mapping[Label, RubricScores] = Field(default_factory=dict[Label, RubricScores])
    output_quality: Mapping[Label, OutputQuality] = Field(default_factory=dict[Label, OutputQuality])
    expectation_results: Mapping[Label, ExpectationResults] = Field(default_factory=dict[Label, ExpectationResults])
    skilltrial: ComparisonFacts | None = None
    """Ours."""
    extra: Mapping[str, Json] = Field(default_factory=dict, exclude=True)
    """What another tool's file has beside."""


class ComparisonKey(Record):
    """`key.json`: which trial has which label, by the comparison's file without its ending (`comparison-1`)."""

    schema_version: Literal[1] = 1
    labels: Mapping[str, Mapping[Label, TrialKey]]
