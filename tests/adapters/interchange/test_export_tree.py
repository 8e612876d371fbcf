"""An export on the disk: all of it, or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from skilltrial.adapters.interchange.export_tree import UNFINISHED, write_export
from skilltrial.errors import StoreError
from skilltrial.ports import ExportFile

FILES = (
    ExportFile(path="iteration-1/eval-0/grading.json", content={"n": 1}),
    ExportFile(path="history.json", content="[]"),
)


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder with its text."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_files_are_where_they_belong(tmp_path: Path) -> None:
    """And nothing else is left, also of an export that was killed before."""
    leftover = tmp_path / "out" / UNFINISHED.replace("*", "0")
    leftover.mkdir(parents=True)
    (leftover / "half.json").write_text("{")
    write_export(tmp_path / "out", FILES)
    assert tree(tmp_path / "out") == {"history.json": "[]", "iteration-1/eval-0/grading.json": '{\n  "n": 1\n}\n'}


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "a//b", ".", "a\\b"])
def test_a_path_that_leaves_the_folder_stops_all(tmp_path: Path, path: str) -> None:
    """The files before it are not written either, and the folder is not made."""
    with pytest.raises(StoreError, match="leaves the folder"):
        write_export(tmp_path / "out", (*FILES, ExportFile(path=path, content="x")))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_went_away_leaves_an_empty_folder_empty(tmp_path: Path) -> None:
    """The same export can be tried again."""
    (tmp_path / "out").mkdir()
    with pytest.raises(StoreError, match="cannot be copied"):
        write_export(tmp_path / "out", (*FILES, ExportFile(path="a.txt", content=tmp_path / "gone")))
    assert list((tmp_path / "out").iterdir()) == []


def test_a_name_that_is_too_long_says_where(tmp_path: Path) -> None:
    """In the folder that the person gave, not in the one where it was put together."""
    with pytest.raises(StoreError, match="File name too long") as caught:
        write_export(tmp_path / "out", (ExportFile(path=f"a/{'x' * 300}", content="x"),))
    assert caught.value.where == str(tmp_path / "out/a" / ("x" * 300))


def test_an_export_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    """Ctrl-C between two files."""

    def files() -> Iterator[ExportFile]:
        yield from FILES
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_export(tmp_path / "out", files())
    assert not os.path.lexists(tmp_path / "out")


def test_of_two_exports_at_once_one_is_there(tmp_path: Path) -> None:
    """The other one says so, and takes nothing away."""

    def files() -> Iterator[ExportFile]:
        yield from FILES
        write_export(tmp_path / "out", FILES[:1])
        (tmp_path / "out/other").mkdir()

    with pytest.raises(StoreError):
        write_export(tmp_path / "out", files())
    assert tree(tmp_path / "out") == {"iteration-1/eval-0/grading.json": '{\n  "n": 1\n}\n'}
