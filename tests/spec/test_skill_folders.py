"""Which skills are in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.spec import skill_folders
from skilltrial.spec.skill_folders import find_skills, is_folder_of_skills


def skill(folder: Path) -> Path:
    """A folder with a SKILL.md."""
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {folder.name}\ndescription: x\n---\n")
    return folder


def test_skills_are_found_at_any_reasonable_depth(tmp_path: Path) -> None:
    """Plugins, hidden folders of agents, flat ones; sorted by path."""
    made = [
        skill(tmp_path / ".claude/skills/c"),
        skill(tmp_path / "a"),
        skill(tmp_path / "plugins/one/skills/b"),
    ]
    skill(tmp_path / "1/2/3/4/5/6/7/8/9/deep")
    assert find_skills(tmp_path) == tuple(made)
    assert is_folder_of_skills(tmp_path)


@pytest.mark.parametrize(
    "place",
    ["a/inner", "node_modules/x", ".git/x", "a-workspace/iteration-1/skills/x", "w/cells/x/s", "w/iteration-2/x"],
)
def test_what_is_no_skill_of_the_folder_is_left_out(place: str, tmp_path: Path) -> None:
    """Parts of a skill, copies in workspaces, and what tools keep."""
    skill(tmp_path / "a")
    skill(tmp_path / place)
    assert find_skills(tmp_path) == (tmp_path / "a",)


def test_links_are_skills_but_a_skill_counts_once(tmp_path: Path) -> None:
    """A link to a skill outside is one of the folder's; one to a skill of the folder is the same skill; loops end."""
    outside = skill(tmp_path / "elsewhere/out")
    inside = skill(tmp_path / "all/in")
    (tmp_path / "all/linked").symlink_to(outside)
    (tmp_path / "all/again").symlink_to(inside)
    (tmp_path / "all/loop").symlink_to(tmp_path / "all")
    assert find_skills(tmp_path / "all") == (inside, tmp_path / "all/linked")


def test_a_skill_and_a_folder_without_any_are_no_folder_of_skills(tmp_path: Path) -> None:
    """Nor is a misspelt SKILL.md, whose message says how to spell it, nor what is not there."""
    skill(tmp_path / "a/examples/b")
    (tmp_path / "a/skill.md").write_text("x")
    (tmp_path / "empty").mkdir()
    for name in ("a", "a/examples/b", "empty", "missing"):
        assert not is_folder_of_skills(tmp_path / name)


def test_a_huge_tree_is_not_searched_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody's home folder is a mistake, which is said."""
    monkeypatch.setattr(skill_folders, "_MOST", 3)
    for name in "abcd":
        (tmp_path / name).mkdir()
    with pytest.raises(SpecError, match="more than 3 folders"):
        find_skills(tmp_path)
