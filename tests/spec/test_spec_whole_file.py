"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skilltrial.errors import StoreError
from skilltrial.spec.whole_file import write_whole


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    """For root, `--out /dev/null` would make a file of it, for all programs of the machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(StoreError, match="no regular file"):
        write_whole(pipe, b"x")
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_writer_that_is_stopped_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C before the rename: the old file is there, and no part of the new one."""
    (tmp_path / "a").write_bytes(b"old")

    def stops(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stops)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"old"}
