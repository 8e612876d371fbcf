"""A benchmark's rows against the gradings and timings of their runs."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skilltrial.audit.claims import Claim, Claims, Metric, Row
from skilltrial.audit.closeness import close
from skilltrial.audit.gradings import as_fraction, is_percentage
from skilltrial.audit.rules import (
    CHARACTERS,
    NO_RUNS,
    NOT_A_NUMBER,
    NOT_IN_BENCHMARK,
    PERCENT,
    ROW,
    SUMMARY_AS_ZERO,
    ZERO,
    inside,
)
from skilltrial.audit.scores import Round, Score
from skilltrial.records.audit import AuditFinding
from skilltrial.records.foreign import ForeignCase
from skilltrial.stats.summary import mean

_COUNTED: tuple[Metric, ...] = ("pass_rate", "passed", "failed", "total")


Matched = Sequence[tuple[Row, Sequence[Score]]]
"""Each row of a benchmark with its runs; none where no run of it lies in the workspace."""


def match_rows(claims: Claims, found: Round) -> Matched:
    """Find the runs of every row."""
    if not claims.rows:
        return ()
    index, alike = _index(found), Counter((row.arm, row.names) for row in claims.rows)
    same = Counter((row.arm, row.names, row.run_number) for row in claims.rows)
    nth: Counter[tuple[str, frozenset[str], int | None]] = Counter()
    matched: list[tuple[Row, Sequence[Score]]] = []
    for row in claims.rows:
        key = (row.arm, row.names, row.run_number)
        scores = _match(row, index, is_only=alike[row.arm, row.names] == 1)
        cases = list(dict.fromkeys(score.run.case for score in scores))
        if len(cases) > 1 and same[key] == len(cases):  # cases that share an id, each with its row
            scores = [score for score in scores if score.run.case == cases[nth[key]]]
        nth[key] += 1
        matched.append((row, scores if row.run_number is None else scores[:1]))
    return matched


def row_findings(place: str, matched: Matched, found: Round) -> Iterator[AuditFinding]:
    """Rows that contradict their runs, rows without a run, graded runs without a row."""
    if not matched:
        return
    seen = set[str]()
    for row, scores in matched:
        if not scores:
            message = f"No run of case {_name(row)} in {row.arm!r} lies in this workspace."
            yield NO_RUNS.at(inside(place, row.path), message)
            continue
        seen.update(score.run.place for score in scores)
        if not _made_from(scores[0], place):
            yield from _contradictions(place, row, _Rights.of(scores))
    for score in found.scores:
        if score.rate is not None and score.run.place not in seen:
            yield NOT_IN_BENCHMARK.at(
                score.run.place, f"The run is graded and has no row in {place}.", right=score.rate
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rights:
    """What a row should say: of one run, or of all runs of a case in an arm, counts summed and the rest averaged."""

    passed: int
    failed: int
    rates: tuple[float, ...]
    """Over runs, and over all criteria together: either is right."""
    seconds: tuple[float, ...]
    """Of the agent, and with the grader."""
    tokens: float | None
    characters: float | None
    has_summaries: bool
    n_criteria: int
    """With those that have no verdict."""
    uncountable: bool

    @staticmethod
    def of(scores: Sequence[Score]) -> _Rights:
        passed, failed = sum(score.passed for score in scores), sum(score.failed for score in scores)
        rate = mean(rate for score in scores if (rate := score.rate) is not None)
        seconds = (
            mean(value for score in scores if (value := score.seconds) is not None),
            mean(value for score in scores if (value := score.seconds_with_grader) is not None),
        )
        return _Rights(
            passed=passed,
            failed=failed,
            rates=() if rate is None else (rate, passed / (passed + failed)),
            seconds=tuple(value for value in seconds if value is not None),
            tokens=mean(value for score in scores if (value := score.tokens) is not None),
            characters=mean(value for score in scores if (value := score.characters) is not None),
            has_summaries=all(
                score.run.grading is not None and score.run.grading.tally is not None for score in scores
            ),
            n_criteria=sum(score.n_criteria for score in scores),
            uncountable=any(score.is_uncountable for score in scores),
        )


def _made_from(score: Score, place: str) -> bool:
    """Whether the run was read out of this very benchmark."""
    return score.run.place.startswith(f"{place}#")


def _index(found: Round) -> Mapping[tuple[str, str], Sequence[Score]]:
    names = _case_names(found)
    index: defaultdict[tuple[str, str], list[Score]] = defaultdict(list)
    for score in found.scores:
        for name in names.get(score.run.case, {score.run.case}):
            index[score.run.arm, name].append(score)
    return dict(index)


def _case_names(found: Round) -> dict[str, set[str]]:
    """By case: everything that a benchmark may call it."""
    names = {key: _names(case) for key, case in found.cases.items()}
    folders = sorted(found.cases, key=lambda key: _folder(found.cases[key]))
    for number, key in enumerate(folders):
        if found.cases[key].metadata is None:  # then skill-creator's aggregator counts folders
            names[key].add(str(number))
    return names


def _names(case: ForeignCase) -> set[str]:
    folder = _folder(case)
    names = {case.key, folder, folder.removeprefix("eval-")}
    return names | {str(name) for name in (case.id, case.name) if name is not None}


def _folder(case: ForeignCase) -> str:
    return case.place.rstrip("/").rpartition("/")[2]


def _match(row: Row, index: Mapping[tuple[str, str], Sequence[Score]], *, is_only: bool) -> Sequence[Score]:
    """The run of a row; where it names none, all of its case and arm. One row and one run belong together by any number."""
    for name in sorted(row.names):
        scores = index.get((row.arm, name), ())
        if row.run_number is not None and not (is_only and len(scores) == 1):
            scores = [score for score in scores if score.run.run_number == row.run_number]
        if scores:
            return scores
    return ()


def _name(row: Row) -> str:
    return " or ".join(repr(name) for name in sorted(row.names)) or "without a name"


def _contradictions(place: str, row: Row, right: _Rights) -> Iterator[AuditFinding]:
    yield from _rates(place, row, right)
    if claim := row.figures.get("time_seconds"):
        yield from _effort(place, claim, "time_seconds", known=right.seconds)
    if claim := row.figures.get("tokens"):
        characters, known = right.characters, () if right.tokens is None else (right.tokens,)
        is_right = any(close("tokens", claim.value, value) for value in known)
        if claim.value and not is_right and characters is not None and close("tokens", claim.value, characters):
            message = f"{claim.value:g} is the number of characters of the outputs."
            yield CHARACTERS.at(inside(place, claim.path), message, old=claim.written, right=right.tokens)
        else:
            yield from _effort(place, claim, "tokens", known=known)


def _rates(place: str, row: Row, right: _Rights) -> Iterator[AuditFinding]:
    """One finding a row: the rate where it is wrong, else the first count that is."""
    total = right.passed + right.failed
    counts: dict[Metric, Sequence[float]] = {
        "passed": [right.passed],
        "failed": [right.failed],
        "total": [total, right.n_criteria],
    }
    for metric in _COUNTED:
        claim = row.figures.get(metric)
        if claim is None:
            continue
        rights = right.rates if metric == "pass_rate" else counts[metric]
        best = rights[0] if rights else None
        where = inside(place, claim.path)
        if not math.isfinite(claim.value):
            yield NOT_A_NUMBER.at(where, f"The {metric} is no number.", old=claim.value, right=best)
            return
        value = as_fraction(claim.value) if metric == "pass_rate" else claim.value
        if metric == "pass_rate" and is_percentage(claim.value):
            yield PERCENT.at(where, "The pass rate is in per cent.", old=claim.written, right=best)
        if right.uncountable or any(close(metric, value, each) for each in rights):
            continue
        if value == 0 and total and not right.has_summaries:
            message = (
                f"The grading has no summary, so that it counts as 0 %; {right.passed} of {total} criteria passed."
            )
            yield SUMMARY_AS_ZERO.at(where, message, old=claim.written, right=best)
        else:
            said = f"{right.passed} of {total} criteria passed" if total else "there is no verdict"
            yield ROW.at(where, f"The row says {metric} {claim.value:g}; {said}.", old=claim.written, right=best)
        return


def _effort(place: str, claim: Claim, metric: Metric, *, known: Sequence[float]) -> Iterator[AuditFinding]:
    """Tokens or seconds of one row; any of the known values is right, the first is the best."""
    where, right = inside(place, claim.path), known[0] if known else None
    if not math.isfinite(claim.value):
        yield NOT_A_NUMBER.at(where, "The figure is no number.", old=claim.value, right=claim.in_its_unit(right))
    elif any(close(metric, claim.value, value) for value in known):
        return
    elif claim.value == 0:
        said = "is recorded" if known else "was never recorded"
        yield ZERO.at(where, f"The row says 0; the figure {said}.", old=claim.written, right=claim.in_its_unit(right))
    elif known:
        yield ROW.at(where, f"The row says {claim.written}.", old=claim.written, right=claim.in_its_unit(right))
