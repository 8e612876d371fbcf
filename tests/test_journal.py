"""The journal of a workspace: nothing that a person said is lost, whatever happens while it is written."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.journal import note_verdict, read_journal
from skilltrial.records.journal import PersonVerdict
from skilltrial.records.trial import TrialKey

MANY = """
import sys
from pathlib import Path
from skilltrial.adapters.store.folder import FolderStore
store = FolderStore(Path(sys.argv[1]), write=False)
for number in range(100):
    store.append("journal.jsonl", (sys.argv[2] * 3000 + str(number)).encode())
"""


def said(note: str) -> PersonVerdict:
    """A verdict with this note."""
    return PersonVerdict(
        at=datetime(2026, 1, 2, tzinfo=UTC),
        by="Ada",
        iteration=1,
        key=TrialKey(case_id="one", arm="with_skill", repeat=1),
        assertion="a1",
        verdict="PASS",
        note=note,
        blind=True,
        trial_digest="sha256:t",
        assertion_digest="sha256:a",
    )


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """A workspace that somebody else may be writing to."""
    return FolderStore(tmp_path, write=False)


def test_what_is_noted_is_read_in_its_order(store) -> None:
    """Letters of all kinds, and line feeds inside a note, come back."""
    notes = ["first", "zweite Zeile\n– «ok»", "third"]
    for note in notes:
        note_verdict(store, said(note))
    assert [verdict.note for verdict in read_journal(store).verdicts] == notes
    assert read_journal(store).unread == ()


def test_without_a_file_nobody_said_anything(store) -> None:
    """An empty journal is no error."""
    assert read_journal(store).verdicts == ()


@pytest.mark.parametrize("kept", [10, 200])
def test_a_torn_line_is_kept_named_and_in_nobodys_way(store, kept) -> None:
    """Power went while the second line was written; the third is whole, and the torn one still there."""
    note_verdict(store, said("first"))
    path = store.path("journal.jsonl")
    torn = said("second").model_dump_json().encode()[:kept]
    with path.open("ab") as file:
        file.write(torn)
    assert [each.where for each in read_journal(store).unread] == ["journal.jsonl:2"]
    note_verdict(store, said("third"))
    journal = read_journal(store)
    assert [verdict.note for verdict in journal.verdicts] == ["first", "third"]
    assert [each.where for each in journal.unread] == ["journal.jsonl:2"]
    assert torn in path.read_bytes().split(b"\n")


def test_a_whole_line_without_its_end_counts(store) -> None:
    """Only the line feed was lost."""
    store.path("journal.jsonl").write_bytes(said("whole").model_dump_json().encode())
    note_verdict(store, said("next"))
    assert [verdict.note for verdict in read_journal(store).verdicts] == ["whole", "next"]


def test_a_line_of_another_form_is_named_with_its_field(store) -> None:
    """A hand may have edited it."""
    line = said("x").model_dump_json().replace('"PASS"', '"YES"')
    store.path("journal.jsonl").write_text(line + "\n")
    (unread,) = read_journal(store).unread
    assert unread.where == "journal.jsonl:1"
    assert unread.why.startswith("verdict: ")


def test_one_may_add_while_another_process_holds_the_workspace(tmp_path) -> None:
    """A run may be going on while people label an earlier iteration."""
    writer = FolderStore(tmp_path / "w", write=True)
    note_verdict(FolderStore(tmp_path / "w", write=False), said("beside"))
    writer.close()
    assert len(read_journal(writer).verdicts) == 1


def test_two_processes_at_once_lose_and_mix_nothing(store, tmp_path) -> None:
    """Two hundred lines of 3,000 characters, each of one letter."""
    started = [subprocess.Popen([sys.executable, "-c", MANY, str(tmp_path), letter]) for letter in "ab"]
    assert [process.wait() for process in started] == [0, 0]
    lines = store.path("journal.jsonl").read_text().splitlines()
    whole = {f"{letter * 3000}{number}" for letter in "ab" for number in range(100)}
    assert len(lines) == 200
    assert set(lines) == whole
