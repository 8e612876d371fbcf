"""A skill as it was at a commit, from a real repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from skilltrial.adapters.workspace.revision import Revision, read_revision
from skilltrial.errors import PlanError

SKILL = "---\nname: tidy\ndescription: Tidies.\n---\n"


class Repository:
    """A repository with one skill in a sub-folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.skill = root / "skills/tidy"
        (self.skill / "scripts").mkdir(parents=True)
        (self.skill / "SKILL.md").write_text(SKILL + "old\n")
        (self.skill / "scripts/go.sh").write_text("#!/bin/sh\n")
        (self.skill / "scripts/go.sh").chmod(0o755)
        self.git("init", "-q", "-b", "main")
        self.commit("v1")
        (self.skill / "SKILL.md").write_text(SKILL + "new\n")
        self.commit("v2")

    def git(self, *arguments: str) -> str:
        """Run git there."""
        argv = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *arguments]
        return subprocess.run(argv, cwd=self.root, check=True, capture_output=True, text=True).stdout

    def commit(self, tag: str) -> None:
        """Everything, with a tag."""
        self.git("add", "--all")
        self.git("commit", "-qm", tag)
        self.git("tag", tag)

    def read(self, ref: str, into: Path, *, path: str | None = None, env: dict[str, str] | None = None) -> Revision:
        """What the skill was."""
        into.mkdir(exist_ok=True)
        environment = {**os.environ, **(env or {})}
        return read_revision(self.skill, ref, path=path, into=into, skips=lambda _: False, env=environment)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Two versions, the newer one checked out."""
    return Repository(tmp_path / "repo")


def test_the_files_of_a_sub_folder_as_they_were(repository: Repository, tmp_path: Path) -> None:
    """Content, executable bits and the commit; the person's files, index and HEAD stay untouched."""
    (repository.skill / "SKILL.md").write_text(SKILL + "not committed\n")
    before = repository.git("status", "--porcelain=v2", "--branch")
    found = repository.read("v1", tmp_path / "out")
    assert found.commit == repository.git("rev-parse", "v1").strip()
    assert (found.path, found.folder) == ("skills/tidy", tmp_path / "out/tidy")
    assert (found.folder / "SKILL.md").read_text() == SKILL + "old\n"
    assert os.access(found.folder / "scripts/go.sh", os.X_OK)
    assert not os.access(found.folder / "SKILL.md", os.X_OK)
    assert repository.git("status", "--porcelain=v2", "--branch") == before
    assert (repository.skill / "SKILL.md").read_text() == SKILL + "not committed\n"


def test_a_work_tree_reads_from_the_repository_that_it_belongs_to(repository: Repository, tmp_path: Path) -> None:
    """`git worktree add` makes a `.git` file, no folder."""
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"), "v2")
    repository.skill = tmp_path / "tree/skills/tidy"
    assert (repository.read("main~1", tmp_path / "out").folder / "SKILL.md").read_text() == SKILL + "old\n"


def test_variables_of_a_hook_do_not_lead_to_another_repository(repository: Repository, tmp_path: Path) -> None:
    """Git sets GIT_DIR and GIT_INDEX_FILE for its hooks."""
    other = {"GIT_DIR": str(tmp_path / "none"), "GIT_INDEX_FILE": str(tmp_path / "none"), "GIT_WORK_TREE": "/"}
    assert repository.read("v1", tmp_path / "out", env=other).path == "skills/tidy"


def test_a_skill_that_was_elsewhere_is_named_by_its_path(repository: Repository, tmp_path: Path) -> None:
    """Moved: not there at the old ref, found under the old path."""
    repository.git("mv", "skills/tidy", "skills/neat")
    repository.commit("v3")
    repository.skill = repository.root / "skills/neat"
    with pytest.raises(PlanError, match=r"no skill at 'v1' \([0-9a-f]{12}\) in 'skills/neat'.*git:REF:PATH"):
        repository.read("v1", tmp_path / "out")
    assert (repository.read("v1", tmp_path / "out", path="skills/tidy").folder / "SKILL.md").exists()


def test_a_skill_that_is_the_whole_repository(tmp_path: Path) -> None:
    """The root has no path of its own; the copy has the folder's name."""
    repository = Repository(tmp_path / "repo")
    (repository.root / "SKILL.md").write_text(SKILL)
    repository.commit("v3")
    repository.skill = repository.root
    found = repository.read("v3", tmp_path / "out")
    assert (found.path, found.folder.name) == ("", "repo")


