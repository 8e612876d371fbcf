"""A benchmark's means, spreads, least, greatest and counts against its arms' runs, and why they differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from skilltrial.audit.claims import Claim, Claims, Metric
from skilltrial.audit.closeness import SHARE, SPREAD_SHARE, close
from skilltrial.audit.figures import graded_stat
from skilltrial.audit.gradings import as_fraction, is_percentage
from skilltrial.audit.rules import (
    CHARACTERS,
    FIGURE,
    NO_RUNS,
    NOT_A_NUMBER,
    PERCENT,
    POOLED,
    SPREAD,
    SUMMARY_AS_ZERO,
    UNGRADED_AS_FAILED,
    ZERO,
    AuditRule,
    inside,
)
from skilltrial.audit.scores import Round, Score
from skilltrial.records.audit import ArmFigures, AuditFinding
from skilltrial.records.estimate import Stat
from skilltrial.stats.summary import mean

_PAIR = 2


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a mean is what it is."""

    rule: AuditRule
    sentence: str


def mean_findings(
    place: str,
    claims: Claims,
    found: Round,
    figures: Mapping[str, ArmFigures],
    *,
    partly: AbstractSet[tuple[str, Metric]] = frozenset(),
) -> Iterator[AuditFinding]:
    """Every figure of every arm but those for which something is missing (`partly`), and a spread over different cases."""
    for arm, stats in claims.summary.items():
        own = figures.get(arm)
        if own is None or not own.n_runs:
            if found.scores:
                path = next((claim.path for claim in stats.values()), "")
                message = f"The benchmark has figures of {arm!r}, and no run of it lies in this workspace."
                yield NO_RUNS.at(inside(place, path) if path else place, message)
            continue
        checked = {key: claim for key, claim in stats.items() if (arm, key[0]) not in partly}
        yield from _arm_findings(
            place, checked, _Side(own, found.by_arm[arm], _of_rows(claims, arm), claims.is_hand_made)
        )
    if found.family != "native":  # there the paired interval stands beside it
        yield from _pooled(place, claims, found)


def _of_rows(claims: Claims, arm: str) -> dict[Metric, list[float]]:
    rows = [row for row in claims.rows or () if row.arm == arm]
    metrics: tuple[Metric, ...] = ("pass_rate", "time_seconds", "tokens")
    return {metric: [row.figures[metric].value for row in rows if metric in row.figures] for metric in metrics}


@dataclass(frozen=True, slots=True)
class _Side:
    """One arm's right figures, and the runs behind them."""

    figures: ArmFigures
    scores: Sequence[Score]
    rows: Mapping[Metric, Sequence[float]]
    """What the benchmark's own rows say."""
    is_hand_made: bool

    def stat(self, metric: Metric) -> Stat | None:
        match metric:
            case "pass_rate":
                return self.figures.pass_rate
            case "time_seconds":
                return self.figures.time_seconds
            case "tokens":
                return self.figures.tokens
            case _:
                return None


def _arm_findings(place: str, stats: Mapping[tuple[Metric, str], Claim], side: _Side) -> Iterator[AuditFinding]:
    rate = stats.get(("pass_rate", "mean"))
    in_per_cent = rate is not None and is_percentage(rate.value)
    if in_per_cent and rate is not None:
        right = side.figures.pass_rate.mean
        yield PERCENT.at(inside(place, rate.path), "The mean pass rate is in per cent.", old=rate.written, right=right)
    reasons: dict[Metric, Reason] = {}
    for (metric, statistic), claim in sorted(stats.items(), key=lambda item: item[0][1] != "mean"):
        stat = side.stat(metric)
        if stat is None:
            continue
        value = claim.value / 100 if in_per_cent and metric == "pass_rate" and statistic != "n" else claim.value
        right: float | None = getattr(stat, statistic)
        if right is None and (n := stats.get((metric, "n"))) is not None and n.value == 0:
            continue  # of nothing, and it says so
        where = inside(place, claim.path)
        if not math.isfinite(value):
            yield NOT_A_NUMBER.at(where, f"The {statistic} is no number.", old=value, right=right)
            continue
        if _is_right(metric, statistic, value, right=right, side=side):
            continue
        reason = _reason(metric, value, side) if statistic == "mean" else reasons.get(metric)
        reason = reason or (_spread_reason(metric, value, side) if statistic == "stddev" else None) or _no_reason(side)
        if statistic == "mean":
            reasons[metric] = reason
        if right is not None or reason.rule is not FIGURE:
            same = statistic != "mean" and reason is reasons.get(metric)
            message = (
                f"Wrong like its mean: {reason.sentence}."
                if same
                else f"{reason.sentence[:1].upper()}{reason.sentence[1:]}."
            )
            yield reason.rule.at(where, message, old=claim.written, right=claim.in_its_unit(right))


def _is_right(metric: Metric, statistic: str, value: float, *, right: float | None, side: _Side) -> bool:
    if right is None:
        # The spread of one run, written as 0, is a habit and misleads nobody; a mean of nothing is looked into.
        return statistic != "mean"
    if statistic == "n":
        # Where nothing is recorded here, the count cannot be checked; it may be over graded runs alone.
        return right in (0, value) or (metric != "pass_rate" and value == graded_stat(side.scores, metric).n)
    share = SPREAD_SHARE if statistic == "stddev" else SHARE
    if any(close(metric, value, each, share=share) for each in (right, _of_graded(metric, statistic, side))):
        return True
    if statistic == "mean" and metric == "time_seconds":
        return _matches(metric, value, [score.seconds_with_grader for score in side.scores])
    if statistic == "mean" and metric == "pass_rate" and side.is_hand_made:
        return any(close(metric, value, other) for other in _other_means(side.scores))
    return False


