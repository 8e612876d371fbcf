"""A first trigger set for a skill: queries that a model drafts, checked by reading and lint, rewritten once."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from skilltrial.errors import HarnessError, SpecError, Unparsable
from skilltrial.grade.excerpt import escaped
from skilltrial.operations.drafting import fenced, sections_of, system_of, total
from skilltrial.ports import Answer, LanguageModel
from skilltrial.records.json_value import Json
from skilltrial.records.skill import Skill
from skilltrial.spec.convert.json_text import json_text
from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.evals import advise
from skilltrial.spec.lint.rule import EvalsUnderLint
from skilltrial.spec.suite import examine_suite

N_QUERIES = 20
"""Half of each class, as agentskills.io's guide advises."""
_SHARE = 0.4
"""Of the set that each class has at least."""
_MAX_FINDINGS = 40


class DraftedQuery(BaseModel):
    """What a user says."""

    query: str = Field(description="The user's message, word for word.")
    kind: Literal["explicit", "implicit", "noisy", "near-miss"]
    why: str = Field(default="", description="Why the skill should or should not be loaded, in a sentence.")


class DraftedSet(BaseModel):
    """All queries."""

    queries: list[DraftedQuery]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedQueries:
    """A trigger set that can be read, and what it took. Unknown figures are None."""

    document: Sequence[Mapping[str, Json]]
    """In skill-creator's form, with `kind` and `rationale` besides."""
    problems: tuple[Problem, ...]
    """What lint still has to say."""
    dropped: tuple[str, ...]
    """What the model wrote that could not be used."""
    model: str
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


async def draft_queries(skill: Skill, *, model: LanguageModel) -> DraftedQueries:
    """Ask for `N_QUERIES` queries, and once more where something is wrong with them; what cannot be used is left out.

    Raises `SpecError` for a skill that says nothing, `Unparsable` where no query of a class can be used, and what
    `LanguageModel.ask` raises for the first request. A second request that fails leaves the first draft.
    """
    if not skill.description and not skill.body.strip():
        raise SpecError("the skill says nothing that queries could be drafted from.", where=skill.folder)
    answers = [await _ask(skill, model)]
    n_calls = 1
    document, dropped = _usable(answers[0].value, skill)
    if findings := _findings(document, dropped, skill):
        n_calls = 2
        try:
            answers.append(await _ask(skill, model, earlier=answers[0].value, findings=findings))
        except HarnessError:
            pass  # the first draft is at hand, and paid for
        else:
            second = _usable(answers[1].value, skill)
            document, dropped = max((second, (document, dropped)), key=lambda each: min(_by_class(each[0])))
    if not min(_by_class(document)):
        missing = "should" if not _by_class(document)[0] else "should not"
        message = f"the model {model.name!r} wrote no query that {missing} load the skill and can be used."
        raise Unparsable(message, hint="Try another model.")
    whole = len(answers) == n_calls
    return DraftedQueries(
        document=document,
        problems=tuple(_examine(document, skill)[1]),
        dropped=tuple(dropped),
        model=model.name,
        calls=n_calls,
        input_tokens=total([answer.input_tokens for answer in answers]) if whole else None,
        output_tokens=total([answer.output_tokens for answer in answers]) if whole else None,
        cost_usd=total([answer.cost_usd for answer in answers]) if whole else None,
    )


async def _ask(
    skill: Skill, model: LanguageModel, *, earlier: DraftedSet | None = None, findings: Sequence[str] = ()
) -> Answer[DraftedSet]:
    sections = sections_of(skill)
    request = f"Write {N_QUERIES} queries for this skill, half of them near misses."
    if earlier is not None:
        sections += [
            ("your earlier queries", escaped(json_text(earlier.model_dump(mode="json")["queries"]))),
            ("what is wrong with them", "\n".join(findings)),
        ]
        request += " You did before; write all of them again, with what is wrong mended."
    return await model.ask(system=system_of("query_drafting.md"), prompt=fenced(sections, request), output=DraftedSet)


def _usable(drafted: DraftedSet, skill: Skill) -> tuple[list[dict[str, Json]], list[str]]:
    """The queries that can be counted, and why each of the others cannot."""
    kept: list[dict[str, Json]] = []
    dropped: list[str] = []
    seen: set[str] = set()
    for each in drafted.queries:
        text = " ".join(each.query.split())
        entry = _entry(each)
        errors = _examine([entry], skill)[0]
        if errors:
            dropped.append(f"{text[:60]!r}: {errors[0].message}")
        elif text.casefold() in seen:
            dropped.append(f"{text[:60]!r}: it stands there already.")
        elif text.startswith("/"):
            dropped.append(f"{text[:60]!r}: a command loads the skill whatever its description.")
        else:
            seen.add(text.casefold())
            kept.append(entry)
    return kept, dropped


def _entry(drafted: DraftedQuery) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "query": drafted.query,
        "should_trigger": drafted.kind != "near-miss",
        "kind": drafted.kind,
    }
    return {**entry, "rationale": drafted.why} if drafted.why.strip() else entry


def _findings(document: Sequence[Mapping[str, Json]], dropped: Sequence[str], skill: Skill) -> list[str]:
    """What the model is told to mend, a line each."""
    lines = [*dropped]
    if len(document) < N_QUERIES:
        lines.append(f"There are {len(document)} that can be used; {N_QUERIES} are wanted.")
    names = ("that should load the skill", "near misses")
    for n, name in zip(_by_class(document), names, strict=True):
        if n < _SHARE * N_QUERIES:
            lines.append(f"There are {n} {name}; {N_QUERIES // 2} are wanted.")
    if document:
        lines += [f"{each.message} {each.hint}".strip() for each in _examine(document, skill)[1]]
    return [escaped(line) for line in lines[:_MAX_FINDINGS]]


def _by_class(document: Sequence[Mapping[str, Json]]) -> tuple[int, int]:
    n_wanted = sum(each["should_trigger"] for each in document)
    return n_wanted, len(document) - n_wanted


def _examine(document: Sequence[Mapping[str, Json]], skill: Skill) -> tuple[list[Problem], list[Problem]]:
    """Errors of reading, and what lint says."""
    with tempfile.TemporaryDirectory(prefix="skilltrial-") as folder:
        path = Path(folder, "triggers.json")
        path.write_text(json_text(document), encoding="utf-8", errors="replace")
        reading = examine_suite(path, skill)
    under = EvalsUnderLint(suite=reading.suite, triggers=reading.triggers, skill=skill, places=reading.places)
    nameless = [each.model_copy(update={"file": ""}) for each in (*reading.errors, *advise(under))]
    return (
        [each for each in nameless if each.severity == "error"],
        [each for each in nameless if each.severity != "error"],
    )
