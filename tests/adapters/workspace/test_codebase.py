"""What agents work in is a copy: all of a folder or a commit, and nothing that they may not find."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from skilltrial.adapters.workspace.codebase import CodebaseCopy, CodebaseSource, copy_codebase
from skilltrial.errors import PlanError
from skilltrial.records.suite import Codebase

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}
SKILL = "---\nname: {name}\ndescription: D.\n---\nText\n"


def git(folder: Path, *arguments: str) -> str:
    """What git prints, run by somebody of any name."""
    who = ("-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit with a script, a text with Windows line ends, and a rule that would change these."""
    folder = tmp_path / "code"
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.txt").write_bytes(b"a\r\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / ".gitattributes").write_text("*.txt -text\n")
    (folder / ".gitignore").write_text("built/\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "First")
    return folder


def copy(
    codebase: Codebase, tmp_path: Path, *, hidden: tuple[Path, ...] = (), skills: frozenset[str] = frozenset()
) -> tuple[CodebaseCopy, Path]:
    """A copy, and where it lies."""
    place = tmp_path / f"copy-{len(list(tmp_path.iterdir()))}"
    (place / "scratch").mkdir(parents=True)
    source = CodebaseSource(codebase=codebase, beside=tmp_path, hidden=hidden, skill_names=skills)
    return copy_codebase(source, into=place / "files", scratch=place / "scratch", env=ENV), place / "files"


def paths(folder: Path) -> set[str]:
    """All files below a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}


def test_a_folder_in_git_gives_what_git_tracks_or_does_not_ignore(repository: Path, tmp_path: Path) -> None:
    """As it lies there now: changed, new and removed files, and no commit that would have them."""
    (repository / "built").mkdir()
    (repository / "built/x.o").write_text("x")
    (repository / "new.txt").write_text("new\n")
    (repository / "run.sh").unlink()
    found, folder = copy(Codebase(path=str(repository)), tmp_path)
    assert paths(folder) == {".gitattributes", ".gitignore", "new.txt", "src/a.txt"}
    assert (found.n_files, found.commit, found.source) == (4, None, str(repository))


def test_a_clean_folder_is_that_of_its_commit(repository: Path, tmp_path: Path) -> None:
    """The commit is told, and a fetched copy of it has the same digest: bytes and executable bits are alike."""
    commit = git(repository, "rev-parse", "HEAD")
    local, _ = copy(Codebase(path=str(repository)), tmp_path)
    fetched, folder = copy(Codebase(url=str(repository), ref="main"), tmp_path)
    assert local.commit == fetched.commit == commit
    assert local.digest == fetched.digest
    assert (folder / "src/a.txt").read_bytes() == b"a\r\n"
    assert (folder / "run.sh").stat().st_mode & 0o111 == 0o111


@pytest.mark.parametrize("named", ["tag", "whole", "short"])
def test_a_ref_is_a_tag_or_a_commit_too(repository: Path, tmp_path: Path, named: str) -> None:
    """Of an older commit than the branch's; a short name is looked for in the whole history."""
    old = git(repository, "rev-parse", "HEAD")
    git(repository, "tag", "v1")
    (repository / "later.txt").write_text("later\n")
    git(repository, "add", "--all")
    git(repository, "commit", "-qm", "Second")
    ref = {"tag": "v1", "whole": old, "short": old[:9]}[named]
    found, folder = copy(Codebase(url=repository.as_uri(), ref=ref), tmp_path)
    assert found.commit == old
    assert not (folder / "later.txt").exists()


def test_a_folder_without_git_gives_all_of_it(tmp_path: Path) -> None:
    """Hidden files too."""
    (tmp_path / "code/deep").mkdir(parents=True)
    (tmp_path / "code/deep/.hidden").write_text("x")
    _, folder = copy(Codebase(path=str(tmp_path / "code")), tmp_path)
    assert paths(folder) == {"deep/.hidden"}


def test_no_link_leads_out(tmp_path: Path) -> None:
    """A link to a file inside becomes that file; others are left out, and that is told."""
    code = tmp_path / "code"
    (code / "sub").mkdir(parents=True)
    (code / "AGENTS.md").write_text("be kind\n")
    (tmp_path / "secret").write_text("secret\n")
    (code / "CLAUDE.md").symlink_to("AGENTS.md")
    (code / "out").symlink_to(tmp_path / "secret")
    (code / "up").symlink_to("..")
    (code / "nowhere").symlink_to("missing")
    found, folder = copy(Codebase(path=str(code)), tmp_path)
    assert paths(folder) == {"AGENTS.md", "CLAUDE.md"}
    assert (folder / "CLAUDE.md").read_text() == "be kind\n"
    assert not (folder / "CLAUDE.md").is_symlink()
    assert found.remarks == (
        "3 × a link that leads nowhere inside, to a folder, or to what is left out: 'nowhere' and others",
    )


def test_the_skill_under_trial_is_in_no_copy(tmp_path: Path) -> None:
    """By its folder's name or its own, wherever agents look for skills; others are a part of the task."""
    code = tmp_path / "code"
    for place, name in ((".claude/skills/pdf", "pdf"), ("x/skills/tools", "pdf"), (".agents/skills/csv", "csv")):
        (code / place).mkdir(parents=True)
        (code / place / "SKILL.md").write_text(SKILL.format(name=name))
        (code / place / "more.md").write_text("more")
    (code / "link.md").symlink_to("x/skills/tools/SKILL.md")
    found, folder = copy(Codebase(path=str(code)), tmp_path, skills=frozenset({"pdf"}))
    assert paths(folder) == {".agents/skills/csv/SKILL.md", ".agents/skills/csv/more.md"}
    assert found.left_out == (".claude/skills/pdf", "x/skills/tools")


def test_what_is_hidden_is_left_out_where_it_lies_inside(tmp_path: Path) -> None:
    """The skill's folder with its evals; a skill that the codebase lies in hides nothing of it."""
    skill = tmp_path / "code/pdf"
    (skill / "evals/app").mkdir(parents=True)
    (skill / "evals/app/main.py").write_text("x")
    (skill / "SKILL.md").write_text(SKILL.format(name="pdf"))
    (tmp_path / "code/a.txt").write_text("x")
    around, folder = copy(Codebase(path=str(tmp_path / "code")), tmp_path, hidden=(skill,))
    assert (paths(folder), around.left_out) == ({"a.txt"}, ("pdf",))
    inside, folder = copy(Codebase(path=str(skill / "evals/app")), tmp_path, hidden=(skill,))
    assert (paths(folder), inside.left_out) == ({"main.py"}, ())


def test_submodules_and_pointers_are_told(repository: Path, tmp_path: Path) -> None:
    """Their content is not there, which an author has to know."""
    (repository / "big.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    git(repository, "submodule", "add", "-q", str(repository), "sub")
    git(repository, "add", "--all")
    git(repository, "commit", "-qm", "More")
    found, folder = copy(Codebase(url=str(repository), ref="main"), tmp_path)
    assert "sub/run.sh" not in paths(folder)
    assert found.remarks == (
        "submodules, which are not fetched",
        "1 × a file whose content is in Git LFS (agents get the pointer): 'big.bin'",
    )


def test_the_evals_are_not_in_a_repository_that_has_them_too(repository: Path, tmp_path: Path) -> None:
    """Fetched, it lies elsewhere; what is expected lies beside them. Others' evals of the same name stay."""
    for folder, text in (("evals", "{}"), ("other/evals", "[]")):
        (repository / folder).mkdir(parents=True)
        (repository / folder / "evals.json").write_text(text)
        (repository / folder / "expected.txt").write_text("42")
    git(repository, "add", "--all")
    git(repository, "commit", "-qm", "Evals")
    own = repository / "evals/evals.json"
    found, folder = copy(Codebase(url=str(repository), ref="main"), tmp_path, hidden=(own,))
    assert found.left_out == ("evals",)
    assert {path for path in paths(folder) if "evals" in path} == {"other/evals/evals.json", "other/evals/expected.txt"}


@pytest.mark.parametrize(
    ("settings", "lost"),
    [
        ({"filter.evil.clean": "{run}"}, False),
        ({"filter.evil.process": "{run}"}, False),
        ({"filter.a=b.clean": "{run}"}, False),
        ({"include.path": "{tmp}/more"}, False),
        ({"remote.evil.url": "{tmp}", "remote.evil.uploadpack": "{run}; false"}, True),
        ({"remote.evil.url": "ssh://h/x", "core.sshCommand": "{run}; false"}, True),
    ],
)
def test_looking_at_a_folder_runs_no_program_that_its_repository_names(
    repository: Path, tmp_path: Path, settings: dict[str, str], *, lost: bool
) -> None:
    """Git asks filters whether a file was changed, and a partial clone's remote for an object that is not there."""
    (repository / ".gitattributes").write_text("*.txt filter=evil\nrun.sh filter=a=b\n")
    git(repository, "commit", "-qam", "Second")
    values = {"run": f"touch {tmp_path}/ran", "tmp": str(tmp_path)}
    (tmp_path / "more").write_text('[filter "evil"]\n\tclean = "{run}"\n'.format(**values))
    for key, value in settings.items():
        git(repository, "config", key, value.format(**values))
    for name in ("src/a.txt", "run.sh"):
        (repository / name).write_text("changed")
    if lost:
        tree = git(repository, "rev-parse", "HEAD^{tree}")
        (repository / ".git/objects" / tree[:2] / tree[2:]).unlink()
        for key, value in (("core.repositoryformatversion", "1"), ("extensions.partialClone", "evil")):
            git(repository, "config", key, value)
    found, _ = copy(Codebase(path=str(repository)), tmp_path)
    assert not (tmp_path / "ran").exists()
    assert found.commit is None


def test_a_digest_tells_content_names_and_rights_apart(tmp_path: Path) -> None:
    """And nothing else: a folder that was moved has the same one."""
    digests: list[str] = []
    for number, (name, text, mode) in enumerate(
        [("a", "x", 0o644), ("a", "x", 0o600), ("a", "y", 0o644), ("b", "x", 0o644), ("a", "x", 0o755)]
    ):
        code = tmp_path / f"code-{number}"
        code.mkdir()
        (code / name).write_text(text)
        (code / name).chmod(mode)
        digests.append(copy(Codebase(path=str(code)), tmp_path)[0].digest)
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


@pytest.mark.parametrize(
    ("codebase", "parts"),
    [
        (Codebase(path="{tmp}/missing"), ["{tmp}/missing", "is not there, or is no folder", "eval file's folder"]),
        (Codebase(path="{tmp}/empty"), ["{tmp}/empty", "has no files"]),
        (Codebase(url="{tmp}/code", ref="nothing"), ["{tmp}/code at nothing", "cannot be fetched", "nothing"]),
        (Codebase(url="{tmp}/code", ref="0123abcd"), ["cannot be fetched", "this branch, tag or commit"]),
        (Codebase(url="{tmp}/missing", ref="main"), ["{tmp}/missing at main", "cannot be fetched"]),
        (Codebase(url="{tmp}/code", ref="--upload-pack=x"), ["can be no branch, tag or commit"]),
        (Codebase(url="ext::sh -c x", ref="main"), ["cannot be fetched", "not allowed"]),
    ],
)
def test_each_mistake_is_one_clear_message(
    repository: Path, tmp_path: Path, codebase: Codebase, parts: list[str]
) -> None:
    """What, where, and what to look at."""
    assert repository.exists()
    (tmp_path / "empty").mkdir()
    fields = {key: value.format(tmp=tmp_path) for key, value in codebase.model_dump(exclude_none=True).items()}
    with pytest.raises(PlanError) as caught:
        copy(Codebase(**fields), tmp_path)
    for part in parts:
        assert part.format(tmp=tmp_path) in str(caught.value)


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every trial would get a copy of it; the message names the file at which it was too much."""
    monkeypatch.setattr("skilltrial.adapters.workspace.codebase._MOST_FILES", 2)
    (tmp_path / "code").mkdir()
    for name in "abc":
        (tmp_path / "code" / name).write_text("x")
    with pytest.raises(PlanError, match=r"more than 2 files or 500 MB \(reached at 'c'\)"):
        copy(Codebase(path=str(tmp_path / "code")), tmp_path)


def test_no_password_gets_into_a_record(tmp_path: Path) -> None:
    """Nor into the message about an address that cannot be reached."""
    with pytest.raises(PlanError) as caught:
        copy(Codebase(url="https://me:hunter2@localhost:1/x.git", ref="main"), tmp_path)
    assert "https://localhost:1/x.git at main" in str(caught.value)
    assert "hunter2" not in str(caught.value)
