"""The assertions of an imported case: what it declares, and what its gradings speak of besides."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence

from skilltrial.records.foreign import Criterion, Statement
from skilltrial.records.suite import Assertion, Foreign, LlmJudge

_WORDS = re.compile(r"[^\W_]+")
_SPACE = re.compile(r"\s+")
_PROSE = frozenset({None, "", "llm_judge", "llm", "judge", "text", "prose", "rubric"})
_BY_OTHERS = "Its check belongs to the tool that it was imported from; only that tool's verdict is known."


class Criteria:
    """The criteria of one case, and which statement of a grading speaks of which.

    A statement belongs to a criterion of its id, else of its text (capitals and spaces aside). One that belongs to none is a
    criterion more: `invented` where the case declares others.
    """

    def __init__(self, declared: Sequence[Criterion] | None) -> None:
        self._declares = declared is not None
        self._assertions: list[Assertion] = []
        self._ids: set[str] = set()
        self._by_key: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self.invented: list[str] = []
        """Ids of the assertions that the case does not declare, though it declares some."""
        for criterion in declared or ():
            self._add(criterion.id, criterion.text, criterion.type, declared=True)

    @property
    def assertions(self) -> tuple[Assertion, ...]:
        """Those declared, then the others in the order in which they were met."""
        return tuple(self._assertions)

    def bind(self, statements: Sequence[Statement]) -> dict[str, Statement]:
        """The statement of each assertion that one grading speaks of, by the assertion's id; each statement once."""
        bound: dict[str, Statement] = {}
        for statement in statements:
            found = self._find(statement, bound)
            if found is None:
                found = self._add(statement.id, statement.text, statement.grader, declared=not self._declares)
            bound[found] = statement
        return bound

    def _find(self, statement: Statement, taken: dict[str, Statement]) -> str | None:
        for key in _keys(statement.id, statement.text):
            for id_ in self._by_key.get(key, ()):
                if id_ not in taken:
                    return id_
        return None

    def _add(self, written: str | None, text: str, kind: str | None, *, declared: bool) -> str:
        statement = text or written or "(a criterion without text)"
        id_ = self._unique(written or _made_id(statement))
        mark = None if declared else {"declared": False}
        if kind in _PROSE or kind == "code":
            self._assertions.append(LlmJudge(id=id_, text=statement, rubric=statement, written=mark))
        else:
            self._assertions.append(Foreign(id=id_, text=statement, reason=f"{kind}: {_BY_OTHERS}", written=mark))
        if not declared:
            self.invented.append(id_)
        for key in _keys(written, text):
            self._by_key[key].append(id_)
        return id_

    def _unique(self, name: str) -> str:
        made, number = name, 1
        while made in self._ids:
            number += 1
            made = f"{name}-{number}"
        self._ids.add(made)
        return made


def _keys(id_: str | None, text: str) -> list[tuple[str, str]]:
    folded = _SPACE.sub(" ", text).strip().casefold()
    keys = [("id", id_)] if id_ else []
    return [*keys, ("text", text), ("folded", folded)] if folded else keys


def _made_id(text: str) -> str:
    name = "-".join(_WORDS.findall(text.lower())[:5])[:40].strip("-")
    return name or f"criterion-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:6]}"
