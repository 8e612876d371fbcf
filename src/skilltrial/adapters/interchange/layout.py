"""Where the runs are: a folder counts by what lies in it, never by its name alone.

A run is a folder (or a file) with verdicts, figures or outputs. What lies between it and its round of runs says which case,
which arm and which repeat it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from skilltrial.adapters.interchange.roles import UNSAID, arm_inside, is_arm_name, is_distinct_arm_name
from skilltrial.adapters.interchange.tree import OUTPUTS, Folder, natural

_RUN_NUMBER = re.compile(r"(?:run|trial|attempt|rep|repeat|r)[-_ ]?0*(\d+)", re.IGNORECASE)
_RUN = re.compile(r"(?:run|trial|attempt)[-_ ].+", re.IGNORECASE)
_STAMP = re.compile(r"\d{4}-?\d\d-?\d\d[T_\-]?[\d\-:.]*Z?")
_ROUND = re.compile(r"(?:iteration|iter)[-_ ]?0*(\d+)(.*)", re.IGNORECASE)
_OPEN_ROUND = re.compile(r"(?:iteration|iter)[-_ ].+", re.IGNORECASE)
_EVAL = re.compile(r"eval[-_ ]", re.IGNORECASE)
_SHARED = re.compile(
    r"(?P<stem>.+?)[-_.](?P<part>grading|timing|metrics|config|eval_metadata|metadata|transcript)\.json"
)
_PAIRED = re.compile(r"(?P<case>.+?)__(?P<arm>.+?)(?:__r(?P<run>\d+))?\.json")
_REPEAT_INSIDE = re.compile(r"[-_. ](?:run|trial|rep|r)[-_ ]?0*(\d+)(?![A-Za-z0-9])", re.IGNORECASE)
_GRADING_FOLDERS = frozenset({"grading", "gradings", "grades"})
_HARBOR = re.compile(r"(.+)__[A-Za-z0-9]{4,12}")
"""A trial of harbor: the task, and a text made up for the trial; above it is the job."""
_WRAPPERS = frozenset({"runs", "evals", "results", "benchmarks", "grading", "gradings", "trials", "workspace"})
_ANCHORS = frozenset({"benchmark.json", "conditions.json", "plan.json", "benchmark_results.json"})
_PARTS = {
    "grading.json": "grading",
    "timing.json": "timing",
    "metrics.json": "metrics",
    "eval_metadata.json": "metadata",
    "expectations.json": "expectations",
    "run.json": "run",
    "result.json": "result",
    "summary.json": "summary",
    "config.json": "config",
    "run_config.json": "config",
    "final-message.md": "message",
    "transcript.jsonl": "transcript",
    "transcript.md": "transcript",
    "transcript.json": "transcript",
    "transcript.txt": "transcript",
    "conversation.json": "conversation",
}
_MATERIAL = frozenset({"grading", "timing", "metrics", "run", "transcript", "conversation"})


@dataclass(slots=True, eq=False)
class Slot:
    """A run as the layout has it. `parts` are places by what they hold."""

    folder: Folder
    place: str
    case: str = ""
    arm: str = UNSAID
    run: str | None = None
    """The name of its own folder, where it has one; else the repeat in the file's name."""
    parts: dict[str, str] = field(default_factory=dict[str, str])
    alone: bool = True
    """Whether the folder is the run's own."""


@dataclass(slots=True, eq=False)
class Round:
    """A round of runs: its folder, and what lies inside."""

    folder: Folder
    slots: list[Slot] = field(default_factory=list[Slot])
    above: list[Folder] = field(default_factory=list[Folder])
    """Folders with a run's files that have runs below them."""

    @property
    def place(self) -> str:
        """Of the folder; `.` is the root."""
        return self.folder.place or "."

    @property
    def number(self) -> int | None:
        """Where the folder is called after one."""
        match = _ROUND.fullmatch(self.folder.name)
        return int(match[1][:9]) if match and not match[2] else None


@lru_cache(maxsize=4096)
def _is_round_name(name: str) -> bool:
    """`iteration-3`, `iteration-003`, `iteration-7-rerun`."""
    return bool(_ROUND.fullmatch(name) or _OPEN_ROUND.fullmatch(name))


def run_number(name: str) -> int | None:
    """The number in `run-3` and in nothing that goes on after it."""
    match = _RUN_NUMBER.fullmatch(name)
    return int(match[1][:9]) if match else None


