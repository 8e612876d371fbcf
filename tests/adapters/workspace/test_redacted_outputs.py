"""Keys that an agent printed into its files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import anyio

from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.records.trial import OutputFile


def collected(tmp_path: Path, name: str) -> OutputFile:
    """The record of the one file, of this name, that an agent wrote its environment into."""
    (tmp_path / "place").mkdir()
    (tmp_path / "into").mkdir()
    workspace = FolderWorkspace(tmp_path / "place", redact=lambda data: data.replace(b"sk-secret-1", b"***"))

    async def once() -> tuple[OutputFile, ...]:
        async with workspace.open((), None, skill_root=".claude/skills") as folders:
            (folders.work / name).write_text("KEY=sk-secret-1\n")
            return await workspace.collect(folders, tmp_path / "into")

    (record,) = anyio.run(once)
    return record


def test_a_key_is_masked_in_outputs_and_patch_and_the_record_is_of_the_copy(tmp_path: Path) -> None:
    """`env > notes.txt` in a skill must not put a key on the disk for good."""
    record = collected(tmp_path, "notes.txt")
    assert (tmp_path / "into/outputs/notes.txt").read_text() == "KEY=***\n"
    assert "sk-secret-1" not in (tmp_path / "into/diff.patch").read_text()
    assert "KEY=***" in (tmp_path / "into/diff.patch").read_text()
    assert (record.size, record.sha256) == (8, hashlib.sha256(b"KEY=***\n").hexdigest())


def test_a_key_is_masked_in_a_file_name_too(tmp_path: Path) -> None:
    """Names reach records, patches and reports."""
    record = collected(tmp_path, "a-sk-secret-1.txt")
    assert record.path == "a-***.txt"
    assert (tmp_path / "into/outputs/a-***.txt").is_file()


def test_a_key_is_masked_in_where_a_link_leads(tmp_path: Path) -> None:
    """A link is not followed, but its target stands in the record."""
    (tmp_path / "place").mkdir()
    (tmp_path / "into").mkdir()
    workspace = FolderWorkspace(tmp_path / "place", redact=lambda data: data.replace(b"sk-secret-1", b"***"))

    async def once() -> tuple[OutputFile, ...]:
        async with workspace.open((), None, skill_root=".claude/skills") as folders:
            (folders.work / "here").symlink_to("sk-secret-1")
            return await workspace.collect(folders, tmp_path / "into")

    (record,) = anyio.run(once)
    assert record.note == "a link to '***', not followed"
