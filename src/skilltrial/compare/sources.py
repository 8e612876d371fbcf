"""What an analysis reads: skills, transcripts and outputs as they are, under the names of winner and loser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from skilltrial.grade.excerpt import condensed, escaped
from skilltrial.grade.judge_view import Passage, judge_view, step_passages
from skilltrial.grade.material import MAX_TEXT_BYTES, Material, decoded
from skilltrial.records.comparison import BlindComparison, Label
from skilltrial.records.events import AssistantMessage, ToolCall, ToolResult, UserMessage

Side = Literal["winner", "loser"]
_MAIN = "SKILL.md"
_MAIN_CHARS = 40_000
_FILE_CHARS = 8_000
_ALL_CHARS = 80_000
_LISTED = 200


def skill_passages(side: Side, folder: Path | None) -> list[Passage]:
    """The files of a skill, SKILL.md first, as far as there is room. None: the agent had none."""
    name = f"{side} skill"
    if folder is None:
        return [Passage(name, "(this agent had no skill)")]
    files = sorted(
        (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()),
        key=lambda path: (path.relative_to(folder).as_posix() != _MAIN, path.relative_to(folder).as_posix()),
    )
    if not files:
        return [Passage(name, "(the files of this skill are not at hand)")]
    found: list[Passage] = []
    room = _ALL_CHARS
    for path in files[:_LISTED]:
        relative = path.relative_to(folder).as_posix()
        text = _text(path, min(room, _MAIN_CHARS if relative == _MAIN else _FILE_CHARS))
        room -= len(text)
        found.append(Passage(f"{name} {escaped(relative)}", f"--- {escaped(relative)}\n{escaped(text)}"))
    return found


def transcript_passages(side: Side, material: Material) -> list[Passage]:
    """What the agent said, called and got back, the loading of skills among it."""
    kinds = (AssistantMessage, ToolCall, ToolResult, UserMessage)
    seen = [event for event in material.events if isinstance(event, kinds)]
    events = [event for event in seen if not (isinstance(event, UserMessage) and event.synthetic)]
    return [Passage(f"{side} transcript {part.place}", part.text) for part in step_passages(events, escaped)]


def output_passages(side: Side, material: Material) -> list[Passage]:
    """What it left: the final message, changes and files."""
    view = judge_view(replace(material, skill_names=()))
    return [
        Passage(f"{side} output, {part.place}", f"--- {part.place}\n{part.text}")
        for section in view.material
        if section.name != "steps"
        for part in section.passages
    ]


def comparison_passages(comparison: BlindComparison, winner: Label) -> list[Passage]:
    """What the blind judge said, with its labels explained."""
    loser: Label = "B" if winner == "A" else "A"
    lines = [f"{winner} is the winner, {loser} the loser.", comparison.reasoning]
    sides: tuple[tuple[Label, Side], ...] = ((winner, "winner"), (loser, "loser"))
    for label, side in sides:
        quality, scores = comparison.output_quality.get(label), comparison.rubric.get(label)
        if scores:
            marks = {**scores.content, **scores.structure}
            lines.append(f"{side}: " + ", ".join(f"{name} {score}" for name, score in marks.items()))
        if quality:
            lines += [f"{side}, good: {text}" for text in quality.strengths]
            lines += [f"{side}, bad: {text}" for text in quality.weaknesses]
    return [Passage("comparison", escaped("\n".join(lines)))]


def _text(path: Path, limit: int) -> str:
    if limit <= 0:
        return "(not shown for lack of room)"
    try:
        with path.open("rb") as stream:
            text = decoded(stream.read(MAX_TEXT_BYTES))
    except OSError as error:
        return f"(not at hand: {error.strerror})"
    return "(no text)" if "\0" in text[:8000] else condensed(text, limit)


def joined(parts: Sequence[Passage]) -> str:
    """The text of all, for a digest."""
    return "\n".join(f"{part.place}\n{part.text}" for part in parts)
