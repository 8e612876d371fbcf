"""What stands on a machine before any trial, and agent programs may find beside a trial's own folders."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

_PERSONAL = (
    ".claude/skills",
    ".claude/plugins/*/skills",
    ".claude/plugins/*/*/skills",
    ".claude/plugins/*/*/*/skills",
    ".claude/plugins/*/*/*/*/skills",
    ".agents/skills",
    ".codex/skills",
    ".gemini/skills",
    ".gemini/extensions/*/skills",
    ".config/opencode/skill",
    ".config/opencode/skills",
    ".opencode/skills",
    ".qwen/skills",
    ".copilot/skills",
    ".pi/agent/skills",
    ".kimi-code/skills",
    ".vibe/skills",
)
"""Where agent programs look for a person's skills, below their home."""
_MOVED: Mapping[str, str] = {
    "CLAUDE_CONFIG_DIR": "skills",
    "CODEX_HOME": "skills",
    "GEMINI_CLI_HOME": ".gemini/skills",
    "QWEN_HOME": "skills",
    "COPILOT_HOME": "skills",
    "PI_CODING_AGENT_DIR": "skills",
    "XDG_CONFIG_HOME": "opencode/skills",
}
"""Variables that move such a place, and where it is below them."""
_BELOW = ("skills", "*/skills")
"""Where skills are in a folder of settings."""
_NAME = re.compile(r"(?m)^name:[ \t]*['\"]?(.*?)['\"]?[ \t]*$")
_HEAD = 4096
_MOST = 500


def personal_roots(env: Mapping[str, str]) -> Iterator[Path]:
    """Folders of skills in a person's home that are there."""
    home = env.get("HOME")
    patterns = [(home, pattern) for pattern in _PERSONAL] if home else []
    patterns += [(env[name], below) for name, below in _MOVED.items() if env.get(name)]
    yield from dict.fromkeys(found for base, pattern in patterns for found in _folders(base, pattern))


def standing_roots(places: Iterable[str]) -> Iterator[Path]:
    """Folders of skills in places that are no trial's own, like `/etc/codex`."""
    for place in places:
        for below in _BELOW:
            yield from _folders(place, below)


def copies(names: Collection[str], roots: Iterable[Path]) -> list[Path]:
    """The skills of these names, by their folder's or by the name that they give themselves."""
    return [folder for folder in _skills(roots) if folder.name in names or _own_name(folder) in names]


def standing_notices(program: str, places: Iterable[str]) -> tuple[str, ...]:
    """A sentence for each of the places that is there: whatever is in it, is in every arm."""
    notices: list[str] = []
    for place in places:
        if Path(place).is_dir():
            skills = sorted({folder.name for folder in _skills(standing_roots([place]))})
            what = f"skills: {', '.join(skills[:5])}" if skills else "settings"
            notices.append(f"{program} takes what is in {place} in every arm ({what}): no fresh home keeps that out.")
    return tuple(notices)


def _folders(base: str, pattern: str) -> Iterator[Path]:
    if Path(base).is_absolute():
        try:
            yield from sorted(path for path in Path(base).glob(pattern) if path.is_dir())
        except OSError:
            return


def _skills(roots: Iterable[Path]) -> Iterator[Path]:
    for root in roots:
        try:
            yield from [path.parent for path in sorted(root.glob("*/SKILL.md"))[:_MOST]]
        except OSError:
            continue


def _own_name(folder: Path) -> str | None:
    try:
        with (folder / "SKILL.md").open("rb") as file:
            found = _NAME.search(file.read(_HEAD).decode("utf-8", "replace"))
    except OSError:
        return None
    return found.group(1) if found else None
