"""Were the declared criteria graded, each once and in its own words?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skilltrial.audit.rules import DROPPED, INVENTED, REPEATED, REWORDED, UNEVEN
from skilltrial.audit.scores import Round, count
from skilltrial.records.audit import AuditFinding
from skilltrial.records.foreign import Criterion, ForeignGrading, Statement

_WORD = re.compile(r"\w+")
_ALIKE = 0.5
"""Share of common words from which on a criterion counts as the same in other words."""
_ENOUGH = 3
"""Words that a text cut short has at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What became of a case's criteria in one grading."""

    dropped: tuple[Criterion, ...]
    invented: tuple[Statement, ...]
    repeated: tuple[Statement, ...]
    reworded: tuple[tuple[Criterion, Statement], ...]


def criteria_findings(found: Round) -> Iterator[AuditFinding]:
    """Criteria that the grader dropped, invented, repeated or reworded, where a case declares any.

    Our own gradings are bound to ids as they are made, and keep what has no verdict apart.
    """
    if found.family == "native":
        return
    yield from _uneven(found)
    for score in found.scores:
        grading = score.run.grading
        case = found.cases.get(score.run.case)
        if grading is None or not grading.statements or case is None or not case.criteria:
            continue
        if _is_verbatim(case.criteria, grading.statements):
            continue
        yield from _findings(grading, grading.statements, bind(case.criteria, grading.statements))


def _uneven(found: Round) -> Iterator[AuditFinding]:
    """Where no case declares its criteria, only their number can tell that the arms were asked different things."""
    if found.treatment is None or found.baseline is None:
        return
    sizes: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for score in found.scores:
        if score.n_criteria:
            sizes[score.run.case, score.run.arm].add(score.n_criteria)
    one, other = found.treatment.name, found.baseline.name
    for case in found.iteration.cases:
        here, there = sizes.get((case.key, one)), sizes.get((case.key, other))
        if not case.criteria and here and there and here.isdisjoint(there):
            yield UNEVEN.at(
                case.place,
                f"There are {_either(here)} criteria in {one!r} and {_either(there)} in {other!r}.",
            )


def _either(sizes: set[int]) -> str:
    return " or ".join(map(str, sorted(sizes)[:3]))


def bind(criteria: Sequence[Criterion], statements: Sequence[Statement]) -> Binding:
    """Match by id, then by text, then by common words; each criterion once.

    Where not one matches and there are as many, the grader has put names in place of the texts: they match in order.
    """
    open_criteria = list(criteria)
    left: list[Statement] = []
    repeated: list[Statement] = []
    answered = set[str]()
    for statement in statements:
        match = next((criterion for criterion in open_criteria if _is_same(criterion, statement)), None)
        if match is not None:
            open_criteria.remove(match)
            answered |= _keys(match)
        elif _keys(statement) & answered:
            repeated.append(statement)
        else:
            left.append(statement)
    reworded = _reworded(open_criteria, left)
    if not reworded and not answered and len(left) == len(open_criteria):
        reworded = list(zip(open_criteria, left, strict=True))
        open_criteria, left = [], []
    return Binding(
        dropped=tuple(open_criteria), invented=tuple(left), repeated=tuple(repeated), reworded=tuple(reworded)
    )


def _reworded(criteria: list[Criterion], statements: list[Statement]) -> list[tuple[Criterion, Statement]]:
    """Takes what is alike out of both lists."""
    pairs: list[tuple[Criterion, Statement]] = []
    for statement in list(statements):
        closest = max(criteria, key=lambda criterion: _likeness(criterion, statement), default=None)
        if closest is not None and _likeness(closest, statement) >= _ALIKE:
            pairs.append((closest, statement))
            criteria.remove(closest)
            statements.remove(statement)
    return pairs


def _findings(grading: ForeignGrading, statements: Sequence[Statement], bound: Binding) -> Iterator[AuditFinding]:
    place = f"{grading.place}" if "#" in grading.place else f"{grading.place}#expectations"
    if bound.dropped:
        texts = [criterion.text for criterion in bound.dropped]
        yield DROPPED.at(place, f"No verdict on {_listed(texts)}.", right=texts)
    extras = ((REPEATED, bound.repeated, "Answered more than once"), (INVENTED, bound.invented, "Declared nowhere"))
    for rule, extra, what in extras:
        if extra:
            kept = Counter(map(id, statements)) - Counter(map(id, extra))
            right = _rate([statement for statement in statements if id(statement) in kept])
            texts = [statement.text for statement in extra]
            yield rule.at(place, f"{what}: {_listed(texts)}.", old=_rate(statements), right=right)
    for criterion, statement in bound.reworded:
        yield REWORDED.at(
            place,
            f"{criterion.text[:100]!r} became {statement.text[:100]!r}.",
            old=statement.text,
            right=criterion.text,
        )


def _is_verbatim(criteria: Sequence[Criterion], statements: Sequence[Statement]) -> bool:
    return len(criteria) == len(statements) and all(
        criterion.text == statement.text for criterion, statement in zip(criteria, statements, strict=True)
    )


def _is_same(criterion: Criterion, statement: Statement) -> bool:
    if criterion.id is not None and criterion.id == statement.id:
        return True
    return _plain(criterion.text) == _plain(statement.text)


def _keys(item: Criterion | Statement) -> set[str]:
    return {f"text {_plain(item.text)}"} | ({f"id {item.id}"} if item.id is not None else set())


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _likeness(criterion: Criterion, statement: Statement) -> float:
    """Share of common words; a text that was cut short counts as the whole."""
    one, other = (set(_WORD.findall(item.text.casefold())) for item in (criterion, statement))
    fewer = min(len(one), len(other))
    if not fewer:
        return 0.0
    if fewer >= _ENOUGH and len(one & other) == fewer:
        return 1.0
    return len(one & other) / len(one | other)


def _rate(statements: Sequence[Statement]) -> float | None:
    passed, failed = count(statements)
    return passed / (passed + failed) if passed + failed else None


def _listed(texts: Sequence[str]) -> str:
    shown = "; ".join(repr(text[:80]) for text in texts[:3])
    return f"{shown} and {len(texts) - 3} more" if len(texts) > 3 else shown  # noqa: PLR2004 - as many as are shown
