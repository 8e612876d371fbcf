"""The skill under trial."""

from __future__ import annotations

from collections.abc import Mapping

from skilltrial.records.json_value import Json
from skilltrial.records.record import Record
from skilltrial.records.repair import Repair


class SkillFile(Record):
    """One file of a skill, as it was read."""

    path: str
    """Relative to the skill folder, with forward slashes."""
    size: int
    sha256: str
    executable: bool = False


class Skill(Record):
    """A folder with a SKILL.md.

    `files` and `fingerprint` cover every file that an agent would get: all but `evals/`, version control, caches and
    workspaces. The fingerprint changes with any path, byte or executable bit among them.
    """

    name: str
    """The front matter's name, or the folder's where there is none."""
    description: str | None = None
    folder: str
    """Absolute path."""
    frontmatter: Mapping[str, Json]
    """All keys, unknown ones too."""
    body: str
    files: tuple[SkillFile, ...]
    fingerprint: str
    """`sha256:` and 64 hex digits."""
    repairs: tuple[Repair, ...] = ()


class SkillRef(Record):
    """Which skill, in plans and results."""

    name: str
    folder: str
    fingerprint: str
    origin: str = ""
    """Where it is no folder as it stands: `git:v1 (1a2b3c4d5e6f)`, `iteration:2 (new_skill)`, or what was left out of it."""
    left_out: str | None = None
    """The section that an ablation left out, by its title."""
