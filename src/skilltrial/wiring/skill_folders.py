"""In which folders agent programs look for skills."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from skilltrial.errors import SpecError
from skilltrial.wiring.harnesses import CLAUDE_CODE, harness_catalogue

_EVERYBODYS = ".agents/skills"
_OF_A_PERSON = {"opencode": ".config/opencode/skills", "mistral-vibe": ".vibe/skills"}
"""Below the home, for programs that look elsewhere there than in a project."""


class SkillFolder(NamedTuple):
    """A folder of skills, as a place that is there and what is to be made below it."""

    base: Path
    below: str


def skill_folder_of(agent: str, *, project: Path | None, env: Mapping[str, str]) -> SkillFolder:
    """Where the program finds skills of this project, or of the person. Raises `SpecError` where it finds none, or nobody knows."""
    if agent == CLAUDE_CODE:
        own = env.get("CLAUDE_CONFIG_DIR")
        if project is None and own:
            return SkillFolder(Path(own), "skills")
        return SkillFolder(project or _home(env), ".claude/skills")
    entry = harness_catalogue(env).find(agent)
    if entry is None or entry.descriptor is None:
        hint = "`skilltrial harness list` shows those that files describe; --to takes any folder of skills."
        raise SpecError(f"there is no agent {agent!r} with a folder of skills.", hint=hint, code="unknown-agent")
    skills = entry.descriptor.skills
    if skills.listing == "prompt":
        raise SpecError(f"{agent} looks for no skills.", hint="Give another --agent, or --to.", code="no-skills")
    if project is not None:
        return SkillFolder(project, skills.root)
    below = _OF_A_PERSON.get(agent) or (skills.root if skills.root == _EVERYBODYS else None)
    if skills.user_root and skills.user_root.startswith("{home}/"):
        below = skills.user_root.removeprefix("{home}/")
    if below is None:
        hint = "Use --project, or name the folder with --to."
        raise SpecError(f"where {agent} looks for a person's skills is not known.", hint=hint, code="no-skills")
    return SkillFolder(_home(env), below)


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or Path.home())
