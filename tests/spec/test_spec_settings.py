"""`skilltrial.toml`: found, read, and refused with file, key, value and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.spec.settings import find_settings, load_settings, require_named


def write(folder: Path, text: str) -> Path:
    """A settings file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "skilltrial.toml"
    path.write_text(text)
    return path


def refusal(tmp_path: Path, text: str) -> str:
    """What a person hears of such a file."""
    path = write(tmp_path, text)
    with pytest.raises(SpecError) as caught:
        load_settings(path)
    assert caught.value.exit_code == 2
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_defaults_and_arms_are_read(tmp_path: Path) -> None:
    """Numbers, names, and arms in the order in which they are written; a folder is taken from the file's."""
    path = write(
        tmp_path,
        '[run]\nruns = 5\njudge = "openai:x"\ntimeout = 90\nconcurrency = 2\n\n'
        '[arms.terse]\nskill = "../terse"\n\n[arms.old]\nskill = "git:v1"\nrole = "baseline"\n',
    )
    settings = load_settings(path)
    run = settings.run
    assert (run.runs, run.judge, run.timeout, run.concurrency, run.seed) == (5, "openai:x", 90.0, 2, None)
    assert list(settings.arms) == ["terse", "old"]
    assert settings.arms["terse"].skill == str(tmp_path.parent / "terse")
    assert (settings.arms["old"].skill, settings.arms["old"].role) == ("git:v1", "baseline")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[run]\nrnus = 3\n", ("'run.rnus'", "3", "Did you mean 'runs'?")),
        ("[rum]\nruns = 3\n", ("'rum'", "Did you mean 'run'?")),
        ('[run]\nruns = "3"\n', ("run.runs is '3'", "valid integer")),
        ("[run]\nruns = 0\n", ("run.runs is 0", "greater than or equal to 1")),
        ("[run]\nruns = true\n", ("run.runs is True", "valid integer")),
        ("[run]\ntimeout = inf\n", ("run.timeout is inf", "finite")),
        ("run = 3\n", ("run is 3", "object")),
        ('[arms.a]\nrole = "winner"\n', ("arms.a.role is 'winner'", "'treatment' or 'baseline'")),
        ("[arms.a]\ntimeout = 5\n", ("arms.a.timeout is 5", "the same in all arms", "option of the run")),
        ('[arms.a.env]\n"A B" = "x"\n', ("arms.a.env has the name 'A B'", "letters")),
        ('[arms.a.env]\nHOME = "/x"\n', ("arms.a.env.HOME belongs to the isolation", "Leave it out")),
        ('[arms.a.env]\nOPENAI_API_KEY = "$K"\n', ("arms.a.env.OPENAI_API_KEY belongs to", "agent program")),
        ('[arms.a.env]\nMY_TOKEN = "abc"\n', ("arms.a.env.MY_TOKEN looks like a secret", 'MY_TOKEN = "$MY_TOKEN"')),
        ('[arms.a.env]\nMODE = "$A/b"\n', ("arms.a.env.MODE is '$A/b'", '"$NAME" alone')),
        ('[arms.a]\nskil = "x"\n', ("'arms.a.skil'", "Did you mean 'skill'?")),
        ('[arms."a b"]\nskill = "none"\n', ("'a b'", "letters")),
        ('[arms.without_skill]\nskill = "x"\n', ("arms.without_skill.skill is 'x'", "has no skill")),
        ("[arms.old_skill]\n", ("arms.old_skill has no `skill`", "git:REF")),
    ],
)
def test_each_mistake_names_key_value_and_what_to_do(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    """Nothing is guessed, nothing is ignored."""
    said = refusal(tmp_path, text)
    for part in parts:
        assert part in said


def test_what_is_no_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    """The line stands behind the file's name."""
    assert "skilltrial.toml:2: this is no TOML" in refusal(tmp_path, "[run]\nruns = = 3\n")


def test_the_nearest_file_up_to_the_projects_root_is_taken(tmp_path: Path) -> None:
    """evals/ comes before the folder beside, that before the root; what is above the root is somebody else's."""
    skill = tmp_path / "project/skills/tidy"
    (skill / "evals").mkdir(parents=True)
    (tmp_path / "project/.git").mkdir()
    write(tmp_path, "")
    assert find_settings(skill) is None
    root = write(tmp_path / "project", "")
    assert find_settings(skill) == root
    beside = write(tmp_path / "project/skills", "")
    assert find_settings(skill / "SKILL.md") in {beside, root}
    assert find_settings(skill) == beside
    assert find_settings(skill) != write(skill / "evals", "") == find_settings(skill)


def test_outside_of_a_project_only_the_folder_beside_counts(tmp_path: Path) -> None:
    """A file in a home or in a temporary folder is not taken for a project's."""
    skill = tmp_path / "a/b/tidy"
    skill.mkdir(parents=True)
    write(tmp_path / "a", "")
    assert find_settings(skill) is None
    assert find_settings(skill) != write(tmp_path / "a/b", "") == find_settings(skill)


def test_a_file_inside_the_skill_is_refused(tmp_path: Path) -> None:
    """Agents would get it."""
    write(tmp_path / "tidy", "")
    with pytest.raises(SpecError, match=r"inside the skill, where agents would get it\. Move it"):
        find_settings(tmp_path / "tidy")


def test_an_arm_has_settings_of_its_own_with_folders_from_the_file(tmp_path: Path) -> None:
    """Everything that it may have; the prefix without blank lines around it."""
    text = """[arms.a]
model = "m"
harness = "codex"
args = ["--effort", "high"]
beside = ["../other"]
prompt_prefix = "  Think. "
env = { MODE = "fast", TOKEN = "$MY_TOKEN" }
"""
    arm = load_settings(write(tmp_path, text)).arms["a"]
    assert (arm.model, arm.harness, arm.args, arm.prompt_prefix) == ("m", "codex", ("--effort", "high"), "Think.")
    assert arm.beside == (str(tmp_path.parent / "other"),)
    assert arm.env == {"MODE": "fast", "TOKEN": "$MY_TOKEN"}


@pytest.mark.parametrize("own", ['args = ["-x"]', 'env = { MODE = "fast" }'])
def test_arguments_and_variables_are_only_taken_from_a_file_that_the_person_names(tmp_path: Path, own: str) -> None:
    """A file of somebody's repository must not loosen an agent's rules."""
    path = write(tmp_path, f"[arms.a]\n{own}\n")
    with pytest.raises(SpecError, match="only taken from a file that you name"):
        require_named(load_settings(path), path)


def test_a_secret_that_is_written_down_is_not_repeated(tmp_path: Path) -> None:
    """The message goes to logs."""
    assert "abc-secret" not in refusal(tmp_path, '[arms.a.env]\nMY_TOKEN = "abc-secret"\n')
