"""Versions in a workspace: kept whole, refused where they are none, and written back to the skill."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.operations.history_keeping import HistoryRow, write_history
from skilltrial.operations.proposing import ProposedFile, ProposedVersion
from skilltrial.operations.version_shelf import VersionShelf, apply_files, files_of
from skilltrial.ports import Store
from skilltrial.records.improvement import Improvement, Version
from skilltrial.spec.skill import load_skill

SKILL = "---\nname: csv-report\ndescription: Turns a CSV file into a report. Use for CSV files.\n---\n# Report\n\nCount the rows.\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A workspace."""
    opened = wiring.open_store(tmp_path / "w", write=True)
    yield opened
    opened.close()


def a_skill(folder: Path) -> Path:
    """With a script, a binary file and evals."""
    for path, data in {"SKILL.md": SKILL.encode(), "scripts/a.sh": b"a\n", "x.bin": b"\xff\x00"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (folder / "scripts/a.sh").chmod(0o755)
    (folder / "evals").mkdir()
    (folder / "evals/evals.json").write_text("{}")
    return folder


def begun(store: Store, folder: Path) -> tuple[VersionShelf, Improvement]:
    """`v0` is kept."""
    shelf, skill = VersionShelf(store=store, folder_name=folder.name), load_skill(folder)
    shelf.keep("v0", skill)
    own = Version(name="v0", parent=None, origin="own", fingerprint=skill.fingerprint, result="baseline")
    state = Improvement(
        skill_name="csv-report", number=1, created_at="", digest="", holdout_digest="", cases=(), runs=1, rounds=1,
        candidates=1, patience=1, harness=None, model=None, proposer="m", versions=(own,), incumbent="v0",
    )  # fmt: skip
    return shelf, state


def proposed(*files: tuple[str, str], deleted: tuple[str, ...] = ()) -> ProposedVersion:
    """What a model may answer."""
    return ProposedVersion(files=[ProposedFile(path=path, content=text) for path, text in files], deleted=list(deleted))


def test_a_version_is_a_whole_folder_and_putting_it_again_is_the_same(tmp_path: Path, store: Store) -> None:
    """Binary file and executable bit are carried over, evals are not there; a kill before it was noted costs no number."""
    shelf, state = begun(store, a_skill(tmp_path / "csv-report"))
    answer = proposed(("SKILL.md", SKILL + "More.\n"))
    first, again = (shelf.put(state, answer, round_=1) for _ in range(2))
    assert first == again
    assert isinstance(first, Version)
    assert (first.name, first.parent, first.changed) == ("v1", "v0", ("SKILL.md",))
    folder = tmp_path / "w/versions/v1/csv-report"
    assert (folder / "x.bin").read_bytes() == b"\xff\x00"
    assert (folder / "scripts/a.sh").stat().st_mode & 0o100
    assert not (folder / "evals").exists()


def test_what_others_keep_in_the_place_of_a_version_is_left_alone(tmp_path: Path, store: Store) -> None:
    """A folder `versions/v1` of another tool: the next number is taken."""
    shelf, state = begun(store, a_skill(tmp_path / "csv-report"))
    (tmp_path / "w/versions/v1").mkdir()
    (tmp_path / "w/versions/v1/mine.txt").write_text("mine")
    version = shelf.put(state, proposed(("SKILL.md", SKILL + "More.\n")), round_=1)
    assert isinstance(version, Version)
    assert version.name == "v2"
    assert (tmp_path / "w/versions/v1/mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (proposed(("SKILL.md", SKILL.replace("name: csv-report", "name: other"))), "has to keep that name"),
        (proposed(("SKILL.md", "---\nname: [\n---\n")), "SKILL.md"),
        (proposed(("evals/evals.json", "{}")), "no part of the skill"),
        (proposed(("SKILL.md", SKILL)), "nothing is different"),
    ],
)
def test_what_is_no_version_is_refused_with_the_reason(
    tmp_path: Path, store: Store, answer: ProposedVersion, says: str
) -> None:
    """Another name, a broken front matter, evals, nothing. Nothing is kept of it."""
    shelf, state = begun(store, a_skill(tmp_path / "csv-report"))
    fault = shelf.put(state, answer, round_=1)
    assert isinstance(fault, str)
    assert says in fault
    assert not (tmp_path / "w/versions/v1").exists()


