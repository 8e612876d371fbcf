"""Reading skill folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.spec.skill import load_skill


def _write(folder: Path, text: str | bytes) -> Path:
    data = text if isinstance(text, bytes) else text.encode()
    (folder / "SKILL.md").write_bytes(data)
    return folder


def _codes(folder: Path) -> list[str]:
    return [repair.code for repair in load_skill(folder).repairs]


def test_a_skill_is_read_whole(skill: Path) -> None:
    """Name, description, body and files are there, and nothing had to be repaired."""
    loaded = load_skill(skill)
    assert (loaded.name, loaded.description) == ("pdf", "Reads PDF files. Use it for PDF files.")
    assert loaded.body == "# How\n"
    assert [file.path for file in loaded.files] == ["SKILL.md"]
    assert loaded.repairs == ()


def test_the_skill_file_itself_names_its_skill(skill: Path) -> None:
    """A path to SKILL.md is as good as its folder's."""
    assert load_skill(skill / "SKILL.md") == load_skill(skill)


def test_a_path_with_dots_names_the_folder(skill: Path) -> None:
    """`pdf/scripts/..` is the folder `pdf`, by name too."""
    (skill / "scripts").mkdir()
    assert load_skill(skill / "scripts" / "..").folder == str(skill)


def test_byte_order_mark_and_crlf_are_read(skill: Path) -> None:
    """What a Windows editor writes is read; the mark is reported."""
    loaded = load_skill(_write(skill, b"\xef\xbb\xbf---\r\nname: pdf\r\ndescription: d\r\n---\r\nA\r\nB\r\n"))
    assert (loaded.description, loaded.body) == ("d", "A\nB\n")
    assert [repair.code for repair in loaded.repairs] == ["byte-order-mark"]


def test_unknown_keys_are_kept_as_json_values(skill: Path) -> None:
    """YAML values that JSON lacks stay as they were written."""
    text = "---\nname: pdf\ndescription: d\nversion: 1.5\nday: 2026-01-31\nnot: .nan\non: [yes, ~]\n---\n"
    front = load_skill(_write(skill, text)).frontmatter
    assert front == {
        "name": "pdf",
        "description": "d",
        "version": 1.5,
        "day": "2026-01-31",
        "not": ".nan",
        "on": [True, None],
    }


def test_dashes_inside_a_value_do_not_close_the_front_matter(skill: Path) -> None:
    """Only a line that is exactly `---` does."""
    assert load_skill(_write(skill, "---\nname: pdf\ndescription: a --- b\n---\n")).description == "a --- b"


def test_a_bare_colon_is_rescued_and_reported(skill: Path) -> None:
    """A value with a colon is read as if quoted, apostrophes and following lines included."""
    loaded = load_skill(_write(skill, "---\nname: pdf\ndescription: It's for: PDF\n  and more: all\n---\n"))
    assert loaded.description == "It's for: PDF and more: all"
    (repair,) = loaded.repairs
    assert (repair.code, repair.line, repair.path) == ("bare-colon", 3, "description")


def test_a_missing_name_is_the_folders(skill: Path) -> None:
    """It is taken, and reported."""
    loaded = load_skill(_write(skill, "---\ndescription: d\n---\n"))
    assert (loaded.name, [repair.code for repair in loaded.repairs]) == ("pdf", ["name-missing"])


def test_a_name_that_differs_from_the_folder_is_reported(skill: Path) -> None:
    """The front matter's name wins."""
    loaded = load_skill(_write(skill, "---\nname: docx\ndescription: d\n---\n"))
    assert loaded.name == "docx"
    assert "'docx' differs from the folder's name 'pdf'" in loaded.repairs[0].message


