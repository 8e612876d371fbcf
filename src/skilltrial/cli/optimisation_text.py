"""A search for a better description as lines of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from skilltrial.cli.paragraph import paragraph
from skilltrial.records.optimisation import Candidate, DescriptionTest, Optimisation, Score
from skilltrial.report.figures import UNKNOWN, count, dollars, percent, plural, points, signed_points
from skilltrial.report.plain_text import line
from skilltrial.trigger.description import MAX_CHARS

_OWN = "the skill's own"
_NAME = 22
_OWN_CHARS = 4 * MAX_CHARS
"""The skill's own may be longer than it should be."""


def optimisation_lines(state: Optimisation, width: int) -> Iterator[str]:
    """The sentence first, then what makes it doubtful, the test, all descriptions, and the one that is offered."""
    yield paragraph(_sentence(state), width)
    for notice in state.notices:
        yield ""
        yield paragraph(notice, width, indent="! ", further="  ")
    if state.test is not None:
        yield ""
        yield from _test_lines(state, state.test)
    yield ""
    yield from _candidate_lines(state, width)
    yield ""
    if state.ended:
        yield paragraph(f"The search ended: {state.ended}.", width)
    yield paragraph(_spent(state), width)
    if state.word == "better":
        yield ""
        yield "The new description:"
        text = next(each for each in state.candidates if each.number == state.best).description
        yield textwrap.fill(line(text, _OWN_CHARS), width, initial_indent="  ", subsequent_indent="  ")


def _sentence(state: Optimisation) -> str:
    if state.step == "stopped":
        return f"{state.skill_name}: stopped. {state.doing} The same command goes on from there."
    if state.word is None:
        return f"{state.skill_name}: not finished; the same command goes on from there."
    return f"{state.skill_name}: {state.word}. {state.why[:1].upper()}{state.why[1:]}."


def _test_lines(state: Optimisation, test: DescriptionTest) -> Iterator[str]:
    n = len(state.part("test"))
    runs = plural(state.runs, "run")
    yield f"On {plural(n, 'test query', 'test queries')}, {runs} each, right are:"
    interval = f"  ({_number(test.best_low)} to {percent(test.best_high)})" if test.best_high is not None else ""
    own = state.best == 0
    name = _OWN if own else f"description {state.best}"
    yield f"  {name:<{_NAME}}{_of(test.best_score):>9}  {percent(test.best_score.share):>6}{interval}"
    if not own:
        yield from _comparison_lines(test)
    if test.n_errors:
        yield f"  Without a result: {plural(test.n_errors, 'run')}; the same command runs them again."


def _comparison_lines(test: DescriptionTest) -> Iterator[str]:
    yield f"  {_OWN:<{_NAME}}{_of(test.incumbent_score):>9}  {percent(test.incumbent_score.share):>6}"
    if test.difference is not None:
        span = f" ({signed_points(test.low)} to {signed_points(test.high)})" if test.low is not None else ""
        yield f"  {'difference':<{_NAME}}{'':>9}  {points(test.difference)}{span}"


def _candidate_lines(state: Optimisation, width: int) -> Iterator[str]:
    yield f"  {'train':>7}  {'validation':>10}      description"
    for each in state.candidates:
        mark = "→" if each.number == state.best else " "
        head = f"  {_of(each.train):>7}  {_of(each.validation):>10}  {mark} {each.number:<2}"
        yield f"{head}{line(_shown(each), width - len(head))}"
    if len(state.candidates) > 1:
        yield paragraph(
            "The best on validation was chosen by that score, so it is too good: test is not.", width, indent="  "
        )


def _shown(candidate: Candidate) -> str:
    text = candidate.description or "(none)"
    return text if candidate.number else f"(its own) {text}"


def _spent(state: Optimisation) -> str:
    spent, calls = state.spent, state.calls
    parts = [plural(spent.n_runs, "run")]
    parts.append(f"{count(spent.tokens)} tokens" if spent.tokens is not None else "tokens unknown")
    parts.append(dollars(spent.cost_usd) if spent.cost_usd is not None else "cost unknown")
    costs = [each.cost_usd for each in calls if each.cost_usd is not None]
    told = f", {dollars(sum(costs))}" if len(costs) == len(calls) and calls else ", cost unknown" if calls else ""
    return f"Spent: {', '.join(parts)}; {plural(len(calls), 'call')} of {state.rewriter}{told}."


def _of(score: Score | None) -> str:
    return UNKNOWN if score is None else f"{score.n_passed} of {score.n_decided}"


def _number(share: float | None) -> str:
    return percent(share).removesuffix(" %")