def eval_id(key: str) -> str | int | None:
    """What a folder `eval-3`, `eval-3-topic` or `eval-topic` says of the id."""
    match = re.fullmatch(r"eval[-_ ]?0*(\d+)(?:[-_ ].*)?", key, re.IGNORECASE)
    if match:
        return int(match[1][:18])
    match = re.fullmatch(r"eval[-_](.+)", key, re.IGNORECASE)
    return match[1] if match else None


def parts_of(folder: Folder) -> dict[str, str]:
    """The files of a run that lie in a folder, and its outputs."""
    parts: dict[str, str] = {}
    for name in folder.files:
        part = _PARTS.get(name)
        if part is not None:
            parts.setdefault(part, folder.at(name))
    for below in folder.folders:
        if below.name == OUTPUTS:
            parts["outputs"] = below.place
    return parts


def is_skill(folder: Folder) -> bool:
    """Whether a folder is a skill, or a copy of one."""
    return "SKILL.md" in folder.files


def _has_material(folder: Folder) -> bool:
    """Whether a folder holds what a run leaves."""
    return _is_material(folder, parts_of(folder))


def _is_material(folder: Folder, parts: Mapping[str, str]) -> bool:
    if "outputs" in parts or not _MATERIAL.isdisjoint(parts):
        return True
    if "result" in parts and "config" in parts:
        return True
    return is_arm_name(folder.name) and not parts.keys() <= {"config"}


def rounds(root: Folder) -> list[Round]:
    """All rounds below a root, with their runs, in natural order of their places."""
    finder = _Finder()
    finder.descend(root, [], None)
    return sorted(finder.rounds.values(), key=lambda each: natural(each.folder.place))


class _Finder:
    """Collects runs under the round that they belong to."""

    def __init__(self) -> None:
        self.rounds: dict[str, Round] = {}

    def descend(self, folder: Folder, path: list[Folder], home: int | None) -> bool:
        """Whether there are runs here or below. `path` are the folders above, the root first; `home` tells which is a round."""
        if is_keepsake(folder):
            return False
        here = [*path, folder]
        anchor = _is_anchor(folder)
        if anchor:
            home = len(path)
            self._round(folder)
        below = False
        for slot in _shared_slots(folder):
            self._place(slot, here, home)
            below = True
        for child in folder.folders:
            if child.name != OUTPUTS:
                below = self.descend(child, here, home) or below
        if anchor:
            return below
        parts = parts_of(folder)
        material = _is_material(folder, parts)
        if below:
            if material:
                self._round(here[self._home(here, home)]).above.append(folder)
            return True
        if material or (len(path) > 1 and self._is_left_empty(folder)):
            self._place(Slot(folder=folder, place=folder.place or ".", parts=parts), here, home)
            return True
        return False

    def _is_left_empty(self, folder: Folder) -> bool:
        named = is_distinct_arm_name(folder.name) or _RUN_NUMBER.fullmatch(folder.name) is not None
        return named and not is_skill(folder)

    def _round(self, folder: Folder) -> Round:
        return self.rounds.setdefault(folder.place, Round(folder=folder))

    def _home(self, here: list[Folder], home: int | None) -> int:
        return len(here) - _depth(here[1:]) - 1 if home is None else home

    def _place(self, slot: Slot, here: list[Folder], home: int | None) -> None:
        trial = _HARBOR.fullmatch(here[-1].name) if {"result", "config"} <= slot.parts.keys() else None
        index = max(0, len(here) - 3) if trial is not None and home is None else self._home(here, home)
        names = tuple([each.name for each in here[index + 1 :]])
        if trial is not None and names:
            slot.case, slot.run = trial[1], names[-1]
            slot.arm = "/".join(names[:-1]) or slot.arm
        else:
            found = _position(names, of_a_file=not slot.alone, arm_known=slot.arm != UNSAID)
            slot.case = slot.case or found.case or here[index].name or "case"
            slot.arm = found.arm or slot.arm
            slot.run = slot.run or found.run
        self._round(here[index]).slots.append(slot)


class _Position(NamedTuple):
    """What the folders between a round and a run say; None and empty where they say nothing."""

    case: str
    arm: str | None
    run: str | None


@lru_cache(maxsize=4096)
def _position(folders: tuple[str, ...], *, of_a_file: bool, arm_known: bool) -> _Position:
    names = list(folders)
    run = names.pop() if names and not of_a_file and _is_run_name(names[-1]) else None
    while len(names) > 1 and names[0].lower() in _WRAPPERS:
        names = names[1:]
    while len(names) > 1 and names[-1].lower() in _WRAPPERS:
        names.pop()
    index = None if arm_known else _arm_index(names)
    arm = None if index is None else names.pop(index)
    stamps = [name for name in names if _STAMP.fullmatch(name)]
    if stamps and len(names) > len(stamps) and run is None:
        run = stamps[-1]
        names = [name for name in names if name not in stamps]
    return _Position("/".join(names), arm, run)


