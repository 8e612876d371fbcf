"""A model writes another version of a skill."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, Field

from skilltrial.grade.excerpt import condensed, escaped
from skilltrial.improve.material import Material, ShownTrial
from skilltrial.operations.drafting import fenced, system_of
from skilltrial.ports import Answer, LanguageModel

_FILE_CHARS, _SKILL_CHARS = 20_000, 80_000
_ANSWER_CHARS, _STEPS_CHARS, _EVIDENCE_CHARS, _WORDS_CHARS = 2_000, 4_000, 600, 1_000


class ProposedFile(BaseModel):
    """A file, whole."""

    path: str = Field(description="Relative to the skill's folder, with forward slashes.")
    content: str


class ProposedVersion(BaseModel):
    """What the model answers."""

    diagnosis: str = Field(default="", description="Why statements did not hold.")
    summary: str = Field(default="", description="What is different, in one sentence.")
    files: list[ProposedFile] = Field(default_factory=list[ProposedFile], description="Changed and new files, whole.")
    deleted: list[str] = Field(default_factory=list[str], description="Paths of files that are to go.")


class Proposer(Protocol):
    """Writes versions."""

    async def propose(self, material: Material, *, refused: str, fault: str) -> Answer[ProposedVersion]:
        """One version. `refused` is its earlier answer and `fault` why it was refused; both may be empty.

        Raises what `LanguageModel.ask` raises.
        """
        ...


@dataclass(frozen=True, slots=True)
class ModelProposer:
    """Satisfies `Proposer` by asking a model."""

    model: LanguageModel

    async def propose(self, material: Material, *, refused: str, fault: str) -> Answer[ProposedVersion]:
        """Ask once."""
        sections = [("the skill's files", "\n".join(_files(material)))]
        sections += [(f"trial {number}", "\n".join(_trial(each))) for number, each in enumerate(material.trials, 1)]
        sections += [
            (
                "suggestions of an analysis",
                escaped("\n".join(f"- {text}" for text in material.suggestions)) or "(none)",
            ),
            ("versions so far", escaped("\n".join(material.tried)) or "(none)"),
        ]
        request = f"Write version {material.slot} of {material.n_slots} that are tried side by side."
        if fault:
            sections.append(("your answer that was refused", escaped(condensed(refused, _FILE_CHARS)) or "(none)"))
            sections.append(("why", escaped(fault)))
            request += " Your first answer cannot be used; mend what is wrong with it."
        return await self.model.ask(
            system=system_of("proposing.md"), prompt=fenced(sections, request), output=ProposedVersion
        )


def _files(material: Material) -> Iterator[str]:
    room = _SKILL_CHARS
    for path, data in sorted(material.files.items(), key=lambda item: (item[0] != "SKILL.md", item[0])):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            yield f"--- {path} ({len(data)} bytes, not text)"
            continue
        shown = condensed(text, min(_FILE_CHARS, max(room, 0)) if path != "SKILL.md" else _SKILL_CHARS)
        room -= len(shown)
        cut = "" if shown == text else " (not whole: leave it as it is)"
        yield f"--- {path}{cut}"
        yield escaped(shown)


def _trial(trial: ShownTrial) -> Iterator[str]:
    yield f"case: {escaped(trial.case_id)}, ended: {trial.outcome}"
    yield f"task: {escaped(condensed(trial.prompt, _STEPS_CHARS))}"
    if trial.expected:
        yield f"a good result: {escaped(condensed(trial.expected, _ANSWER_CHARS))}"
    for text, evidence in trial.failed:
        yield f"- did not hold: {escaped(text)} ({escaped(condensed(evidence, _EVIDENCE_CHARS))})"
    for text in trial.passed:
        yield f"- held: {escaped(text)}"
    for text in trial.open:
        yield f"- could not be decided: {escaped(text)}"
    for text in trial.words:
        yield f"- a person said: {escaped(condensed(text, _WORDS_CHARS))}"
    if trial.failed or trial.words:
        yield f"what the agent did:\n{escaped(condensed(chr(10).join(trial.steps), _STEPS_CHARS))}"
        yield f"its final message: {escaped(condensed(trial.answer, _ANSWER_CHARS))}"
