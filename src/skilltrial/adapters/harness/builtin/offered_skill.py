"""The skill as our agent offers it: name and description are listed, the body comes when asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skilltrial.ports import PlacedSkill

SKILL_FILE = "SKILL.md"
SKILL_ROOT = ".agents/skills"

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedSkill:
    """What the model may learn of a skill."""

    name: str
    description: str
    body: str
    folder: str
    """Relative to the agent's folder."""
    files: tuple[str, ...]
    """Bundled files beside SKILL.md, relative to the agent's folder."""

    @property
    def listing(self) -> str:
        """The one line that is always shown."""
        return f"- {self.name}: {' '.join(self.description.split())}"

    @property
    def text(self) -> str:
        """What the agent gets when it loads the skill."""
        files = "".join(f"\n- {path}" for path in self.files)
        return self.body + (f"\n\nFiles of this skill:{files}" if files else "")


def offered_skill(placed: PlacedSkill) -> OfferedSkill:
    """Reads a placed skill. Raises OSError where its SKILL.md cannot be read."""
    text = (placed.folder / SKILL_FILE).read_text(encoding="utf-8", errors="replace")
    folder = f"{SKILL_ROOT}/{placed.folder.name}"
    files = sorted(
        f"{folder}/{path.relative_to(placed.folder).as_posix()}"
        for path in placed.folder.rglob("*")
        if path.is_file() and path.name != SKILL_FILE
    )
    return OfferedSkill(
        name=placed.name,
        description=placed.description,
        body=_FRONT_MATTER.sub("", text, count=1).strip(),
        folder=folder,
        files=tuple(files),
    )
