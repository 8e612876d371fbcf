"""A model writes another description of a skill."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files as package_files
from typing import Protocol

from pydantic import BaseModel, Field

from skilltrial.grade.excerpt import condensed, escaped
from skilltrial.ports import Answer, LanguageModel
from skilltrial.records.skill import Skill
from skilltrial.report.figures import plural
from skilltrial.trigger.material import Material

_SKILL_CHARS = 40_000


class ProposedDescription(BaseModel):
    """What the model answers."""

    diagnosis: str = Field(default="", description="What the wrongly decided messages have in common.")
    description: str = Field(description="The new description alone, on one line, at most 1,024 characters.")


class Rewriter(Protocol):
    """Writes descriptions."""

    async def propose(self, material: Material, *, refused: str, fault: str) -> Answer[ProposedDescription]:
        """One description. `refused` is its earlier answer in this round and `fault` why it was refused; both may be empty.

        Raises what `LanguageModel.ask` raises.
        """
        ...


@dataclass(frozen=True, slots=True)
class ModelRewriter:
    """Satisfies `Rewriter` by asking a model."""

    model: LanguageModel
    skill: Skill

    async def propose(self, material: Material, *, refused: str, fault: str) -> Answer[ProposedDescription]:
        """Ask once."""
        sections = [
            ("name", self.skill.name),
            ("instructions", condensed(self.skill.body, _SKILL_CHARS)),
            ("current description", material.current or "(none)"),
            ("wrongly decided messages", "\n".join(_failures(material)) or "(none)"),
            ("rightly decided messages", "\n".join(_passes(material)) or "(none)"),
            ("tried so far", "\n".join(_tried(material))),
        ]
        request = "Write another description."
        if fault:
            sections.append(("your answer that was refused", condensed(refused, _SKILL_CHARS) or "(none)"))
            sections.append(("why", fault))
            request = "Write another description; your first answer cannot be used."
        token = hashlib.sha256(repr(sections).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        fenced = [f"{name.upper()}\n<<<BEGIN {token}>>>\n{escaped(text)}\n<<<END {token}>>>" for name, text in sections]
        system = package_files("skilltrial.operations").joinpath("rewriting.md").read_text(encoding="utf-8")
        return await self.model.ask(system=system, prompt="\n\n".join([*fenced, request]), output=ProposedDescription)


def _failures(material: Material) -> Iterator[str]:
    for each in material.failures:
        should = "should load the skill" if each.should_trigger else "should not load the skill"
        yield f"- {should}, did in {each.n_loaded} of {plural(each.n_runs, 'run')}: {each.query}"


def _passes(material: Material) -> Iterator[str]:
    for query, should in material.passes:
        yield f"- {'loads' if should else 'does not load'} the skill, as it should: {query}"


def _tried(material: Material) -> Iterator[str]:
    for each in material.tried:
        yield f"- {each.n_passed} of {each.n_decided} messages right: {each.description or '(none)'}"
