"""The plain tables: per case, per assertion, and what has no verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.case_words import case_word, harm
from skilltrial.aggregate.census import Census, Entry, eval_id
from skilltrial.aggregate.discrimination import discrimination
from skilltrial.aggregate.scores import CaseScores
from skilltrial.records.benchmark import AssertionRow, CaseRow, Ungraded
from skilltrial.records.estimate import PassRate
from skilltrial.records.grading import Verdict
from skilltrial.records.plan import Plan
from skilltrial.records.suite import Case

N_EXAMPLES = 3


def eval_name(case: Case) -> str:
    """What a person calls the case."""
    return case.name or case.id


def case_rows(
    scores: Sequence[CaseScores], census: Census, passes: Mapping[str, Mapping[str, PassRate]]
) -> tuple[CaseRow, ...]:
    """Both arms side by side, in the suite's order."""
    ungraded = Counter[str]()
    for entry in census.entries:
        ungraded[entry.case.id] += entry.grading.n_ungraded
    return tuple(
        CaseRow(
            eval_id=eval_id(row.case),
            eval_name=eval_name(row.case),
            treatment=row.treatment_mean,
            baseline=row.baseline_mean,
            difference=row.difference,
            n_treatment=len(row.treatment),
            n_baseline=len(row.baseline),
            ungraded=ungraded[row.case.id],
            passes=passes.get(row.case.id, {}),
            harm=harm(row),
            word=case_word(row),
            family=row.case.family,
        )
        for row in scores
    )


def assertion_rows(plan: Plan, census: Census, sides: Contest) -> tuple[AssertionRow, ...]:
    """Every assertion of the suite with its counts in every arm, and whether it tells the compared ones apart."""
    counts: defaultdict[tuple[str, str, str], Counter[Verdict]] = defaultdict(Counter)
    for entry in census.entries:
        for result in entry.grading.results:
            counts[entry.case.id, result.id, entry.arm.name][result.verdict] += 1
    rows: list[AssertionRow] = []
    for case in plan.suite.cases:
        for assertion in case.assertions:
            per_arm = {arm.name: counts[case.id, assertion.id, arm.name] for arm in census.arms}
            passed = {name: count["PASS"] for name, count in per_arm.items()}
            graded = {name: count["PASS"] + count["FAIL"] for name, count in per_arm.items()}
            rows.append(
                AssertionRow(
                    eval_id=eval_id(case),
                    assertion_id=assertion.id,
                    text=assertion.text,
                    type=assertion.type,
                    passed=passed,
                    graded=graded,
                    ungraded={name: count["UNGRADED"] for name, count in per_arm.items()},
                    weight=assertion.weight,
                    required=assertion.required,
                    discrimination=discrimination(passed, graded, sides),
                )
            )
    return tuple(rows)


def ungraded_table(entries: Sequence[Entry]) -> tuple[Ungraded, ...]:
    """Assertions without a verdict by reason, most frequent first, with a few places each."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries:
        for result in entry.grading.results:
            if result.verdict == "UNGRADED":
                places[result.evidence].append(f"{entry.key}: {result.text}")
    table = [
        Ungraded(reason=reason, count=len(found), examples=tuple(found[:N_EXAMPLES]))
        for reason, found in places.items()
    ]
    return tuple(sorted(table, key=lambda row: (-row.count, row.reason)))


def verdict_counts(entries: Sequence[Entry]) -> Mapping[Verdict, int]:
    """All three verdicts, also those that did not occur."""
    counts = Counter(result.verdict for entry in entries for result in entry.grading.results)
    verdicts: tuple[Verdict, ...] = ("PASS", "FAIL", "UNGRADED")
    return {verdict: counts[verdict] for verdict in verdicts}
