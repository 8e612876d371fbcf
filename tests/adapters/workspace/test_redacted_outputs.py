"""Keys that an agent printed into its files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import anyio

from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.records.trial import OutputFile


def test_a_key_is_masked_in_outputs_and_patch_and_the_record_is_of_the_copy(tmp_path: Path) -> None:
    """`env > notes.txt` in a skill must not put a key on the disk for good."""
    (tmp_path / "place").mkdir()
    (tmp_path / "into").mkdir()
    workspace = FolderWorkspace(tmp_path / "place", redact=lambda data: data.replace(b"sk-secret-1", b"***"))

    async def once() -> tuple[OutputFile, ...]:
        async with workspace.open((), None, skill_root=".claude/skills") as folders:
            (folders.work / "notes.txt").write_text("KEY=sk-secret-1\n")
            return await workspace.collect(folders, tmp_path / "into")

    (record,) = anyio.run(once)
    assert (tmp_path / "into/outputs/notes.txt").read_text() == "KEY=***\n"
    assert "sk-secret-1" not in (tmp_path / "into/diff.patch").read_text()
    assert "KEY=***" in (tmp_path / "into/diff.patch").read_text()
    assert (record.size, record.sha256) == (8, hashlib.sha256(b"KEY=***\n").hexdigest())
