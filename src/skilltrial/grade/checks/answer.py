"""`answer_matches`: the agent's final message."""

from __future__ import annotations

from skilltrial.grade.decision import CheckResult, decided, failed
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import Material
from skilltrial.grade.patterns import search, shown
from skilltrial.records.suite import AnswerMatches


def check_answer(assertion: AnswerMatches, material: Material) -> CheckResult:
    """The final message holds the pattern (negated: there is a message, and it does not).

    Raises `Undecided` where a part of it was cut out.
    """
    answer = material.final_message()
    if answer is None:
        return failed("the agent gave no final message.")
    if match := search(assertion.pattern, answer):
        return decided(not assertion.negate, f"the final message has: {shown(match)}")
    return decided(assertion.negate, f"no match for {excerpt(assertion.pattern)!r} in: {excerpt(answer)}")
