"""Input files of cases: where they are found, and where agents find them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.records.suite import Suite
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

Write = Callable[..., Path]


def _put(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)


def _load(path: Path) -> Suite:
    return load_suite(load_skill(path.parent.parent))


def _paths(path: Path) -> list[str]:
    return [file.path for file in _load(path).cases[0].files]


def _error(path: Path) -> str:
    with pytest.raises(SpecError) as caught:
        _load(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "place", "agent_path"),
    [
        ("evals/files/a.pdf", "evals/files/a.pdf", "a.pdf"),
        ("evals/fixtures/a.pdf", "evals/fixtures/a.pdf", "fixtures/a.pdf"),
        ("evals/a.pdf", "evals/a.pdf", "a.pdf"),
        ("files/a.pdf", "evals/files/a.pdf", "a.pdf"),
        ("./data//a.pdf", "data/a.pdf", "data/a.pdf"),
        ("data/a.pdf", "evals/data/a.pdf", "data/a.pdf"),
    ],
)
def test_a_file_is_found_and_put_without_the_evals_folder(
    skill: Path, write_case: Write, written: str, place: str, agent_path: str
) -> None:
    """The skill's folder first, then `evals/`; the agent sees what follows `evals/files/`."""
    _put(skill, place)
    (file,) = _load(write_case(files=[written], expectations=["A"])).cases[0].files
    assert (file.path, file.source) == (agent_path, str(skill / place))


def test_the_skills_folder_wins_over_evals(skill: Path, write_case: Write) -> None:
    """The first place that has the file."""
    _put(skill, "a.txt", "evals/a.txt")
    (file,) = _load(write_case(files=["a.txt"])).cases[0].files
    assert file.source == str(skill / "a.txt")


def test_a_path_that_the_prompt_names_stays(skill: Path, write_case: Write) -> None:
    """The agent has to find the file where the user says that it is."""
    _put(skill, "evals/files/a.txt", "evals/files/b.txt")
    path = write_case(prompt="Read `evals/files/a.txt`, please", files=["evals/files/a.txt", "evals/files/b.txt"])
    assert _paths(path) == ["evals/files/a.txt", "b.txt"]


def test_slow_powers_keeps_paths_as_declared(skill: Path, write_case: Write) -> None:
    """As its own runner does."""
    _put(skill, "evals/files/a.txt")
    judge = {"id": "x", "type": "llm_judge", "rubric": "R"}
    assert _paths(write_case(files=["files/a.txt"], assertions=[judge])) == ["files/a.txt"]


def test_a_folder_is_expanded(skill: Path, write_case: Write) -> None:
    """With all that is in it, but no repository."""
    _put(skill, "evals/files/app/src/a.py", "evals/files/app/b.txt", "evals/files/app/.git/config")
    assert _paths(write_case(files=["evals/files/app/"])) == ["app/b.txt", "app/src/a.py"]


def test_the_files_folder_itself_is_put_at_the_root(skill: Path, write_case: Write) -> None:
    """`evals/files` leaves nothing to strip but itself."""
    _put(skill, "evals/files/a.txt")
    assert _paths(write_case(files=["evals/files"])) == ["a.txt"]


def test_a_move_is_reported(skill: Path, write_case: Write) -> None:
    """The report says where the agent found the file."""
    _put(skill, "evals/files/a.txt")
    suite = _load(write_case(files=["evals/files/a.txt"]))
    assert [(repair.code, repair.path) for repair in suite.repairs] == [("file-moved", "evals[0].files[0]")]
    assert "is at 'a.txt' for the agent" in suite.repairs[0].message


def test_a_missing_file_names_all_places_tried(skill: Path, write_case: Write) -> None:
    """In their order, each once."""
    message = _error(write_case(files=["x.csv"]))
    assert f"names 'x.csv', which is not there. Tried: {skill}/x.csv, {skill}/evals/x.csv." in message


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("/etc/passwd", "points outside the skill: '/etc/passwd'."),
        ("../secret", "points outside the skill: '../secret'."),
        ("a/../../secret", "points outside the skill"),
        ("C:/x", "points outside the skill"),
        ("a\\b", "has a backslash: 'a\\\\b'."),
        ("", "is no usable path: ''."),
        ("a\x00b", "is no usable path"),
        ("x" * 401, "is no usable path"),
        (".git/config", "points into a .git folder: '.git/config'."),
        ("sub/.GIT/hooks/x", "points into a .git folder"),
        (5, "must be a path in text, not 5."),
        ({"path": "a"}, "must be a path in text"),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(write_case: Write, written: object, part: str) -> None:
    """Before anything is looked for."""
    message = _error(write_case(files=[written]))
    assert "evals[0].files[0]" in message
    assert part in message


