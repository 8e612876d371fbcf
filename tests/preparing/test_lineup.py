"""Which arms follow from what a person asks for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skilltrial.errors import PlanError, SpecError
from skilltrial.preparing.lineup import ArmsWanted, LineUp, Surroundings, line_up
from skilltrial.records.settings import ArmSettings
from skilltrial.spec.skill import load_skill

HEAD = "---\nname: tidy\ndescription: Tidies.\n---\n"


def lined_up(tmp_path: Path, wanted: ArmsWanted, *, text: str = "") -> LineUp:
    """The arms of a skill with this text."""
    folder = tmp_path / "tidy"
    folder.mkdir()
    (folder / "SKILL.md").write_bytes((HEAD + text).encode())
    (folder / "data.bin").write_bytes(b"\xff\x00")
    (tmp_path / "scratch").mkdir()
    around = Surroundings(workspace=tmp_path / "w", scratch=tmp_path / "scratch", env=dict(os.environ))
    return line_up(load_skill(folder), wanted, around)


def test_nothing_asked_for_is_with_and_without(tmp_path: Path) -> None:
    """The default, and the same as `--baseline none`."""
    arms = lined_up(tmp_path, ArmsWanted()).arms
    assert [(arm.name, arm.role) for arm in arms] == [("with_skill", "treatment"), ("without_skill", "baseline")]


def test_an_old_skill_keeps_the_name_that_it_had(tmp_path: Path) -> None:
    """A renamed skill is compared with what it was called."""
    old = tmp_path / "old"
    old.mkdir()
    (old / "SKILL.md").write_text(HEAD.replace("tidy", "neat"))
    found = lined_up(tmp_path, ArmsWanted(baseline=str(old)))
    assert {name: skill.name for name, skill in found.skills.items()} == {"new_skill": "tidy", "old_skill": "neat"}
    assert found.arms[1].skill is not None
    assert found.arms[1].skill.folder == str(old)


def test_ablated_skills_differ_by_their_section_alone(tmp_path: Path) -> None:
    """Line ends, other files and the name stay; titles without ASCII letters, and twice the same, get numbers."""
    text = "# T\r\n## Äpfel & Öl\r\na\r\n## 手順\r\nb\r\n## Same\r\nc\r\n## Same\r\nd\r\n"
    found = lined_up(tmp_path, ArmsWanted(names=("with_skill",), ablate="sections"), text=text)
    names = [arm.name for arm in found.arms]
    assert names == ["with_skill", "minus_apfel_ol", "minus_section_2", "minus_same", "minus_same_4"]
    folder = Path(found.skills["minus_section_2"].folder)
    assert (folder / "SKILL.md").read_bytes() == (HEAD + text.replace("## 手順\r\nb\r\n", "")).encode()
    assert (folder / "data.bin").read_bytes() == b"\xff\x00"
    assert {skill.name for skill in found.skills.values()} == {"tidy"}
    assert len({arm.skill.fingerprint for arm in found.arms if arm.skill}) == 5


def test_a_skill_without_sections_cannot_be_ablated(tmp_path: Path) -> None:
    """It says what a section is."""
    with pytest.raises(PlanError, match=r"SKILL\.md: this skill has no section with a `##` heading"):
        lined_up(tmp_path, ArmsWanted(ablate="sections"), text="# Only a title\n")


def test_a_folder_of_the_settings_without_a_skill_is_an_error(tmp_path: Path) -> None:
    """The path stands in the message."""
    named = {"a": ArmSettings(), "b": ArmSettings(skill=str(tmp_path), role="baseline")}
    with pytest.raises(SpecError, match=r"there is no SKILL\.md in this folder"):
        lined_up(tmp_path, ArmsWanted(named=named))


def test_settings_with_baselines_only_are_refused(tmp_path: Path) -> None:
    """Somebody has to be on trial."""
    named = {"old": ArmSettings(skill="none", role="baseline")}
    with pytest.raises(PlanError, match=r"^mine\.toml: no arm is a treatment"):
        lined_up(tmp_path, ArmsWanted(named=named, file=Path("mine.toml")))


def test_arms_carry_their_siblings_prefix_and_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--beside` is for all arms, the rest for the arm that says it; plans hold no value of the person's."""
    monkeypatch.setenv("MY_WORD", "xyzzy")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(HEAD.replace("tidy", name))
    own = ArmSettings(beside=(str(tmp_path / "two"),), prompt_prefix="Think.", env={"WORD": "$MY_WORD", "MODE": "a"})
    wanted = ArmsWanted(named={"rich": own, "without_skill": ArmSettings()}, beside=(tmp_path / "one",))
    found = lined_up(tmp_path, wanted)
    rich, bare = found.arms
    assert [ref.name for ref in rich.beside] == ["one", "two"]
    assert [ref.name for ref in bare.beside] == ["one"]
    assert (rich.prompt_prefix, dict(rich.env)) == ("Think.", {"WORD": "$MY_WORD", "MODE": "a"})
    assert found.env == {"rich": {"WORD": "xyzzy", "MODE": "a"}}
    assert "xyzzy" not in repr(found)


def test_another_value_of_the_persons_is_another_arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials with the old value are not those of the new one; a value that the file has stands in the arm itself."""
    named = {"a": ArmSettings(env={"WORD": "$MY_WORD", "MODE": "a"}), "without_skill": ArmSettings()}
    digests: list[str] = []
    for number, word in enumerate(("xyzzy", "xyzzy", "plugh")):
        monkeypatch.setenv("MY_WORD", word)
        (tmp_path / str(number)).mkdir()
        arm, bare = lined_up(tmp_path / str(number), ArmsWanted(named=named)).arms
        assert (arm.env_digests.keys(), bare.env_digests) == ({"WORD"}, {})
        digests.append(arm.env_digests["WORD"])
    assert digests[0] == digests[1] != digests[2]
    assert {len(digest) for digest in digests} == {8}


def test_a_variable_that_the_person_lacks_is_an_error(tmp_path: Path) -> None:
    """An empty one would be another experiment."""
    named = {"a": ArmSettings(env={"WORD": "$NOT_SET_ANYWHERE"}), "without_skill": ArmSettings()}
    with pytest.raises(PlanError, match=r"arms\.a\.env\.WORD is '\$NOT_SET_ANYWHERE', but NOT_SET_ANYWHERE is not set"):
        lined_up(tmp_path, ArmsWanted(named=named))


def test_a_sibling_with_the_name_of_the_skill_on_trial_is_refused(tmp_path: Path) -> None:
    """In the baseline it would be the skill itself."""
    (tmp_path / "twin").mkdir()
    (tmp_path / "twin/SKILL.md").write_text(HEAD.replace("tidy", "Tidy"))
    with pytest.raises(PlanError, match="would have two skills named 'Tidy': this one and the skill on trial"):
        lined_up(tmp_path, ArmsWanted(beside=(tmp_path / "twin",)))


def test_an_ablated_arm_keeps_what_its_arm_has(tmp_path: Path) -> None:
    """Else it would differ in more than a section."""
    named = {"a": ArmSettings(prompt_prefix="Think.", model="m"), "without_skill": ArmSettings()}
    found = lined_up(tmp_path, ArmsWanted(named=named, ablate="sections"), text="# T\n## One\na\n")
    assert [(arm.name, arm.prompt_prefix) for arm in found.arms if arm.skill] == [
        ("a", "Think."),
        ("minus_one", "Think."),
    ]
    assert found.settings.keys() == {"a", "minus_one"}