@pytest.mark.parametrize("ref", ["v9", "--all", "-x", "", "v1:skills", "a b", "v1\n", "v1\0"])
def test_what_is_no_commit_is_refused(repository: Repository, tmp_path: Path, ref: str) -> None:
    """Options are no refs; the message shows what was asked for."""
    with pytest.raises(PlanError, match="there is no commit, tag or branch") as caught:
        repository.read(ref, tmp_path / "out")
    assert repr(ref) in str(caught.value)


def test_a_folder_in_no_repository_is_refused(tmp_path: Path) -> None:
    """With what git says, and what to give instead."""
    with pytest.raises(PlanError, match=r"not a git repository.*--baseline PATH"):
        read_revision(
            tmp_path,
            "v1",
            path=None,
            into=tmp_path,
            skips=lambda _: False,
            env={**os.environ, "GIT_CEILING_DIRECTORIES": "", "HOME": str(tmp_path)},
        )


def test_links_stay_links_and_files_that_agents_never_get_are_left_out(repository: Repository, tmp_path: Path) -> None:
    """No file is written through a link."""
    (repository.skill / "also.md").symlink_to("SKILL.md")
    (repository.skill / "evals").mkdir()
    (repository.skill / "evals/evals.json").write_text("{}")
    repository.commit("v3")
    found = read_revision(
        repository.skill,
        "v3",
        path=None,
        into=tmp_path / "out",
        skips=lambda path: path.startswith("evals/"),
        env=os.environ,
    )
    assert (found.folder / "also.md").readlink() == Path("SKILL.md")
    assert not (found.folder / "evals").exists()


def test_content_that_git_does_not_hold_is_not_taken_for_the_file(repository: Repository, tmp_path: Path) -> None:
    """A pointer of Git LFS stands for a file that is elsewhere."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
    (repository.skill / "data.bin").write_text(pointer)
    repository.commit("v3")
    with pytest.raises(PlanError, match=r"'skills/tidy/data.bin' is kept in Git LFS.*git worktree add"):
        repository.read("v3", tmp_path / "out")


def test_filters_and_hooks_of_the_repository_do_not_run(repository: Repository, tmp_path: Path) -> None:
    """A smudge filter would run on a checkout; reading objects starts nothing."""
    (repository.root / ".gitattributes").write_text("* filter=evil\n")
    repository.git("config", "filter.evil.smudge", f"touch {tmp_path}/ran")
    repository.commit("v3")
    repository.read("v3", tmp_path / "out")
    assert not (tmp_path / "ran").exists()


def test_a_missing_file_is_not_fetched_by_a_program_that_the_repository_names(
    repository: Repository, tmp_path: Path
) -> None:
    """Git would run the `uploadpack` of a partial clone's remote to get it."""
    blob = repository.git("rev-parse", "v1:skills/tidy/SKILL.md").strip()
    (repository.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "evil",
        "remote.evil.url": str(repository.root),
        "remote.evil.promisor": "true",
        "remote.evil.uploadpack": f"touch {tmp_path}/ran; false",
        "protocol.file.allow": "always",
    }.items():
        repository.git("config", key, value)
    with pytest.raises(PlanError, match="is not in this repository"):
        repository.read("v1", tmp_path / "out")
    assert not (tmp_path / "ran").exists()


def test_no_link_is_written_through_a_link(repository: Repository, tmp_path: Path) -> None:
    """A tree made by hand has the same name twice: a link to elsewhere, and a folder with a link in it."""
    (tmp_path / "target").mkdir()

    def store(kind: str, data: bytes) -> bytes:
        argv = ["git", "hash-object", "-w", "--literally", "-t", kind, "--stdin"]
        name = subprocess.run(argv, cwd=repository.root, input=data, check=True, capture_output=True).stdout
        return bytes.fromhex(name.decode().strip())

    skill, link = store("blob", SKILL.encode()), store("blob", os.fsencode(tmp_path / "target"))
    folder = store("tree", b"120000 planted\0" + link)
    tree = store("tree", b"100644 SKILL.md\0" + skill + b"120000 a\0" + link + b"40000 a\0" + folder)
    commit = repository.git("commit-tree", "-m", "made", tree.hex()).strip()
    with pytest.raises(PlanError, match="through a link"):
        repository.read(commit, tmp_path / "out", path="")
    assert list((tmp_path / "target").iterdir()) == []


def test_what_is_too_large_is_refused_before_it_is_read(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the largest file."""
    monkeypatch.setattr("skilltrial.adapters.workspace.revision._MOST_BYTES", 10)
    with pytest.raises(PlanError, match=r"the largest file is 'skills/tidy/SKILL.md'"):
        repository.read("v1", tmp_path / "out")
    assert not (tmp_path / "out/tidy").exists()
