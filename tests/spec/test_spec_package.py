"""Packing a skill into one file."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from skilltrial.errors import SpecError, StoreError
from skilltrial.spec.package import package
from skilltrial.spec.skill import load_skill

KEY = "ghp_" + "q7Zk2Vx9Lm4Tn8Rb3Wy6Hc1Jd5Fg0PsUaTeK"


@pytest.fixture
def full(skill: Path) -> Path:
    """A skill with a script, a reference, evals, and things that belong to nobody else."""
    files = {
        "scripts/run.sh": "#!/bin/sh\n",
        "references/größe.md": "text\n",
        "evals/evals.json": "{}",
        ".git/HEAD": "x",
        "__pycache__/a.pyc": "x",
        "node_modules/a/b.js": "x",
        "pdf-workspace/x": "x",
    }
    for path, text in files.items():
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_text(text)
    (skill / "scripts/run.sh").chmod(0o755)
    return skill


def test_the_archive_holds_what_agents_get_below_the_name(full: Path) -> None:
    """Sorted, with fixed times and modes; beside the folder."""
    packed = package(full)
    assert packed.path == full.parent / "pdf.skill"
    with zipfile.ZipFile(packed.path) as archive:
        entries = [(entry.filename, entry.date_time[0], oct(entry.external_attr >> 16)) for entry in archive.infolist()]
    assert entries == [
        ("pdf/SKILL.md", 1980, "0o100644"),
        ("pdf/references/größe.md", 1980, "0o100644"),
        ("pdf/scripts/run.sh", 1980, "0o100755"),
    ]
    assert (packed.left_out, packed.size) == ((), packed.path.stat().st_size)


@pytest.mark.parametrize(
    "name", ["SKILL.md", "scripts/run.sh", "../letter.txt", "../empty.skill", "../other.zip", "../dead"]
)
def test_no_other_file_is_replaced(full: Path, name: str) -> None:
    """Neither the skill's own files nor anybody's."""
    (full.parent / "letter.txt").write_text("Dear")
    (full.parent / "empty.skill").write_text("")
    (full.parent / "dead").symlink_to("nowhere")
    with zipfile.ZipFile(full.parent / "other.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    target = full / name
    before = None if target.is_symlink() else target.read_bytes()
    with pytest.raises(SpecError, match="no packed skill") as caught:
        package(full, target)
    assert caught.value.code == "file-exists"
    assert (None if target.is_symlink() else target.read_bytes()) == before


def test_the_same_files_give_the_same_bytes(full: Path, tmp_path: Path) -> None:
    """Whatever their times, even before 1980, and wherever they lie."""
    first = package(full, tmp_path / "a.skill").path.read_bytes()
    other = tmp_path / "other/pdf"
    other.mkdir(parents=True)
    for path in ("scripts/run.sh", "references/größe.md", "SKILL.md"):
        (other / path).parent.mkdir(exist_ok=True)
        (other / path).write_bytes((full / path).read_bytes())
        os.utime(other / path, (1, 1))
    (other / "scripts/run.sh").chmod(0o700)
    assert package(other, tmp_path / "b.skill").path.read_bytes() == first


def test_what_comes_out_is_the_same_skill(full: Path, tmp_path: Path) -> None:
    """The fingerprint, modes included."""
    packed = package(full)
    with zipfile.ZipFile(packed.path) as archive:
        for entry in archive.infolist():
            out = Path(archive.extract(entry, tmp_path / "out"))
            out.chmod(entry.external_attr >> 16 & 0o777)
    assert load_skill(tmp_path / "out/pdf").fingerprint == load_skill(full).fingerprint == packed.skill.fingerprint


def test_the_folder_in_the_archive_has_the_folders_name(full: Path, tmp_path: Path) -> None:
    """A SKILL.md may be given instead, and a folder to write into."""
    packed = package(full / "SKILL.md", tmp_path)
    assert packed.path == tmp_path / "pdf.skill"


def test_an_archive_does_not_contain_itself(full: Path) -> None:
    """Nor an older one; both times the bytes are the same."""
    first = package(full, full / "pdf.skill")
    again = package(full, full / "pdf.skill")
    assert first.sha256 == again.sha256
    assert package(full, full / "else.zip").files == first.files
    assert package(full, full / "else.zip").files == first.files


def test_private_files_are_left_out_and_named(full: Path) -> None:
    """Even with a key in them: they stay at home."""
    (full / ".env").write_text(f"TOKEN={KEY}\n")
    (full / ".env.local").write_text("A=1\n")
    (full / ".gitignore").write_text(".env\n")
    packed = package(full)
    assert packed.left_out == (".env", ".env.local", ".gitignore")
    assert ".env" not in "".join(packed.files)


def test_a_key_stops_it(full: Path) -> None:
    """The file and line are named, the key is not; nothing is written."""
    (full / "scripts/run.sh").write_text(f"#!/bin/sh\nexport TOKEN={KEY}\n")
    with pytest.raises(SpecError, match=r"run\.sh:2: this looks like a GitHub token") as caught:
        package(full)
    assert KEY not in str(caught.value)
    assert not (full.parent / "pdf.skill").exists()


@pytest.mark.parametrize("target", ["SKILL.md", "/etc/hostname", "nothing", "evals/evals.json"])
def test_links_stop_it(full: Path, target: str) -> None:
    """Inside, outside, to nothing, to what is hidden."""
    (full / "link.md").symlink_to(target if target.startswith("/") else full / target)
    with pytest.raises(SpecError, match=r"link\.md") as caught:
        package(full)
    assert caught.value.code == "link-packed"


def test_a_linked_folder_stops_it(full: Path) -> None:
    """Though its files are no links."""
    (full / "more").symlink_to(full / "references")
    with pytest.raises(SpecError, match="link"):
        package(full)


def test_errors_of_the_skill_stop_it(full: Path) -> None:
    """The first, and how many more."""
    (full / "SKILL.md").write_text("---\nname: Pdf\ndescription: Reads PDF files when asked\n---\nBody")
    with pytest.raises(SpecError, match=r"SKILL\.md:2: .*\(1 more"):
        package(full)


def test_a_failed_write_leaves_nothing(full: Path, tmp_path: Path) -> None:
    """No folder to write to."""
    with pytest.raises(StoreError, match="cannot be written"):
        package(full, tmp_path / "none/x.skill")
    assert not list(tmp_path.glob("**/*.part"))


def test_an_old_archive_is_replaced_whole(full: Path, tmp_path: Path) -> None:
    """Its mode is kept."""
    out = tmp_path / "x.skill"
    package(full, out)
    out.chmod(0o600)
    (full / "references/größe.md").write_text("more\n")
    package(full, out)
    with zipfile.ZipFile(out) as archive:
        assert archive.read("pdf/references/größe.md") == b"more\n"
    assert out.stat().st_mode & 0o777 == 0o600
