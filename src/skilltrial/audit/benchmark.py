"""One old benchmark against the iteration that it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from skilltrial.audit.benchmark_deltas import delta_findings
from skilltrial.audit.benchmark_means import mean_findings
from skilltrial.audit.benchmark_rows import match_rows, row_findings
from skilltrial.audit.claims import Claims, Metric, read_claims
from skilltrial.audit.rules import EMPTY, PLACEHOLDER, REPEATS, SHAPE, inside
from skilltrial.audit.scores import Round
from skilltrial.records.audit import ArmFigures, AuditFinding
from skilltrial.records.foreign import Document


def benchmark_findings(document: Document, found: Round, figures: Mapping[str, ArmFigures]) -> Iterator[AuditFinding]:
    """Everything that is wrong with the figures of one benchmark."""
    place, shapes = document.place, read_claims(document.value)
    if not shapes:
        yield SHAPE.at(place, "The benchmark's shape is not known here; its figures were not checked.")
    for claims in shapes:
        yield from _checked(place, claims, found, figures)


def _checked(place: str, claims: Claims, found: Round, figures: Mapping[str, ArmFigures]) -> Iterator[AuditFinding]:
    n_graded = sum(own.n_graded for own in figures.values())
    if claims.rows == () and n_graded:
        yield EMPTY.at(
            place, f"The benchmark has no runs; {n_graded} graded runs lie beside it.", old=0, right=n_graded
        )
        return
    matched = match_rows(claims, found)
    # Where some runs of an arm are not here, or were graded without verdicts, the others cannot tell its means.
    partly: set[tuple[str, Metric]] = {
        (row.arm, metric) for row, scores in matched if not scores for metric in ("pass_rate", "time_seconds", "tokens")
    }
    partly |= {(score.run.arm, "pass_rate") for score in found.scores if score.is_uncountable}
    yield from delta_findings(place, claims, found, figures, partly=partly)
    yield from mean_findings(place, claims, found, figures, partly=partly)
    yield from row_findings(place, matched, found)
    yield from _labels(place, claims, found)


def _labels(place: str, claims: Claims, found: Round) -> Iterator[AuditFinding]:
    for path, text in claims.placeholders:
        yield PLACEHOLDER.at(inside(place, path), f"{text!r} was never filled in.", old=text)
    claim = claims.runs_per_configuration
    counts = Counter((score.run.case, score.run.arm) for score in found.scores).values()
    if claim is None or not counts or found.family == "native":  # ours is the number of graded ones
        return
    fewest, most = min(counts), max(counts)
    if not fewest == most == claim.value:
        right = fewest if fewest == most else f"{fewest}–{most}"
        yield REPEATS.at(
            inside(place, claim.path),
            f"Each case has {right} {'run' if most == 1 else 'runs'} in an arm.",
            old=claim.written,
            right=right,
        )
