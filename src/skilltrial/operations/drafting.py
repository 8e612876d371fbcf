"""A first eval file for a skill: cases that a model drafts, checked by reading and lint, rewritten once."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as package_files
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, Field

from skilltrial.errors import HarnessError, SpecError, Unparsable
from skilltrial.grade.excerpt import condensed, escaped
from skilltrial.ports import Answer, LanguageModel
from skilltrial.records.json_value import Json
from skilltrial.records.skill import Skill
from skilltrial.spec.convert.json_text import json_text
from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.evals import advise
from skilltrial.spec.lint.rule import EvalsUnderLint
from skilltrial.spec.suite import examine_suite

SKILL_CHARS = 40_000
_LISTED = 100
_MAX_FINDINGS = 40
_WANTED = {"no-negative-case", "cases-alike"}
"""Notes that are worth a second request."""
_Figure = TypeVar("_Figure", int, float)
_PLACE = re.compile(r"evals\[(\d+)\](?:\.assertions\[(\d+)\])?")


class DraftedFile(BaseModel):
    """A file that the case starts with."""

    path: str = Field(description="Relative, with forward slashes.")
    content: str


class DraftedAssertion(BaseModel):
    """One thing that must hold."""

    type: Literal["statement", "file_exists", "file_matches", "answer_matches"] = "statement"
    text: str = Field(description="One sentence: what must hold.")
    path: str | None = Field(default=None, description="Of file_exists and file_matches: a relative glob.")
    pattern: str | None = Field(default=None, description="Of file_matches and answer_matches: a regular expression.")


class DraftedCase(BaseModel):
    """One task."""

    id: str = Field(description="A short name in lower case with hyphens.")
    prompt: str = Field(description="What a user would ask.")
    expected_output: str = Field(default="", description="What a good result looks like, in a sentence.")
    skill_should_trigger: bool = Field(default=True, description="False for the near miss.")
    files: list[DraftedFile] = Field(default_factory=list[DraftedFile])
    assertions: list[DraftedAssertion] = Field(default_factory=list[DraftedAssertion])


class DraftedSuite(BaseModel):
    """All cases."""

    cases: list[DraftedCase]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """An eval file that can be read, and what it took. Unknown figures are None."""

    document: Mapping[str, Json]
    problems: tuple[Problem, ...]
    """What lint still has to say."""
    dropped: tuple[str, ...]
    """What the model wrote that could not be used."""
    model: str
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


async def draft_cases(skill: Skill, *, model: LanguageModel, n_cases: int) -> Drafted:
    """Ask for cases, and once more where reading or lint has something to say; what cannot be used is left out.

    Raises `SpecError` for a skill that says nothing, `Unparsable` where no case can be used, and what `LanguageModel.ask`
    raises for the first request. A second request that fails leaves the first draft.
    """
    if not skill.description and not skill.body.strip():
        hint = "Write what the skill is for; without a model, init makes a template."
        raise SpecError("the skill says nothing that cases could be drafted from.", where=skill.folder, hint=hint)
    first = await _ask(skill, model, n_cases)
    answers = [first]
    document = _document(skill, first.value)
    findings = _findings(document, skill, n_cases)
    n_calls = 1
    if findings:
        n_calls = 2
        try:
            answers.append(await _ask(skill, model, n_cases, earlier=document, findings=findings))
        except HarnessError:
            pass  # the first draft is at hand, and paid for
        else:
            document = _better(document, _document(skill, answers[-1].value), skill)
    usable, dropped = _usable(document, skill)
    if not usable["evals"]:
        reason = f": {dropped[0]}" if dropped else "."
        raise Unparsable(f"the model {model.name!r} wrote no case that can be used{reason}", hint="Try another model.")
    whole = len(answers) == n_calls
    return Drafted(
        document=usable,
        problems=tuple(_examine(usable, skill)[1]),
        dropped=tuple(dropped),
        model=model.name,
        calls=n_calls,
        input_tokens=total([answer.input_tokens for answer in answers]) if whole else None,
        output_tokens=total([answer.output_tokens for answer in answers]) if whole else None,
        cost_usd=total([answer.cost_usd for answer in answers]) if whole else None,
    )


async def _ask(
    skill: Skill,
    model: LanguageModel,
    n_cases: int,
    *,
    earlier: Mapping[str, Json] | None = None,
    findings: Sequence[str] = (),
) -> Answer[DraftedSuite]:
    sections = sections_of(skill)
    request = f"Write {n_cases} cases for this skill"
    request += ", one of them negative." if n_cases > 1 else "."
    if earlier is not None:
        sections += [("your earlier cases", json_text(earlier)), ("what is wrong with them", "\n".join(findings))]
        request += " You did before; write all of them again, with what is wrong mended."
    return await model.ask(system=system_of("drafting.md"), prompt=fenced(sections, request), output=DraftedSuite)


def sections_of(skill: Skill) -> list[tuple[str, str]]:
    """What a model is shown of a skill, as headings and texts."""
    return [
        ("name", skill.name),
        ("description", escaped(skill.description or "(none)")),
        ("instructions", escaped(condensed(skill.body, SKILL_CHARS))),
        ("files", "\n".join(escaped(file.path) for file in skill.files[:_LISTED])),
    ]


def fenced(sections: Sequence[tuple[str, str]], request: str) -> str:
    """Each section as data between fences that it cannot know, and the request behind them."""
    token = hashlib.sha256(repr(sections).encode("utf-8", "surrogatepass")).hexdigest()[:24]
    texts = [f"{name.upper()}\n<<<BEGIN {token}>>>\n{text}\n<<<END {token}>>>" for name, text in sections]
    return "\n\n".join([*texts, request])


def system_of(name: str) -> str:
    """The instructions in a file of this package."""
    return package_files("skilltrial.operations").joinpath(name).read_text(encoding="utf-8")


def _document(skill: Skill, drafted: DraftedSuite) -> dict[str, Json]:
    return {"skill_name": skill.name, "evals": [_case(case) for case in drafted.cases]}


def _case(case: DraftedCase) -> dict[str, Json]:
    written: dict[str, Json] = {"id": case.id, "prompt": case.prompt}
    if case.expected_output:
        written["expected_output"] = case.expected_output
    if case.files:
        written["files"] = {file.path: file.content for file in case.files}
    if not case.skill_should_trigger:
        written["skill_should_trigger"] = False
    written["assertions"] = [_assertion(each) for each in case.assertions]
    return written


def _assertion(drafted: DraftedAssertion) -> Json:
    if drafted.type == "statement":
        return drafted.text
    operands = {"path": drafted.path, "pattern": drafted.pattern}
    wanted = {"file_exists": ("path",), "file_matches": ("path", "pattern"), "answer_matches": ("pattern",)}
    given = {key: operands[key] for key in wanted[drafted.type] if operands[key] is not None}
    return {"type": drafted.type, "text": drafted.text, **given}


def _findings(document: Mapping[str, Json], skill: Skill, n_cases: int) -> list[str]:
    """What the model is told to mend, a line each."""
    errors, advice = _examine(document, skill)
    grave = [*errors, *(each for each in advice if each.severity == "warning" or each.code in _WANTED)]
    lines = [f"{each.place or 'all'}: {each.message} {each.hint}".strip() for each in grave]
    cases: list[Mapping[str, Json]] = document["evals"]
    if len(cases) != n_cases:
        lines.insert(0, f"There are {len(cases)} cases; {n_cases} are wanted.")
    return [escaped(line) for line in lines[:_MAX_FINDINGS]]


def _examine(document: Mapping[str, Json], skill: Skill) -> tuple[list[Problem], list[Problem]]:
    """Errors of reading, and what lint says, without its notes on suites of a single case."""
    with tempfile.TemporaryDirectory(prefix="skilltrial-") as folder:
        path = Path(folder, "evals.json")
        path.write_text(json_text(document), encoding="utf-8")
        reading = examine_suite(path, skill)
    under = EvalsUnderLint(suite=reading.suite, triggers=reading.triggers, skill=skill, places=reading.places)
    nameless = [each.model_copy(update={"file": ""}) for each in (*reading.errors, *advise(under))]
    n_cases = len(document["evals"])
    return (
        [each for each in nameless if each.severity == "error"],
        [each for each in nameless if each.severity != "error" and (n_cases > 1 or each.place)],
    )


def _better(first: dict[str, Json], second: dict[str, Json], skill: Skill) -> dict[str, Json]:
    """The second draft, unless it leaves less that can be used."""
    n_first, n_second = (len(_usable(each, skill)[0]["evals"]) for each in (first, second))
    return second if n_second >= n_first else first


def _usable(document: Mapping[str, Json], skill: Skill) -> tuple[dict[str, Json], list[str]]:
    """The document without the assertions and cases that cannot be read, and why each of them cannot."""
    cases: list[dict[str, Json]] = [dict(case) for case in document["evals"]]
    dropped: list[str] = []
    while cases:
        rest = {**document, "evals": cases}
        errors = _examine(rest, skill)[0]
        if not errors:
            return rest, dropped
        place = _PLACE.match(errors[0].place)
        dropped.append(f"{errors[0].message} {errors[0].hint}".strip())
        if place is None:
            break
        at = int(place[1])
        if place[2] is None:
            del cases[at]
        else:
            kept = list(cases[at]["assertions"])
            del kept[int(place[2])]
            cases[at]["assertions"] = kept
    return {**document, "evals": []}, dropped


def total(figures: Sequence[_Figure | None]) -> _Figure | None:
    """The sum; None where one is unknown, or there is none."""
    known = [figure for figure in figures if figure is not None]
    return type(known[0])(sum(known)) if known and len(known) == len(figures) else None