def test_a_link_out_of_the_skill_is_refused(skill: Path, write_case: Write) -> None:
    """A secret does not get to an agent by a link."""
    _put(skill.parent, "secret")
    (skill / "a.txt").symlink_to("../secret")
    assert "is a link that leaves the skill: 'a.txt'." in _error(write_case(files=["a.txt"]))


def test_a_link_inside_a_folder_does_not_leave_it_either(skill: Path, write_case: Write) -> None:
    """It is left out, with a repair."""
    _put(skill.parent, "secret")
    _put(skill, "evals/data/a.txt")
    (skill / "evals/data/b.txt").symlink_to(skill.parent / "secret")
    suite = _load(write_case(files=["data"]))
    assert [file.path for file in suite.cases[0].files] == ["data/a.txt"]
    assert [repair.code for repair in suite.repairs] == ["link-outside"]


def test_a_link_inside_the_skill_is_its_target(skill: Path, write_case: Write) -> None:
    """The source is the file itself, so that copying follows no link."""
    _put(skill, "data/a.txt")
    (skill / "evals").mkdir()
    (skill / "evals/b.txt").symlink_to("../data/a.txt")
    (file,) = _load(write_case(files=["evals/b.txt"])).cases[0].files
    assert (file.path, file.source) == ("b.txt", str(skill / "data/a.txt"))


def test_two_files_at_one_place_are_an_error(skill: Path, write_case: Write) -> None:
    """Stripping may make two names one."""
    _put(skill, "evals/files/a.txt", "evals/a.txt")
    message = _error(write_case(files=["evals/files/a.txt", "evals/a.txt"]))
    assert f"puts two files at 'a.txt': {skill}/evals/files/a.txt and {skill}/evals/a.txt." in message


def test_the_same_file_twice_is_one(skill: Path, write_case: Write) -> None:
    """Nothing is lost."""
    _put(skill, "a.txt")
    assert _paths(write_case(files=["a.txt", "./a.txt"])) == ["a.txt"]


def test_a_file_cannot_also_be_a_folder(write_case: Write) -> None:
    """In skill-builder's map too."""
    assert "needs 'a' both as a file and as the folder of 'a/b'." in _error(write_case(files={"a": "1", "a/b": "2"}))


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({"../x": "1"}, "points outside the skill: '../x'."),
        ({"/x": "1"}, "points outside the skill: '/x'."),
        ({".git/config": "1"}, "points into a .git folder"),
        ({"a": 5}, "evals[0].files.a must be the file's content in text, not 5."),
        ({".": "1"}, "names no file."),
    ],
)
def test_a_map_of_contents_is_checked_alike(write_case: Write, files: object, part: str) -> None:
    """Its keys are paths for the agent's folder."""
    assert part in _error(write_case(files=files))


def test_settings_of_agents_are_reported(write_case: Write) -> None:
    """They may be the point of a case, or a leak."""
    suite = _load(write_case(files={".claude/skills/x/SKILL.md": "x"}))
    assert [repair.code for repair in suite.repairs] == ["file-configures-agent"]


def test_handing_out_the_skill_is_reported(skill: Path, write_case: Write) -> None:
    """The arm without the skill would have it too."""
    _put(skill, "scripts/run.py")
    suite = _load(write_case(files=["scripts"]))
    assert [repair.code for repair in suite.repairs] == ["file-of-skill"]


def test_handing_out_the_eval_file_is_reported(write_case: Write) -> None:
    """With it the agent gets the expected results."""
    suite = _load(write_case(files=["evals/evals.json"]))
    assert [repair.code for repair in suite.repairs] == ["file-moved", "file-of-evals"]
