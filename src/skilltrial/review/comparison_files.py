"""Comparisons and analyses of any tool, read tolerantly: what is missing or of another form is unknown, never zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar, cast, get_args

from pydantic import ValidationError

from skilltrial.records.analysis import (
    Analysis,
    AnalysisFacts,
    ComparisonSummary,
    InstructionFollowing,
    Side,
    Suggestion,
    TranscriptInsights,
)
from skilltrial.records.comparison import (
    BlindComparison,
    CheckedExpectation,
    ComparisonFacts,
    ExpectationResults,
    Label,
    OutputQuality,
    RubricScores,
    Winner,
)
from skilltrial.records.json_value import Json, is_list, is_object, real
from skilltrial.records.record import Record

_LABELS: tuple[Label, ...] = get_args(Label)
_SIDES: tuple[Side, ...] = get_args(Side)
_OURS = "skilltrial"
FactsT = TypeVar("FactsT", bound=Record)


def comparison_of(value: Json) -> BlindComparison | None:
    """A comparison; None for a file of anything else."""
    if not is_object(value) or "winner" not in value:
        return None
    if all(name not in value for name in ("rubric", "reasoning", "output_quality", "expectation_results")):
        return None
    rubric, quality, results = (fields(value.get(name)) for name in ("rubric", "output_quality", "expectation_results"))
    return BlindComparison(
        winner=winner_of(value["winner"]),
        reasoning=text(value.get("reasoning")),
        rubric={label: _scores(fields(rubric[label])) for label in _LABELS if label in rubric},
        output_quality={label: _quality(fields(quality[label])) for label in _LABELS if label in quality},
        expectation_results={label: _results(fields(results[label])) for label in _LABELS if label in results},
        skilltrial=_facts(ComparisonFacts, value.get(_OURS)),
        extra=_beside(value, BlindComparison),
    )


def analysis_of(value: Json) -> Analysis | None:
    """An analysis; None for a file of anything else."""
    if not is_object(value) or "comparison_summary" not in value:
        return None
    summary, insights = fields(value["comparison_summary"]), fields(value.get("transcript_insights"))
    following = fields(value.get("instruction_following"))
    return Analysis(
        comparison_summary=ComparisonSummary(
            winner=winner_of(summary.get("winner")),
            winner_skill=text(summary.get("winner_skill")) or None,
            loser_skill=text(summary.get("loser_skill")) or None,
            comparator_reasoning=text(summary.get("comparator_reasoning")),
        ),
        winner_strengths=texts(value.get("winner_strengths")),
        loser_weaknesses=texts(value.get("loser_weaknesses")),
        instruction_following={side: _following(fields(following[side])) for side in _SIDES if side in following},
        improvement_suggestions=tuple(_suggestion(each) for each in objects(value.get("improvement_suggestions"))),
        transcript_insights=TranscriptInsights(
            winner_execution_pattern=text(insights.get("winner_execution_pattern")),
            loser_execution_pattern=text(insights.get("loser_execution_pattern")),
        ),
        skilltrial=_facts(AnalysisFacts, value.get(_OURS)),
        extra=_beside(value, Analysis),
    )


def winner_of(value: Json) -> Winner | None:
    """`A`, `B` or `TIE`, however it is written; None for anything else."""
    word = value.strip().upper() if isinstance(value, str) else ""
    word = word.removeprefix("OUTPUT ")
    if word in {"TIE", "DRAW", "EQUAL"}:
        return "TIE"
    return cast("Winner", word) if word in {"A", "B"} else None


def fields(value: Json) -> Mapping[str, Json]:
    """An object; empty for anything else."""
    return value if is_object(value) else {}


def objects(value: Json) -> list[Mapping[str, Json]]:
    """The objects of a list."""
    return [each for each in value if is_object(each)] if is_list(value) else []


def text(value: Json) -> str:
    """A text; empty for anything else."""
    return value if isinstance(value, str) else ""


def texts(value: Json) -> tuple[str, ...]:
    """The texts of a list, or one alone."""
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(each for each in value if isinstance(each, str)) if is_list(value) else ()


def whole(value: Json) -> int | None:
    """A whole number that is not negative."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _scores(value: Mapping[str, Json]) -> RubricScores:
    return RubricScores(
        content={name: real(score) for name, score in fields(value.get("content")).items()},
        structure={name: real(score) for name, score in fields(value.get("structure")).items()},
        content_score=real(value.get("content_score")),
        structure_score=real(value.get("structure_score")),
        overall_score=real(value.get("overall_score")),
    )


def _quality(value: Mapping[str, Json]) -> OutputQuality:
    return OutputQuality(
        score=real(value.get("score")),
        strengths=texts(value.get("strengths")),
        weaknesses=texts(value.get("weaknesses")),
    )


def _results(value: Mapping[str, Json]) -> ExpectationResults:
    return ExpectationResults(
        passed=whole(value.get("passed")),
        total=whole(value.get("total")),
        pass_rate=real(value.get("pass_rate")),
        details=tuple(
            CheckedExpectation(text=text(each.get("text")), passed=_told(each.get("passed")))
            for each in objects(value.get("details"))
        ),
    )


def _told(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def _following(value: Mapping[str, Json]) -> InstructionFollowing:
    return InstructionFollowing(score=real(value.get("score")), issues=texts(value.get("issues")))


def _suggestion(value: Mapping[str, Json]) -> Suggestion:
    names: tuple[Literal["priority", "category", "suggestion", "expected_impact"], ...] = (
        "priority",
        "category",
        "suggestion",
        "expected_impact",
    )
    told = {name: text(value.get(name)) for name in names}
    return Suggestion(**told)


def _facts(kind: type[FactsT], value: Json) -> FactsT | None:
    try:
        return kind.model_validate(value) if is_object(value) else None
    except ValidationError:
        return None


def _beside(value: Mapping[str, Json], kind: type[Record]) -> dict[str, Json]:
    return {name: each for name, each in value.items() if name not in kind.model_fields}
