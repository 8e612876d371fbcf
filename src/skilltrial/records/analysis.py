"""The reading of both skills and transcripts after a comparison: skill-creator's `analysis.json`, and ours beside.

See `records.comparison` for where the files lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from skilltrial.records.comparison import Winner
from skilltrial.records.json_value import Json
from skilltrial.records.record import Record

Side = Literal["winner", "loser"]


class ComparisonSummary(Record):
    """What the analysis is of."""

    winner: Winner | None = None
    winner_skill: str | None = None
    """A path; None of an arm without a skill."""
    loser_skill: str | None = None
    comparator_reasoning: str = ""


class InstructionFollowing(Record):
    """How well one agent did what its skill says, 1 to 10."""

    score: float | None = None
    issues: tuple[str, ...] = ()


class Suggestion(Record):
    """What to change in the loser's skill."""

    priority: str
    """`high` (would change the outcome), `medium`, `low`; in foreign files whatever stands there."""
    category: str = ""
    """`instructions`, `tools`, `examples`, `error_handling`, `structure`, `references`, or whatever stands there."""
    suggestion: str
    expected_impact: str = ""


class TranscriptInsights(Record):
    """How each of the two went about it."""

    winner_execution_pattern: str = ""
    loser_execution_pattern: str = ""


class CitedQuote(Record):
    """The words that a claim rests on."""

    claim: str
    """The claim's place in the file, like `winner_strengths.0`."""
    source: str
    """Where the words stand: `winner skill SKILL.md`, `loser transcript step 3`, …"""
    text: str
    found: bool | None
    """Whether code found them there; None: nobody looked."""


class AnalysisFacts(Record):
    """Ours of an analysis."""

    schema_version: Literal[1] = 1
    comparison: str
    """The comparison's file without its ending, like `comparison-1`."""
    quotes: tuple[CitedQuote, ...] = ()
    judge: str | None = None
    made_from: str | None = None
    """Digest of the comparison, both skills, both transcripts, the judge and its words; None of an older version."""
    n_calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Analysis(Record):
    """`analysis-K.json`."""

    comparison_summary: ComparisonSummary = ComparisonSummary()
    winner_strengths: tuple[str, ...] = ()
    loser_weaknesses: tuple[str, ...] = ()
    instruction_following: Mapping[Side, InstructionFollowing] = Field(default_factory=dict[Side, InstructionFollowing])
    improvement_suggestions: tuple[Suggestion, ...] = ()
    transcript_insights: TranscriptInsights = TranscriptInsights()
    skilltrial: AnalysisFacts | None = None
    """Ours."""
    extra: Mapping[str, Json] = Field(default_factory=dict, exclude=True)
    """What another tool's file has beside."""
