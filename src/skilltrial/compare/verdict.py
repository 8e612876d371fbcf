"""Two orders make one comparison: a winner in both, or a tie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from skilltrial.compare.answer import SaidInOrder, SaidOfOutput
from skilltrial.records.comparison import (
    BlindComparison,
    CheckedExpectation,
    ComparedInOrder,
    ComparisonFacts,
    ExpectationResults,
    Label,
    OutputQuality,
    RubricScores,
    Winner,
)
from skilltrial.records.grading import Grading
from skilltrial.records.suite import Case

_LABELS: tuple[Label, Label] = ("A", "B")


def merged(
    orders: tuple[SaidInOrder, SaidInOrder], facts: ComparisonFacts, results: Mapping[Label, ExpectationResults]
) -> BlindComparison:
    """The comparison that both answers make: `orders[0]` showed A first, `orders[1]` B.

    Scores are means of both; an output's strengths and weaknesses are of the order that showed it first.
    """
    winners = {order.winner for order in orders}
    winner: Winner = orders[0].winner if len(winners) == 1 else "TIE"
    told = tuple(ComparedInOrder(first=each.first, winner=each.winner, reasoning=each.reasoning) for each in orders)
    own = {"A": orders[0], "B": orders[1]}
    return BlindComparison(
        winner=winner,
        reasoning=orders[0].reasoning if len(winners) == 1 else _torn(orders),
        rubric={label: _scores([order.outputs[label] for order in orders]) for label in _LABELS},
        output_quality={
            label: OutputQuality(
                score=fmean(order.outputs[label].score for order in orders),
                strengths=own[label].outputs[label].strengths,
                weaknesses=own[label].outputs[label].weaknesses,
            )
            for label in _LABELS
        },
        expectation_results=results,
        skilltrial=facts.model_copy(update={"orders": told}),
    )


def expectation_results(
    case: Case, gradings: Mapping[Label, Grading | None], orders: Sequence[SaidInOrder]
) -> dict[Label, ExpectationResults]:
    """Of both outputs: from the trial's own grading, else what the judge said of the statement alike in both orders.

    What has no verdict by either is left out, and is in no figure. Empty where one of the outputs has none at all.
    """
    results: dict[Label, ExpectationResults] = {}
    for label in _LABELS:
        grading = gradings[label]
        verdicts = {each.id: each.verdict for each in grading.results} if grading else {}
        told = [order.outputs[label].statements for order in orders]
        details: list[CheckedExpectation] = []
        for assertion in case.assertions:
            said = {each.get(assertion.id) for each in told}
            passed = said.pop() if len(said) == 1 else None
            if verdicts.get(assertion.id, "UNGRADED") != "UNGRADED":
                passed = verdicts[assertion.id] == "PASS"
            if passed is not None:
                details.append(CheckedExpectation(text=assertion.text, passed=passed))
        if not details:
            return {}
        n_passed = sum(each.passed is True for each in details)
        results[label] = ExpectationResults(
            passed=n_passed, total=len(details), pass_rate=round(n_passed / len(details), 4), details=tuple(details)
        )
    return results


def _torn(orders: Sequence[SaidInOrder]) -> str:
    """Why two verdicts are a tie."""
    said = "; ".join(
        f"with {order.first} first it said {order.winner if order.winner != 'TIE' else 'a tie'}: {order.reasoning}"
        for order in orders
    )
    return f"A tie: the judge's verdict depends on the order. {said[0].upper()}{said[1:]}"


def _scores(said: Sequence[SaidOfOutput]) -> RubricScores:
    content = {name: fmean(each.content[name] for each in said) for name in said[0].content}
    structure = {name: fmean(each.structure[name] for each in said) for name in said[0].structure}
    means = fmean(content.values()), fmean(structure.values())
    return RubricScores(
        content=content,
        structure=structure,
        content_score=round(means[0], 1),
        structure_score=round(means[1], 1),
        overall_score=round(means[0] + means[1], 1),
    )