def is_keepsake(folder: Folder) -> bool:
    """Whether a folder is where our own import keeps the documents of the workspace that it read: no runs of ours."""
    return folder.name == "imported" and "import.json" in folder.files


def _is_anchor(folder: Folder) -> bool:
    """Whether a folder is a round of its own: called so, or with what is written once a round."""
    return _is_round_name(folder.name) or not _ANCHORS.isdisjoint(folder.files)


@lru_cache(maxsize=4096)
def _is_run_name(name: str) -> bool:
    """`run-3`, `run-retry`, `trial-1`; a date and time."""
    return bool(_RUN_NUMBER.fullmatch(name) or _RUN.fullmatch(name) or _STAMP.fullmatch(name))


def is_stamp(name: str) -> bool:
    """A date and time, as the name of a run."""
    return bool(_STAMP.fullmatch(name))


def _depth(folders: list[Folder]) -> int:
    """How many of the last folders are case, arm and run, where nothing marks the round."""
    rest = [folder.name for folder in folders]
    if rest and _is_run_name(rest[-1]):
        rest.pop()
    while len(rest) > 1 and rest[-1].lower() in _WRAPPERS:
        rest.pop()
    if rest and is_arm_name(rest[-1]):
        rest.pop()
        while rest and _STAMP.fullmatch(rest[-1]):
            rest.pop()
        if rest:
            rest.pop()
    elif len(rest) > 1 and is_arm_name(rest[-2]):
        rest = rest[:-2]
    else:
        rest = rest[: -2 if _is_case(folders[: len(rest)]) else -1]
    return len(folders) - len(rest)


def _is_case(folders: list[Folder]) -> bool:
    """Whether the last but one holds arms, by names that nobody knows: it is called so, or has several like the last."""
    if len(folders) < 2:  # noqa: PLR2004 - a case and an arm
        return False
    case = folders[-2]
    return bool(_EVAL.match(case.name)) or sum(_has_material(each) for each in case.folders) > 1


def _arm_index(names: list[str]) -> int | None:
    known = [index for index, name in enumerate(names) if is_arm_name(name)]
    if known:
        return known[-1]
    if len(names) < 2:  # noqa: PLR2004 - a case and an arm
        return None
    if _EVAL.match(names[-1]) and not _EVAL.match(names[-2]):
        return len(names) - 2
    return len(names) - 1


def _shared_slots(folder: Folder) -> list[Slot]:
    """Runs whose files lie together in one folder, told apart by the files' names."""
    grouped: dict[str, dict[str, str]] = {}
    for name in folder.files:
        match = _SHARED.fullmatch(name) if name not in _PARTS else None
        if match:
            part = "metadata" if match["part"] == "eval_metadata" else match["part"]
            grouped.setdefault(match["stem"], {})[part] = folder.at(name)
    if not any("grading" in parts for parts in grouped.values()):
        grouped = {}
    slots = [_from_stem(folder, stem, parts) for stem, parts in grouped.items() if len(parts) > 1 or "grading" in parts]
    if folder.name.lower() in _GRADING_FOLDERS:
        slots += [slot for slot in (_from_pair(folder, name) for name in folder.files) if slot is not None]
    return slots


def _from_stem(folder: Folder, stem: str, parts: dict[str, str]) -> Slot:
    slot = Slot(folder=folder, place=parts.get("grading") or next(iter(parts.values())), parts=parts, alone=False)
    repeat = _REPEAT_INSIDE.search(stem)
    if repeat:
        slot.run = repeat[1]
        stem = stem[: repeat.start()] + stem[repeat.end() :]
    inside = arm_inside(stem)
    if inside is not None:
        slot.arm, stem = inside[0], inside[1]
    slot.case = stem.strip("-_. ")
    return slot


def _from_pair(folder: Folder, name: str) -> Slot | None:
    match = _PAIRED.fullmatch(name)
    if match is None:
        return None
    place = folder.at(name)
    return Slot(
        folder=folder,
        place=place,
        case=match["case"],
        arm=match["arm"],
        run=match["run"],
        parts={"grading": place},
        alone=False,
    )


def slots_below(slots: Iterable[Slot], folder: Folder) -> list[Slot]:
    """The runs inside a folder."""
    start = f"{folder.place}/" if folder.place else ""
    return [slot for slot in slots if slot.folder.place.startswith(start)]
