"""A rubric for a task, made before any output is looked at: three criteria of content and three of structure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from importlib.resources import files as package_files

from pydantic import BaseModel, Field

from skilltrial.compare.outputs import task_sections
from skilltrial.compare.spending import took
from skilltrial.errors import Unparsable
from skilltrial.grade.excerpt import escaped, excerpt
from skilltrial.grade.judge_prompt import fence_token, fenced
from skilltrial.ports import Answer, LanguageModel
from skilltrial.records.comparison import Criterion, Rubric
from skilltrial.records.suite import Case

OF_EACH = 3
"""Criteria of content, and of structure."""
_SPACE = re.compile(r"[\s-]+")
_NAME = re.compile(r"[^\W\d]\w{0,39}")
_MEANING = 500


class WrittenCriterion(BaseModel):
    """One criterion."""

    name: str = Field(description="One to three words in lower case, with _ between them.")
    meaning: str = Field(description="What earns a 5, and what a 1.")


class WrittenRubric(BaseModel):
    """The answer."""

    content: list[WrittenCriterion] = Field(description="Three criteria of content.")
    structure: list[WrittenCriterion] = Field(description="Three criteria of structure.")


def rubric_source(case: Case, judge: str) -> str:
    """Digest of all that a rubric comes from."""
    return digest_of([_words(), judge, *task_sections(case)])


async def make_rubric(case: Case, *, judge: LanguageModel) -> Rubric:
    """Ask for one, and once more where it is not of that form. Raises `Unparsable` then, and what `ask` does."""
    sections = task_sections(case)
    prompt = f"{fenced(sections, fence_token(sections))}\n\nWrite the rubric for this task."
    answers: list[Answer[WrittenRubric]] = []
    problem = ""
    for _ in range(2):
        asked = f"{prompt}\n\nYour last rubric cannot be used: {problem}" if problem else prompt
        answers.append(await judge.ask(system=_words(), prompt=asked, output=WrittenRubric))
        written = answers[-1].value
        content, structure = _criteria(written.content), _criteria(written.structure)
        problem = _problem(content, structure)
        if not problem:
            total = took(answers)
            return Rubric(
                case_id=case.id,
                content=content,
                structure=structure,
                judge=judge.name,
                made_from=rubric_source(case, judge.name),
                input_tokens=total.input_tokens,
                output_tokens=total.output_tokens,
                cost_usd=total.cost_usd,
            )
    raise Unparsable(f"the judge {judge.name!r} gave no rubric for the case {case.id!r}: {problem}")


def _words() -> str:
    return package_files("skilltrial.compare").joinpath("rubric.md").read_text(encoding="utf-8").strip()


def _criteria(written: Sequence[WrittenCriterion]) -> tuple[Criterion, ...]:
    return tuple(
        Criterion(
            name=_SPACE.sub("_", escaped(each.name).strip().lower()), meaning=escaped(each.meaning.strip())[:_MEANING]
        )
        for each in written
    )


def _problem(content: Sequence[Criterion], structure: Sequence[Criterion]) -> str:
    if (len(content), len(structure)) != (OF_EACH, OF_EACH):
        return f"it has {len(content)} criteria of content and {len(structure)} of structure, not {OF_EACH} of each."
    names = [each.name for each in (*content, *structure)]
    odd = [name for name in names if not _NAME.fullmatch(name)]
    if odd:
        return f"{excerpt(odd[0], 60)!r} is no name of one to three words."
    return "" if len(set(names)) == len(names) else "two criteria have the same name."


def digest_of(parts: Sequence[object]) -> str:
    """`sha256:` over values that JSON can hold."""
    text = json.dumps(parts)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
