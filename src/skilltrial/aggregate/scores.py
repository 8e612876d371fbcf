"""The scores that are compared: per case, on the assertions that have a verdict in both arms.

A statement that can be answered in one arm only (like "the skill was invoked", which has no meaning without a skill) would move
that arm's rate and look like a lift. It stays in the arm's own figures and is left out of the comparison.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census, Entry
from skilltrial.records.plan import Plan
from skilltrial.records.suite import Assertion, Case
from skilltrial.stats.permutation import Stratum
from skilltrial.stats.summary import difference, mean


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseScores:
    """The comparable scores of one case's trials, in order of repeats."""

    case: Case
    treatment: tuple[float, ...]
    baseline: tuple[float, ...]
    one_armed: tuple[Assertion, ...]
    """Assertions with a verdict in one of two graded arms only."""

    @property
    def treatment_mean(self) -> float | None:
        """Over repeats."""
        return mean(self.treatment)

    @property
    def baseline_mean(self) -> float | None:
        """Over repeats."""
        return mean(self.baseline)

    @property
    def difference(self) -> float | None:
        """Treatment minus baseline; None where either is unknown."""
        high, low = self.treatment_mean, self.baseline_mean
        return None if high is None or low is None else difference(high, low)

    @property
    def stratum(self) -> Stratum:
        """For the permutation test."""
        return Stratum(self.treatment, self.baseline)


def case_scores(plan: Plan, census: Census, sides: Contest) -> tuple[CaseScores, ...]:
    """One row a case of the suite. Where only one arm has verdicts, all of its assertions count."""
    groups: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in census.counted:
        groups[entry.case.id, entry.arm.name].append(entry)
    treatment = sides.treatment.name if sides.treatment else ""
    baseline = sides.baseline.name if sides.baseline else ""
    return tuple(_scores(case, groups[case.id, treatment], groups[case.id, baseline]) for case in plan.suite.cases)


def usable(scores: Sequence[CaseScores]) -> list[CaseScores]:
    """The cases with a comparable score in both arms."""
    return [row for row in scores if row.treatment and row.baseline]


def n_clusters(rows: Sequence[CaseScores]) -> int:
    """Independent observations: families, and cases of none."""
    return len({(row.case.family is not None, row.case.family or row.case.id) for row in rows})


def _scores(case: Case, treatment: Sequence[Entry], baseline: Sequence[Entry]) -> CaseScores:
    answered = _answered(treatment), _answered(baseline)
    two_armed = bool(treatment and baseline)
    compared = answered[0] & answered[1] if two_armed else answered[0] | answered[1]
    return CaseScores(
        case=case,
        treatment=_rates(treatment, compared),
        baseline=_rates(baseline, compared),
        one_armed=tuple(a for a in case.assertions if a.id in answered[0] ^ answered[1]) if two_armed else (),
    )


def _answered(entries: Sequence[Entry]) -> frozenset[str]:
    return frozenset(result.id for entry in entries for result in entry.grading.results if result.verdict != "UNGRADED")


def _rates(entries: Sequence[Entry], compared: frozenset[str]) -> tuple[float, ...]:
    rates: list[float] = []
    for entry in entries:
        verdicts = [result.verdict for result in entry.grading.results if result.id in compared]
        passed, failed = verdicts.count("PASS"), verdicts.count("FAIL")
        if passed + failed:
            rates.append(passed / (passed + failed))
    return tuple(rates)
