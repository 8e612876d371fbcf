"""What a dialect makes of a file: where each thing stands, before it is checked.

A dialect only says which value means what. Everything else (ids, input files, validation, messages) is done once for all
of them, in `spec.cases`, `spec.assertions` and `spec.triggers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from skilltrial.records.json_value import Json
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionDraft:
    """One criterion of a case."""

    node: Node
    """As the author wrote it: for messages, and to write it back."""
    means: str | Mapping[str, Json] | None
    """A statement in prose, or an assertion object of ours (with `type`, perhaps `text`, `id`); None: it means nothing here."""
    reason: str = ""
    """Why it means nothing here, as the end of a sentence."""

    @property
    def is_ours(self) -> bool:
        """Whether the author wrote it in our own form; then a slip in it is an error, and not a foreign assertion."""
        return self.means is self.node.value


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDraft:
    """One case. Every field is the author's value at its place; None where it is absent."""

    node: Node
    prompt: Node | None
    id: Node | None = None
    name: Node | None = None
    expected_output: Node | None = None
    files: Node | None = None
    """A list of paths and of objects (`path` with `content` or `source`), or an object of path: content."""
    files_root: Node | None = None
    """A folder below the eval file's that `files` are looked for in first."""
    keeps_paths: bool | None = None
    """As in `Draft`, for this case; None: as the file."""
    runs: Node | None = None
    family: Node | None = None
    """A text; cases of one family are one observation."""
    codebase: Node | None = None
    """An object with `url` and `ref`, or with `path`; None: as the file."""
    turns: Node | None = None
    """A list of what the user says after the prompt: objects with a `prompt`, or texts."""
    responder: Node | None = None
    """An object: who plays the user."""
    doubles: Node | None = None
    """An object as in `records.doubles`; may stand at the file, for all of its cases."""
    reference: Node | None = None
    """Where a right solution lies: a path, or an object."""
    should_trigger: Node | None = None
    criteria: tuple[CriterionDraft, ...] = ()
    used: frozenset[str] = frozenset()
    """Keys of `node` that have a meaning; all others are carried as `extra` and reported. A field above whose key is not among
    them was written under another name: that is reported instead."""
    unused: Mapping[str, str] = field(default_factory=dict[str, str])
    """Keys of `node` with a meaning to the other tool that has none here, each with that meaning. Carried and reported; where
    the meaning is empty (labels, remarks), carried alone."""

    def fields(self) -> list[Node]:
        """The values that are there, without criteria."""
        found = (self.prompt, self.id, self.name, self.expected_output, self.files, self.files_root, self.runs)
        return [
            node
            for node in (*found, self.codebase, self.turns, self.responder, self.should_trigger)
            if node is not None
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryDraft:
    """One query of a trigger set."""

    node: Node
    query: Node | None
    id: Node | None = None
    should: bool | None = None
    expects: tuple[str, ...] | None = None
    split: Node | None = None
    note: Node | None = None
    around: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What stands outside of `node` and belongs to the query; carried as `extra`."""
    used: frozenset[str] = frozenset()
    unused: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A whole file. With `queries` it is a trigger set; one with both is a suite and a trigger set."""

    root: Node
    skill_name: Node | None = None
    codebase: Node | None = None
    """Of the cases that have none of their own."""
    cases: tuple[CaseDraft, ...] = ()
    queries: tuple[QueryDraft, ...] = ()
    used: frozenset[str] = frozenset()
    """Keys of the file that have a meaning; all others are carried as `extra` and reported."""
    unused: Mapping[str, str] = field(default_factory=dict[str, str])
    left_out: tuple[Node, ...] = ()
    """Cases that cannot be run, each reported by the dialect. Carried as `extra`, so that nothing is lost."""
    keeps_paths: bool = True
    """Whether the agent finds input files at the path as written, or without a leading `evals/files/`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDialect:
    """A kind of eval file, told by its content, never by its name."""

    name: str
    fits: Callable[[Node], bool]
    """Whether a file is written in this dialect. Cheap, and never raises."""
    read: Callable[[Node, Findings], Draft]
    """Raises `Invalid` where the file cannot be used at all; else notes what is wrong in the findings."""
