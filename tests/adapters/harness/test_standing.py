"""What stands on a machine before any trial."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.adapters.harness.claude_code import create
from skilltrial.adapters.harness.standing import copies, personal_roots, standing_notices, standing_roots
from skilltrial.ports import HarnessSettings

ORGANISATION = ("/etc/claude-code", "/Library/Application Support/ClaudeCode")


def add_skill(folder: Path, name: str | None = None) -> Path:
    """A skill, perhaps with another name than its folder's."""
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name or folder.name}\ndescription: d\n---\n")
    return folder


@pytest.mark.parametrize(
    "place",
    [
        ".claude/skills",
        ".claude/plugins/cache/nest/bird/skills",
        ".config/opencode/skills",
        ".gemini/extensions/x/skills",
    ],
)
def test_copies_in_a_home(tmp_path: Path, place: str) -> None:
    """By the folder's name, and by the name that the skill gives itself."""
    named = add_skill(tmp_path / place / "tidy")
    other = add_skill(tmp_path / place / "elsewhere", "tidy")
    add_skill(tmp_path / place / "tidy-up")
    assert copies({"tidy"}, personal_roots({"HOME": str(tmp_path)})) == [other, named]


def test_a_moved_config_folder_is_looked_into(tmp_path: Path) -> None:
    """Its variable says where it is; without a home there is no other."""
    found = add_skill(tmp_path / "skills/tidy")
    assert copies({"tidy"}, personal_roots({"CODEX_HOME": str(tmp_path)})) == [found]
    assert list(personal_roots({})) == []


def test_a_place_of_the_machine_is_said_with_its_skills(tmp_path: Path) -> None:
    """What is not there is not said."""
    assert standing_notices("codex", [str(tmp_path / "none")]) == ()
    (tmp_path / "etc").mkdir()
    (notice,) = standing_notices("codex", [str(tmp_path / "etc")])
    assert f"codex takes what is in {tmp_path}/etc in every arm (settings)" in notice
    found = add_skill(tmp_path / "etc/skills/tidy")
    (notice,) = standing_notices("codex", [str(tmp_path / "etc")])
    assert "(skills: tidy)" in notice
    assert copies({"tidy"}, standing_roots([str(tmp_path / "etc")])) == [found]


def test_skills_of_an_organisation_lie_a_level_deeper(tmp_path: Path) -> None:
    """As in `/etc/claude-code/.claude/skills`."""
    found = add_skill(tmp_path / ".claude/skills/tidy")
    assert copies({"tidy"}, standing_roots([str(tmp_path)])) == [found]


@pytest.mark.parametrize(
    ("args", "personal"),
    [((), False), (("--setting-sources", "project"), False), (("--setting-sources", "user,project"), True)],
)
def test_a_home_that_stays_counts_where_its_settings_are_asked_for(
    tmp_path: Path, args: tuple[str, ...], personal: bool
) -> None:
    """With a login in the home, Claude Code's own settings are kept out unless an argument lets them in."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/.credentials.json").write_text("{}")
    harness = create(HarnessSettings(env={"HOME": str(tmp_path)}, args=args))
    assert harness.capabilities.standing == (*ORGANISATION, *([f"{tmp_path}/.claude"] if personal else []))


def test_a_fresh_home_keeps_the_persons_out(tmp_path: Path) -> None:
    """Whatever arguments say."""
    env = {"HOME": str(tmp_path), "ANTHROPIC_API_KEY": "k"}
    harness = create(HarnessSettings(env=env, args=("--setting-sources", "user")))
    assert harness.capabilities.standing == ORGANISATION