def _of_graded(metric: Metric, statistic: str, side: _Side) -> float:
    """A time or a count of tokens over graded runs alone; the spread of one is 0, as people write it. Else NaN."""
    if metric not in {"time_seconds", "tokens"}:
        return math.nan
    stat = graded_stat(side.scores, metric)
    found: float | None = getattr(stat, statistic)
    if found is None:
        return 0.0 if statistic == "stddev" and stat.n == 1 else math.nan
    return found


def _other_means(scores: Sequence[Score]) -> Iterator[float]:
    """Over cases, and over all criteria together."""
    by_case: dict[str, list[float]] = {}
    for score in scores:
        if (rate := score.rate) is not None:
            by_case.setdefault(score.run.case, []).append(rate)
    over_cases = mean(value for rates in by_case.values() if (value := mean(rates)) is not None)
    if over_cases is not None:
        yield over_cases
        passed = sum(score.passed for score in scores)
        yield passed / sum(score.passed + score.failed for score in scores)


def _reason(metric: Metric, value: float, side: _Side) -> Reason | None:
    graded = [score for score in side.scores if score.rate is not None]
    n = len(graded)
    if metric == "pass_rate":
        return _rate_reason(value, side.scores, graded)
    if metric == "tokens" and _matches(metric, value, [score.characters for score in graded]):
        return Reason(CHARACTERS, "it is the mean of the characters of the outputs")
    if value == 0:
        return Reason(ZERO, "0 stands for what was not looked up, or never recorded")
    pick: Callable[[Score], float | None] = _tokens if metric == "tokens" else _seconds
    if n < len(side.scores) and _matches(metric, value, [pick(score) for score in graded]):
        return Reason(FIGURE, f"it is over the {n} graded of {len(side.scores)} runs alone")
    return _rows_reason(metric, value, side.rows[metric])


def _rows_reason(metric: Metric, value: float, rows: Sequence[float]) -> Reason | None:
    if not _matches(metric, value, rows):
        return None
    if 0 in rows:
        return Reason(ZERO, "it counts runs as 0 for which that was not looked up, or never recorded")
    return Reason(FIGURE, "it is the mean of the benchmark's own rows, and those are wrong or not all there")


def _rate_reason(value: float, scores: Sequence[Score], graded: Sequence[Score]) -> Reason | None:
    if any(_tally_rate(score) is None for score in graded):
        zeroed = [0.0 if _tally_rate(score) is None else score.rate for score in graded]
        if _matches("pass_rate", value, zeroed):
            return Reason(SUMMARY_AS_ZERO, "runs whose grading has no summary count as 0 %")
    if len(graded) < len(scores) and _matches("pass_rate", value, [score.rate or 0.0 for score in scores]):
        return Reason(UNGRADED_AS_FAILED, f"{len(scores) - len(graded)} runs without a grading count as 0 %")
    trusted = [_tally_rate(score) if _tally_rate(score) is not None else score.rate for score in graded]
    if _matches("pass_rate", value, trusted):
        return Reason(FIGURE, "it believes summaries that contradict their criteria")
    if _matches("pass_rate", value, [_tally_rate(score) or 0.0 for score in graded]):
        return Reason(SUMMARY_AS_ZERO, "it believes wrong summaries, and counts missing ones as 0 %")
    return None


def _spread_reason(metric: Metric, value: float, side: _Side) -> Reason | None:
    stat = side.stat(metric)
    if stat is None or stat.stddev is None:
        return None
    of_population = stat.stddev * math.sqrt((stat.n - 1) / stat.n)
    if not close(metric, value, of_population, share=SPREAD_SHARE):
        return None
    return Reason(SPREAD, f"the spread of {stat.n} runs is divided by {stat.n}, not {stat.n - 1}")


def _no_reason(side: _Side) -> Reason:
    n = len(side.scores)
    return Reason(
        FIGURE, "not what the one run of this arm gives" if n == 1 else f"not what the {n} runs of this arm give"
    )


def _tokens(score: Score) -> float | None:
    return score.tokens


def _seconds(score: Score) -> float | None:
    return score.seconds


def _tally_rate(score: Score) -> float | None:
    tally = score.run.grading.tally if score.run.grading else None
    return None if tally is None or tally.pass_rate is None else as_fraction(tally.pass_rate)


def _matches(metric: Metric, value: float, candidates: Iterable[float | None]) -> bool:
    centre = mean(candidate for candidate in candidates if candidate is not None)
    return centre is not None and math.isfinite(centre) and close(metric, value, centre)


def _pooled(place: str, claims: Claims, found: Round) -> Iterator[AuditFinding]:
    """One finding a benchmark, at the first spread over runs of several cases."""
    for arm, stats in claims.summary.items():
        claim = stats.get(("pass_rate", "stddev"))
        cases = {score.run.case for score in found.by_arm.get(arm, ()) if score.rate is not None}
        if claim is not None and len(cases) >= _PAIR:
            yield POOLED.at(
                inside(place, claim.path),
                f"The spread is over the runs of {len(cases)} cases pooled; most of it is how the cases differ.",
                old=claim.written,
            )
            return