@pytest.mark.parametrize("description", ["", "description:\n", "description: '  '\n", "description: [a]\n"])
def test_a_missing_description_is_none_and_reported(skill: Path, description: str) -> None:
    """Nothing, blanks and lists are no description."""
    loaded = load_skill(_write(skill, f"---\nname: pdf\n{description}---\n"))
    assert (loaded.description, [repair.code for repair in loaded.repairs]) == (None, ["description-missing"])


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("# Title\n", 1, "line 1 is '# Title', not exactly '---'"),
        ("", 1, "line 1 is '', not exactly '---'"),
        ("---\nname: pdf\n", 1, "never closed"),
        ("---\nname: pdf\n--- \n", 3, "(line 3 is '--- ')"),
        ("---\n---\n", 2, "is empty"),
        ("---\n- a\n---\n", 2, "is not a mapping"),
        ("---\nname: pdf\nx: 1\nname: doc\n---\n", 4, "has 'name' twice, in lines 2 and 4"),
        ("---\nname: 'pdf\n---\n", 3, "is not YAML"),
        ("---\nname: pdf\nx: \x07\n---\n", 3, "a character that YAML does not allow: '\\x07'"),
        ('---\nname: "\\ud800"\n---\n', 2, "half of a surrogate pair"),
        ("---\nname: ../up\ndescription: d\n---\n", 2, "'../up' cannot be the name of a folder"),
        ("---\nname: pdf\nx: " + "[" * 60 + "]" * 60 + "\n---\n", 3, "too deeply nested"),
        ("---\nname: pdf\n? [a]\n: b\n---\n", 3, "a key that is not a text"),
    ],
)
def test_a_broken_front_matter_names_its_line(skill: Path, text: str, line: int, part: str) -> None:
    """Each kind of damage is one clear message."""
    with pytest.raises(SpecError) as caught:
        load_skill(_write(skill, text))
    assert caught.value.where == f"{skill}/SKILL.md:{line}"
    assert part in caught.value.message


def test_an_alias_bomb_is_refused(skill: Path) -> None:
    """Nine lines that stand for a thousand million values are not expanded."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(SpecError, match="too many"):
        load_skill(_write(skill, "---\n" + "\n".join(lines) + "\n---\n"))


def test_a_file_that_is_not_utf8_names_byte_and_line(skill: Path) -> None:
    """Latin-1 text is refused with its place."""
    with pytest.raises(SpecError, match="not UTF-8 text: byte b'\\\\xe9' at offset 15") as caught:
        load_skill(_write(skill, b"---\nname: pdf\n#\xe9\n---\n"))
    assert caught.value.where.endswith("SKILL.md:3")


def test_a_huge_skill_file_is_refused(skill: Path) -> None:
    """More than a mebibyte is no SKILL.md."""
    with pytest.raises(SpecError, match="1048577 bytes, more than the 1048576"):
        load_skill(_write(skill, b"-" * 1_048_577))


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The message has the path."""
    with pytest.raises(SpecError, match="there is no such file or folder") as caught:
        load_skill(tmp_path / "no")
    assert caught.value.where == str(tmp_path / "no")
    assert caught.value.exit_code == 2


def test_another_file_is_no_skill(skill: Path) -> None:
    """A file that is no SKILL.md is refused."""
    (skill / "x.txt").write_text("x")
    with pytest.raises(SpecError, match=r"this is a file, not a skill's folder\. Give the folder"):
        load_skill(skill / "x.txt")


def test_an_empty_folder_says_what_is_missing(tmp_path: Path) -> None:
    """Without any hint of a skill, the message says what one is."""
    with pytest.raises(SpecError, match=r"no SKILL\.md in this folder\. .*write a SKILL\.md"):
        load_skill(tmp_path)


def test_a_lower_case_skill_file_is_hinted_at(tmp_path: Path) -> None:
    """Agents look for exactly SKILL.md."""
    (tmp_path / "skill.md").write_text("x")
    with pytest.raises(SpecError, match=r"Rename 'skill\.md' to 'SKILL\.md'"):
        load_skill(tmp_path)


def test_a_folder_of_skills_names_them(skill: Path) -> None:
    """Pointing one level too high gets the list."""
    with pytest.raises(SpecError, match="Give one of the skills in it: pdf"):
        load_skill(skill.parent)


