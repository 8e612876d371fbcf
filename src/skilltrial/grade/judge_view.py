"""What the judge gets to see of a trial; `judge_prompt` puts the words around it.

Everything from the agent, the case's files and the author stands between fences that carry a token computed from the
whole content: no content can hold it, so none can close its fence. The same trial gives the same prompt.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from skilltrial.grade.blindfold import SeenEvent, neutral_events, neutral_patch, neutral_text
from skilltrial.grade.decision import Undecided
from skilltrial.grade.document_texts import DocumentText
from skilltrial.grade.excerpt import condensed, escaped
from skilltrial.grade.judge_files import shown_files
from skilltrial.grade.material import Material
from skilltrial.ports import Image
from skilltrial.records.events import AssistantMessage, ToolCall, ToolResult, UserMessage

ANSWER_CHARS = 20_000
TRANSCRIPT_CHARS = 40_000
EVENT_CHARS = 2_000
PATCH_CHARS = 20_000
NOTES_NAME = "user_notes.md"


class Passage(NamedTuple):
    """A piece of a section, and what its place is called."""

    place: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What stands between one pair of fences."""

    name: str
    passages: tuple[Passage, ...]

    @property
    def text(self) -> str:
        """The whole."""
        return "\n".join(passage.text for passage in self.passages)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeView:
    """The sections shown. `material` is what the agent left (quotes are searched there); `frame` is the author's."""

    frame: tuple[Section, ...]
    material: tuple[Section, ...]
    images: tuple[Image, ...] = ()
    has_notes: bool = False
    """The agent left a file of notes for the user."""

    def digest(self) -> str:
        """Of everything that is shown."""
        shown = [(section.name, section.text) for section in (*self.frame, *self.material)]
        pictures = [(image.name, hashlib.sha256(image.data).hexdigest()) for image in self.images]
        return hashlib.sha256(repr([shown, pictures]).encode("utf-8", "surrogatepass")).hexdigest()


def judge_view(
    material: Material, *, images: bool = False, documents: Mapping[str, DocumentText] | None = None
) -> JudgeView:
    """What one trial shows, blindfolded, bounded, with invisible characters spelled out; pictures only for eyes that see.

    `documents` are what `document_texts.read_documents` made of the files that are no plain texts.
    """
    names = material.skill_names

    def clean(text: str) -> str:
        return escaped(neutral_text(text, names))

    answer = material.trial.final_message
    frame = [_section("task", "the task", escaped(material.case.prompt))]
    if material.case.expected_output:
        frame.append(_section("notes on a good result", "the notes", escaped(material.case.expected_output)))
    final = "(none)" if answer is None else clean(condensed(answer, ANSWER_CHARS))
    steps = step_passages(neutral_events(material.events, names, said=_said(material)), clean)
    changes = escaped(condensed(_patch(material), PATCH_CHARS))
    shown = shown_files(material, clean, documents=documents or {}, images=images)
    return JudgeView(
        frame=tuple(frame),
        material=(
            _section("final message", "final message", final),
            Section(name="steps", passages=tuple(steps)),
            _section("changes to files that were there", "changes", changes),
            _section("files", "list of files", _listed(material, shown.lines)),
            *(_section(each.name, f"file {each.path}", each.text) for each in shown.texts),
        ),
        images=shown.images,
        has_notes=any(file.path.rpartition("/")[2].casefold() == NOTES_NAME for file in material.files()),
    )


def _section(name: str, place: str, text: str) -> Section:
    return Section(name=name, passages=(Passage(place, text),))


def _listed(material: Material, lines: Sequence[str]) -> str:
    code = ["and the files of the codebase that the agent worked in, unchanged"] if material.code else []
    return "\n".join([*lines, *code]) or "(none)"


def step_passages(events: Sequence[SeenEvent], clean: Callable[[str], str]) -> list[Passage]:
    """The first steps and the last ones, `clean` taken to each; only what is shown is made, however many there are."""

    def lines(numbers: range, room: int) -> Iterator[Passage]:
        for number in numbers:
            if room <= 0:
                return
            line = f"[{number + 1}] {clean(condensed(step_line(events[number]), EVENT_CHARS))}"
            room -= len(line)
            yield Passage(f"step {number + 1}", line)

    head = list(lines(range(len(events)), TRANSCRIPT_CHARS * 2 // 3))
    tail = list(lines(range(len(events) - 1, len(head) - 1, -1), TRANSCRIPT_CHARS // 3))
    n_left_out = len(events) - len(head) - len(tail)
    gap = [Passage("steps", f"[… {n_left_out} steps left out …]")] if n_left_out else []
    return [*head, *gap, *reversed(tail)] or [Passage("steps", "(none)")]


def _said(material: Material) -> list[str]:
    """The user's messages after the task."""
    conversation = material.trial.conversation
    return [each.prompt for each in conversation.rounds[1:]] if conversation else []


def step_line(event: SeenEvent) -> str:
    """What happened, in a line."""
    match event:
        case AssistantMessage():
            return f"says: {event.text}"
        case UserMessage():
            return f"the user answers: {event.text}"
        case ToolCall():
            return f"calls {event.name} {json.dumps(event.input, ensure_ascii=False)}"
        case ToolResult():
            return f"gets back{' an error' if event.is_error else ''}: {event.text}"
        case _:
            assert_never(event)


def _patch(material: Material) -> str:
    try:
        return neutral_patch(material.patch(), material.skill_names) or "(none)"
    except Undecided as gap:
        return f"({gap})"
