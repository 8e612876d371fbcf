"""Reading what an agent left."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from skilltrial.grade.decision import Undecided
from skilltrial.grade.material import MAX_TEXT_BYTES, Material, decoded
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import OutputFile

Make = Callable[..., Material]


def _created(path: str) -> OutputFile:
    return OutputFile(path=path, change="created")


def _read_only_file(made: Material) -> str:
    return made.text(made.files()[0])


def test_files_are_the_outputs_and_the_untouched_files_of_the_case(material: Make) -> None:
    """A deleted file is gone, a changed one counts once, as the agent left it."""
    made = material(
        {"new.txt": b"n"},
        kept={"input.csv": "1", "gone.csv": "2", "edited.csv": "3"},
        records=[
            OutputFile(path="gone.csv", change="deleted"),
            OutputFile(path="edited.csv", change="modified", size=1),
        ],
    )
    assert [(file.path, file.origin) for file in made.files()] == [
        ("edited.csv", "modified"),
        ("input.csv", "kept"),
        ("new.txt", "created"),
    ]


def test_our_own_metrics_are_no_output(material: Make) -> None:
    """Only what the trial recorded counts, not what else lies in the folder."""
    made = material({})
    (made.outputs / "metrics.json").write_text("{}")
    assert made.find("**") == []


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfhi", "hi"),
        ("grüß".encode(), "grüß"),
        (b"a\xffb", "a\ufffdb"),
        ("hi".encode("utf-16"), "hi"),
        (b"a\0b", "a\0b"),
    ],
)
def test_text_of_any_bytes(data: bytes, text: str) -> None:
    """Byte order marks are left out, broken bytes replaced, NULs kept."""
    assert decoded(data) == text


def test_a_link_is_not_followed(material: Make, tmp_path: Path) -> None:
    """A secret outside cannot be brought in."""
    (tmp_path / "secret").write_text("key")
    made = material(records=[_created("leak")])
    (made.outputs / "leak").symlink_to(tmp_path / "secret")
    with pytest.raises(Undecided, match="links are not followed"):
        _read_only_file(made)


def test_a_linked_folder_is_not_followed(material: Make, tmp_path: Path) -> None:
    """Neither on the way to a file."""
    (tmp_path / "far").mkdir()
    (tmp_path / "far/secret").write_text("key")
    made = material(records=[_created("near/secret")])
    (made.outputs / "near").symlink_to(tmp_path / "far")
    with pytest.raises(Undecided, match="links are not followed"):
        _read_only_file(made)


@pytest.mark.parametrize("path", ["../run.json", "/etc/passwd", "a/../../run.json", "x\0y"])
def test_a_recorded_path_cannot_lead_outside(material: Make, path: str) -> None:
    """Also a tampered run.json cannot."""
    with pytest.raises(Undecided, match="does not lie in the trial's outputs"):
        _read_only_file(material(records=[_created(path)]))


def test_a_pipe_does_not_block(material: Make) -> None:
    """Opening a FIFO returns at once, and it is no file."""
    made = material(records=[_created("pipe")])
    os.mkfifo(made.outputs / "pipe")
    with pytest.raises(Undecided, match="no regular file"):
        _read_only_file(made)


def test_a_large_file_is_not_read(material: Make) -> None:
    """50 MB, sparse: refused with its name and the limit."""
    made = material(records=[_created("big.txt")])
    with (made.outputs / "big.txt").open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(Undecided, match=f"'big.txt' is larger than the {MAX_TEXT_BYTES:,} bytes"):
        _read_only_file(made)


def test_a_file_that_changed_since_the_trial_is_not_graded(material: Make) -> None:
    """Verdicts are about what the agent left."""
    made = material({"a.txt": b"one"})
    (made.outputs / "a.txt").write_bytes(b"two")
    with pytest.raises(Undecided, match="has changed since the trial"):
        _read_only_file(made)


def test_a_case_file_is_read_where_it_was_copied_from(material: Make, tmp_path: Path) -> None:
    """A kept file has no copy in the outputs."""
    (tmp_path / "in.txt").write_text("input")
    made = material({})
    file = CaseFile(path="data/in.txt", source=str(tmp_path / "in.txt"), sha256="")
    case = made.case.model_copy(update={"files": (file,)})
    assert _read_only_file(Material(case=case, trial=made.trial, events=(), outputs=made.outputs)) == "input"


def test_the_copy_of_the_end_state_keeps_executable_bits_and_names_what_is_missing(
    material: Make, tmp_path: Path
) -> None:
    """Commands run in it."""
    made = material(
        {"bin/run.sh": b"#!/bin/sh\n"},
        kept={"in.txt": "input"},
        records=[OutputFile(path="link", change="created", kept=False, note="a link"), _created("../../up")],
    )
    (made.outputs / "bin/run.sh").chmod(0o755)
    target = tmp_path / "copy"
    target.mkdir()
    assert made.copy_to(target) == ["../../up", "link"]
    assert (target / "in.txt").read_text() == "input"
    assert os.access(target / "bin/run.sh", os.X_OK)
    assert not os.access(target / "in.txt", os.X_OK)