def test_what_agents_do_not_get_is_left_out(skill: Path) -> None:
    """Version control, caches, evals and workspaces are no part of the skill; evals deeper down are."""
    for path in (
        "evals/evals.json",
        ".git/config",
        "scripts/__pycache__/a.pyc",
        "node_modules/x/y.js",
        "pdf-workspace/iteration-1/plan.json",
        ".skilltrial/x",
        "assets/.DS_Store",
        "references/evals/guide.md",
        "scripts/run.py",
        ".hidden",
    ):
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_text("x")
    paths = [file.path for file in load_skill(skill).files]
    assert paths == [".hidden", "SKILL.md", "references/evals/guide.md", "scripts/run.py"]


@pytest.mark.parametrize("change", ["byte", "path", "mode"])
def test_the_fingerprint_changes_with_bytes_paths_and_modes(skill: Path, change: str) -> None:
    """Each of the three is a different skill."""
    script = skill / "run.sh"
    script.write_text("echo")
    before = load_skill(skill).fingerprint
    if change == "byte":
        script.write_text("echO")
    elif change == "path":
        script.rename(skill / "run2.sh")
    else:
        script.chmod(0o755)
    assert load_skill(skill).fingerprint != before


def test_the_fingerprint_is_that_of_the_content(skill: Path, tmp_path: Path) -> None:
    """Another place, and evals beside, make no difference."""
    before = load_skill(skill).fingerprint
    (skill / "evals").mkdir()
    (skill / "evals/evals.json").write_text("{}")
    moved = skill.rename(tmp_path / "moved")
    assert load_skill(moved).fingerprint == before
    assert before.startswith("sha256:")
    assert len(before) == 71


def test_a_link_inside_the_skill_is_its_content(skill: Path) -> None:
    """Files and folders are followed where they stay inside."""
    (skill / "a").mkdir()
    (skill / "a/x.md").write_text("x")
    (skill / "y.md").symlink_to("a/x.md")
    (skill / "b").symlink_to("a")
    loaded = load_skill(skill)
    assert [file.path for file in loaded.files] == ["SKILL.md", "a/x.md", "b/x.md", "y.md"]
    assert len({file.sha256 for file in loaded.files[1:]}) == 1
    assert loaded.repairs == ()


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("/etc/passwd", "link-outside"),
        ("../secret", "link-outside"),
        (".", "link-loop"),
        ("nothing", "link-broken"),
        ("link", "link-broken"),
        ("evals", "link-hidden"),
    ],
)
def test_a_bad_link_is_left_out_and_reported(skill: Path, target: str, code: str) -> None:
    """Nothing outside the skill, and nothing hidden, gets to the agent by a link."""
    (skill.parent / "secret").write_text("x")
    (skill / "evals").mkdir()
    (skill / "evals/answers.txt").write_text("x")
    (skill / "link").symlink_to(target)
    loaded = load_skill(skill)
    assert [file.path for file in loaded.files] == ["SKILL.md"]
    assert [(repair.code, repair.path) for repair in loaded.repairs] == [(code, "link")]


def test_a_skill_file_that_links_outside_is_refused(skill: Path) -> None:
    """SKILL.md itself has to be in the folder."""
    outside = skill.parent / "other.md"
    (skill / "SKILL.md").rename(outside)
    (skill / "SKILL.md").symlink_to(outside)
    with pytest.raises(SpecError, match=r"SKILL\.md is a link that leaves the folder"):
        load_skill(skill)


def test_pipes_are_left_out(skill: Path) -> None:
    """A FIFO is not opened, which would wait for ever."""
    os.mkfifo(skill / "pipe")
    assert _codes(skill) == ["not-a-file"]


def test_a_skill_file_that_is_a_pipe_is_refused(skill: Path) -> None:
    """The same for SKILL.md."""
    (skill / "SKILL.md").unlink()
    os.mkfifo(skill / "SKILL.md")
    with pytest.raises(SpecError, match="not a regular file"):
        load_skill(skill)


def test_names_that_are_not_utf8_are_left_out(skill: Path) -> None:
    """Such a name could not be written into JSON."""
    try:
        (skill / os.fsdecode(b"\xff.txt")).write_text("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert _codes(skill) == ["name-not-utf8"]
