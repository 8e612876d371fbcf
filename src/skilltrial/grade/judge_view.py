"""What the judge gets to see of a trial; `judge_prompt` puts the words around it.

Everything from the agent, the case's files and the author stands between fences that carry a token computed from the
whole content: no content can hold it, so none can close its fence. The same trial gives the same prompt.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

from skilltrial.grade.blindfold import SeenEvent, names_skill_path, neutral_events, neutral_patch, neutral_text
from skilltrial.grade.decision import Undecided
from skilltrial.grade.excerpt import condensed, escaped, excerpt
from skilltrial.grade.material import LeftFile, Material
from skilltrial.ports import Image
from skilltrial.records.events import AssistantMessage, ToolCall, ToolResult, UserMessage

ANSWER_CHARS = 20_000
TRANSCRIPT_CHARS = 40_000
EVENT_CHARS = 2_000
PATCH_CHARS = 20_000
FILES_CHARS = 60_000
FILE_CHARS = 12_000
_LISTED = 200

IMAGES = 8
IMAGE_BYTES = 3_500_000
"""Of one picture; services refuse larger ones."""
ALL_IMAGES_BYTES = 12_000_000
TABLE_LINES = 40
NOTES_NAME = "user_notes.md"
_IMAGES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_IMAGE_NAME = re.compile(r"\.(?:png|jpe?g|gif|webp)$", re.IGNORECASE)
_TABLE_NAME = re.compile(r"\.(?:csv|tsv)$", re.IGNORECASE)


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


def judge_view(material: Material, *, images: bool = False) -> JudgeView:
    """What one trial shows, blindfolded, bounded, with invisible characters spelled out; pictures only for eyes that see."""
    names = material.skill_names

    def clean(text: str) -> str:
        return escaped(neutral_text(text, names))

    answer = material.trial.final_message
    frame = [_section("task", "the task", escaped(material.case.prompt))]
    if material.case.expected_output:
        frame.append(_section("notes on a good result", "the notes", escaped(material.case.expected_output)))
    final = "(none)" if answer is None else clean(condensed(answer, ANSWER_CHARS))
    steps = _steps(neutral_events(material.events, names, said=_said(material)), clean)
    changes = escaped(condensed(_patch(material), PATCH_CHARS))
    files, pictures = _files(material, clean, _Gallery(is_open=images))
    return JudgeView(
        frame=tuple(frame),
        material=(
            _section("final message", "final message", final),
            Section(name="steps", passages=tuple(steps)),
            _section("changes to files that were there", "changes", changes),
            *files,
        ),
        images=tuple(pictures),
        has_notes=any(file.path.rpartition("/")[2].casefold() == NOTES_NAME for file in material.files()),
    )


def _section(name: str, place: str, text: str) -> Section:
    return Section(name=name, passages=(Passage(place, text),))


def _steps(events: Sequence[SeenEvent], clean: Callable[[str], str]) -> list[Passage]:
    """The first steps and the last ones; only what is shown is made, however many there are."""

    def lines(numbers: range, room: int) -> Iterator[Passage]:
        for number in numbers:
            if room <= 0:
                return
            line = f"[{number + 1}] {clean(condensed(_step(events[number]), EVENT_CHARS))}"
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


def _step(event: SeenEvent) -> str:
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


@dataclass(slots=True, kw_only=True)
class _Gallery:
    """The pictures that are shown, as far as there is room."""

    is_open: bool
    pictures: list[Image] = field(default_factory=list[Image])

    def hang(self, material: Material, file: LeftFile, *, name: str) -> str:
        """Take a picture in; returns what the list of files says of it."""
        if not self.is_open:
            return "a picture, not shown: this judge sees none"
        room = ALL_IMAGES_BYTES - sum(len(image.data) for image in self.pictures)
        if len(self.pictures) == IMAGES or room <= 0:
            return "a picture, not shown for lack of room"
        try:
            data = material.data(file, limit=min(IMAGE_BYTES, room))
        except Undecided as gap:
            return f"a picture, not shown: {excerpt(str(gap))}"
        kind = _image_type(data)
        if kind is None:
            return "not shown: its name says picture, but it is none"
        self.pictures.append(Image(name=name, media_type=kind, data=data))
        return "a picture, shown"


def _image_type(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _IMAGES.items() if data.startswith(magic)), None)


def _files(material: Material, clean: Callable[[str], str], gallery: _Gallery) -> tuple[list[Section], Sequence[Image]]:
    """A list of the files, then the text of as many as the budget takes, the agent's own first; and pictures."""
    found = [file for file in material.files() if file.origin != "codebase"]
    files = [file for file in found if not names_skill_path(file.path, material.skill_names)]
    files.sort(key=lambda file: file.origin == "kept")
    sections: list[Section] = []
    lines: list[str] = []
    left = FILES_CHARS
    for file in files[:_LISTED]:
        name = f"file {len(lines) + 1} of the list"
        if _IMAGE_NAME.search(file.path):
            text, note = None, gallery.hang(material, file, name=name)
        else:
            text, note = _text(material, file) if left > 0 else (None, "not shown for lack of room")
        size = "" if file.size is None else f", {file.size} bytes"
        origin = "a file of the task, unchanged" if file.origin == "kept" else f"{file.origin} by the agent"
        lines.append(f"{excerpt(file.path)} ({origin}{size}{', ' if note else ''}{note})")
        if text is not None:
            body = clean(condensed(text, min(FILE_CHARS, left)))
            left -= len(body)
            sections.append(_section(name, f"file {excerpt(file.path)}", body))
    if len(files) > _LISTED:
        lines.append(f"and {len(files) - _LISTED} more files")
    if material.code:
        lines.append("and the files of the codebase that the agent worked in, unchanged")
    listed = _section("files", "list of files", "\n".join(lines) or "(none)")
    return [listed, *sections], gallery.pictures


def _text(material: Material, file: LeftFile) -> tuple[str | None, str]:
    try:
        text = material.text(file)
    except Undecided as gap:
        return None, f"not shown: {excerpt(str(gap))}"
    if "\0" in text[:8000]:
        return None, "not shown: no text"
    return (_table_head(text), "") if _TABLE_NAME.search(file.path) else (text, "")


def _table_head(text: str) -> str:
    """The first lines of a long table, the last, and how many there are: rows look alike."""
    lines = text.splitlines()
    if len(text) <= FILE_CHARS or len(lines) <= TABLE_LINES:
        return text
    return "\n".join(
        [*lines[:TABLE_LINES], f"[… {len(lines) - TABLE_LINES - 1} of {len(lines)} lines left out …]", lines[-1]]
    )