def test_new_warnings_of_lint_are_told_with_the_version(tmp_path: Path, store: Store) -> None:
    """A link to a file that is not there is one; what the version before had too is none."""
    shelf, state = begun(store, a_skill(tmp_path / "csv-report"))
    plain = shelf.put(state, proposed(("SKILL.md", SKILL + "More.\n")), round_=1)
    linked = shelf.put(state, proposed(("SKILL.md", SKILL + "See [it](references/none.md).\n")), round_=1)
    assert isinstance(plain, Version)
    assert isinstance(linked, Version)
    assert plain.warnings == ()
    assert len(linked.warnings) == 1
    assert "references/none.md" in linked.warnings[0]


def test_applying_writes_changes_and_leaves_all_else(tmp_path: Path) -> None:
    """Changed, made, deleted; a second time nothing; a file that somebody changed stops all of it."""
    folder = a_skill(tmp_path / "csv-report")
    before = files_of(load_skill(folder))
    after = {"SKILL.md": SKILL.encode() + b"More.\n", "x.bin": before["x.bin"], "new/b.md": b"b"}
    (folder / "notes.md").write_text("of mine")
    (folder / "scripts/a.sh").write_text("changed")
    with pytest.raises(SpecError, match=r"scripts/a\.sh changed since"):
        apply_files(load_skill(folder), before, after)
    assert (folder / "SKILL.md").read_text() == SKILL
    (folder / "scripts/a.sh").write_bytes(b"a\n")
    for _ in range(2):
        assert apply_files(load_skill(folder), before, after) == ("SKILL.md", "new/b.md", "scripts/a.sh")
        assert files_of(load_skill(folder)) == {**after, "notes.md": b"of mine"}
    assert (folder / "evals/evals.json").exists()


@pytest.mark.parametrize("path", ["references/new.md", "z.md"])
def test_nothing_is_written_through_a_link(tmp_path: Path, path: str) -> None:
    """To a folder of others, or to their file; what comes before it in the version is not written either."""
    folder = a_skill(tmp_path / "csv-report")
    others = tmp_path / "others"
    others.mkdir()
    (others / "z.md").write_text("of others")
    (folder / "references").symlink_to(others, target_is_directory=True)
    (folder / "z.md").symlink_to(others / "z.md")
    before = {"SKILL.md": SKILL.encode()}
    with pytest.raises(SpecError, match="is a link"):
        apply_files(load_skill(folder), before, {"SKILL.md": b"changed", path: b"x"})
    assert (folder / "SKILL.md").read_text() == SKILL
    assert {each.name: each.read_text() for each in others.iterdir()} == {"z.md": "of others"}


def test_applying_keeps_the_executable_bit_and_line_ends(tmp_path: Path) -> None:
    """Of a script with CRLF that the version changes."""
    folder = a_skill(tmp_path / "csv-report")
    (folder / "scripts/a.sh").write_bytes(b"a\r\nb\r\n")
    before = files_of(load_skill(folder))
    assert apply_files(load_skill(folder), before, {**before, "scripts/a.sh": b"a\r\nc\r\n"}) == ("scripts/a.sh",)
    assert (folder / "scripts/a.sh").read_bytes() == b"a\r\nc\r\n"
    assert (folder / "scripts/a.sh").stat().st_mode & 0o111


def test_a_history_of_another_tool_keeps_its_rows_and_keys(store: Store) -> None:
    """One row is added, the mark of the best moves, unknown keys stay; what is no history is refused."""
    old = {"version": "v1", "parent": "v0", "grading_result": "won", "is_current_best": True, "mine": [1]}
    found = {"started_at": "then", "skill_name": "s", "current_best": "v1", "note": "n", "iterations": [old]}
    store.write("history.json", json.dumps(found).encode())
    row = HistoryRow(version="v2", parent="v1", rate=None, result="won", fingerprint="f", more={"origin": "hand"})
    write_history(store, skill_name="other", started_at="now", rows=[row], best="v2")
    told = json.loads(store.read("history.json") or b"")
    assert (told["started_at"], told["skill_name"], told["note"], told["current_best"]) == ("then", "s", "n", "v2")
    assert told["iterations"][0] == {**old, "is_current_best": False}
    assert told["iterations"][1]["expectation_pass_rate"] is None
    store.write("history.json", b"[]")
    with pytest.raises(SpecError, match="no history of versions"):
        write_history(store, skill_name="s", started_at="now", rows=[row], best="v2")
