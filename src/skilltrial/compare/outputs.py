"""What is shown of an output that is compared: what it came to, not how, and nothing that names an arm or a skill."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from skilltrial.grade.document_texts import DocumentText
from skilltrial.grade.excerpt import escaped
from skilltrial.grade.judge_view import judge_view
from skilltrial.grade.material import Material
from skilltrial.ports import Image
from skilltrial.records.plan import Plan
from skilltrial.records.suite import Case

_STEPS, _LIST = "steps", "files"
"""Sections of the judge's view: how the agent went about it, and the list of files, which is no part of the output's length."""
_COINED = re.compile(r"\w[-_.:]\w")
"""Names that are no word of any language: to take them out hurts no other text."""
_JOINT = re.compile(r"[-_]")
_ANY_JOINT = "[-_\u2010-\u2015\u2212]"
"""Models write hyphens as other signs that look the same."""
_SUBSTITUTE = "guide"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOutput:
    """One output as the judge sees it."""

    sections: tuple[tuple[str, str], ...]
    """Name and text of each."""
    images: tuple[Image, ...]
    n_chars: int
    """Of the final message, the changes and the files, as far as they are shown."""

    def digest(self) -> str:
        """Of everything that is shown."""
        pictures = [(image.name, hashlib.sha256(image.data).hexdigest()) for image in self.images]
        return hashlib.sha256(repr([self.sections, pictures]).encode("utf-8", "surrogatepass")).hexdigest()


def coined_names(plan: Plan, case: Case) -> frozenset[str]:
    """Names of arms and skills that an output should not hold: those that are no plain words, nor words of the task."""
    skills = [ref.name for arm in plan.arms for ref in (arm.skill, *arm.beside) if ref]
    task = f"{case.prompt}\n{case.expected_output or ''}\n" + "\n".join(file.path for file in case.files)
    names = {plan.skill.name, *skills, *(arm.name for arm in plan.arms)}
    return frozenset(name for name in names if _COINED.search(name) and name.casefold() not in task.casefold())


def shown_output(
    material: Material,
    *,
    names: Collection[str],
    images: bool = False,
    documents: Mapping[str, DocumentText] | None = None,
) -> ShownOutput:
    """What the trial left, as the judge of assertions sees it, without its steps and without these names."""
    view = judge_view(material, images=images, documents=documents)
    kept = [section for section in view.material if section.name != _STEPS]
    sections = tuple((section.name, without_names(section.text, names)) for section in kept)
    return ShownOutput(
        sections=sections,
        images=view.images,
        n_chars=sum(len(text) for name, text in sections if name != _LIST),
    )


def without_names(text: str, names: Collection[str]) -> str:
    """The text with each of these names, however it is written, as another word."""
    if not names:
        return text
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    forms = (_ANY_JOINT.join(map(re.escape, _JOINT.split(name))) for name in longest_first)
    pattern = rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)"
    return re.sub(pattern, _SUBSTITUTE, text, flags=re.IGNORECASE)


def numbered(output: ShownOutput, number: int) -> tuple[list[tuple[str, str]], list[Image]]:
    """Sections and pictures under the number that the output has in a request."""
    sections = [(f"output {number}: {name}", text) for name, text in output.sections]
    return sections, [replace(image, name=f"output {number}, {image.name}") for image in output.images]


def task_sections(case: Case) -> Sequence[tuple[str, str]]:
    """The task and the author's notes on a good result, as the author wrote them."""
    notes = [("notes on a good result", escaped(case.expected_output))] if case.expected_output else []
    turns = [(f"message {number} of the user", escaped(turn.prompt)) for number, turn in enumerate(case.turns, 2)]
    return [("task", escaped(case.prompt)), *turns, *notes]
