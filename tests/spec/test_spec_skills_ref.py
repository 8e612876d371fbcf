"""The reference validator's verdict, row by row as measured with skills-ref 0.1.1."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.spec.lint.skills_ref import reference_complaints

HEAD = "name: pdf\ndescription: Reads PDF files.\n"


def _skill(tmp_path: Path, front: str, *, folder: str = "pdf", file: str = "SKILL.md") -> Path:
    skill = tmp_path / folder
    skill.mkdir()
    (skill / file).write_bytes(f"---\n{front}---\nBody\n".encode())
    return skill


@pytest.mark.parametrize(
    "more",
    [
        "compatibility: ''\n",
        "metadata:\n  - a\n",
        "metadata:\n  a:\n    b: c\n",
        "allowed-tools:\n  - Bash\n  - Read\n",
        "license: null\n",
        "metadata:\n  a: 1\n",
        f"compatibility: {'c' * 500}\n",
    ],
)
def test_what_the_reference_lets_pass(tmp_path: Path, more: str) -> None:
    """Some of it against the specification."""
    assert reference_complaints(_skill(tmp_path, HEAD + more)) == []


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("metadata: {a: b}\n", "a map in braces"),
        ("allowed-tools: [Bash]\n", "a list in brackets"),
        ("license: &x MIT\n", "an anchor"),
        ("license: !x MIT\n", "a tag"),
        ("name: pdf\n", "'name' twice"),
        ("version: 1\n", "'version'"),
        (f"compatibility: {'c' * 501}\n", "501 characters"),
        ("compatibility:\n  - x\n", "compatibility is no text"),
        ("metadata:\n  a:\n    b: c\n  d:\n      e: f\n", "indented differently"),
    ],
)
def test_what_the_reference_rejects(tmp_path: Path, more: str, reason: str) -> None:
    """Each with one reason."""
    (complaint,) = reference_complaints(_skill(tmp_path, HEAD + more))
    assert reason in complaint


def test_a_bare_colon_is_rejected(tmp_path: Path) -> None:
    """It is not YAML."""
    (complaint,) = reference_complaints(_skill(tmp_path, "name: pdf\ndescription: Use it: always\n"))
    assert "not YAML" in complaint


def test_a_name_of_other_lower_case_letters_is_valid(tmp_path: Path) -> None:
    """Whatever counts as a letter or digit."""
    assert reference_complaints(_skill(tmp_path, "name: größe\ndescription: d\n", folder="größe")) == []


def test_forms_of_one_name_are_the_same(tmp_path: Path) -> None:
    """Composed in the file, decomposed in the folder's name, as on some file systems."""
    assert reference_complaints(_skill(tmp_path, "name: caf\u00e9\ndescription: d\n", folder="cafe\u0301")) == []


@pytest.mark.parametrize("name", ["Pdf", "-pdf", "pdf-", "pd--f", "pd_f", "p" * 65])
def test_names_that_break_the_rule(tmp_path: Path, name: str) -> None:
    """Though the folder has the same name."""
    assert len(reference_complaints(_skill(tmp_path, f'name: "{name}"\ndescription: d\n', folder=name))) == 1


@pytest.mark.parametrize(("length", "n_complaints"), [(1024, 0), (1025, 1)])
def test_the_length_of_the_description(tmp_path: Path, length: int, n_complaints: int) -> None:
    """1,024 characters are allowed."""
    complaints = reference_complaints(_skill(tmp_path, f"name: pdf\ndescription: {'d' * length}\n"))
    assert len(complaints) == n_complaints


def test_dashes_in_the_description_end_the_front_matter(tmp_path: Path) -> None:
    """What follows is not looked at, so that even an unknown field behind it passes."""
    assert reference_complaints(_skill(tmp_path, "name: pdf\ndescription: Reads --- all\nversion: 1\n")) == []


def test_dashes_in_quotes_break_the_front_matter(tmp_path: Path) -> None:
    """The quote is never closed."""
    (complaint,) = reference_complaints(_skill(tmp_path, 'name: pdf\ndescription: "Reads --- all"\n'))
    assert "not YAML" in complaint


@pytest.mark.parametrize(
    ("data", "n_complaints"),
    [
        (f"\ufeff---\n{HEAD}---\nBody", 1),
        (f"---\n{HEAD}---\nBody".replace("\n", "\r\n"), 0),
        (f"---\n{HEAD}---", 0),
        (f"---\n{HEAD}", 1),
        (f"\n---\n{HEAD}---\n", 1),
        ("---\n---\n", 1),
        ("---\nname: pdf\n---\n", 1),
        ("---\nname: ''\ndescription: ' '\n---\n", 2),
        (f"---\n{HEAD}...\n---\nBody", 0),
    ],
)
def test_the_form_of_the_file(tmp_path: Path, data: str, n_complaints: int) -> None:
    """Byte-order mark, line ends, empty body, fences."""
    skill = tmp_path / "pdf"
    skill.mkdir()
    (skill / "SKILL.md").write_bytes(data.encode())
    assert len(reference_complaints(skill)) == n_complaints


def test_a_file_in_lower_case_is_taken(tmp_path: Path) -> None:
    """Also when it is given itself."""
    skill = _skill(tmp_path, HEAD, file="skill.md")
    assert reference_complaints(skill) == []
    assert reference_complaints(skill / "skill.md") == []


def test_folders_without_a_skill(tmp_path: Path) -> None:
    """Nothing there, a file, an empty folder."""
    (tmp_path / "file").write_text("x")
    assert len(reference_complaints(tmp_path / "none")) == 1
    assert len(reference_complaints(tmp_path / "file")) == 1
    assert len(reference_complaints(tmp_path)) == 1
