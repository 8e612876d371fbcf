"""Fresh folders of trials, and what is brought home from them."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from skilltrial.adapters.workspace import harvest
from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.adapters.workspace.place import choose_base
from skilltrial.errors import SpecError, StoreError
from skilltrial.ports import SkillSource, TrialFolders
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import OutputFile

ROOT = ".claude/skills"


def text_file(path: str, content: str) -> CaseFile:
    """A case file with its content in the eval file."""
    return CaseFile(path=path, content=content, sha256=hashlib.sha256(content.encode()).hexdigest())


def disk_file(path: str, source: Path) -> CaseFile:
    """A case file that is copied."""
    return CaseFile(path=path, source=str(source), sha256=hashlib.sha256(source.read_bytes()).hexdigest())


def skill_in(folder: Path, *, name: str = "csv-report", files: tuple[str, ...] = ("SKILL.md",)) -> SkillSource:
    """A skill with a script and an eval file, of which only `files` are to be placed."""
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text("# Body\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "evals" / "evals.json").write_text("{}")
    return SkillSource(name=name, description="d", folder=folder, root=ROOT, files=files)


def visit(
    base: Path,
    act: Callable[[TrialFolders], object],
    *,
    files: tuple[CaseFile, ...] = (),
    skill: SkillSource | None = None,
) -> tuple[TrialFolders, tuple[OutputFile, ...], Path]:
    """Opens folders, lets `act` be the agent, collects, leaves; the third value holds `outputs/` and the patch."""
    place, into = base / "place", base / "into"
    place.mkdir()
    into.mkdir()
    workspace = FolderWorkspace(place)

    async def once() -> tuple[TrialFolders, tuple[OutputFile, ...]]:
        async with workspace.open(files, skill, skill_root=ROOT) as folders:
            act(folders)
            return folders, await workspace.collect(folders, into)

    folders, records = anyio.run(once)
    return folders, records, into


def look(base: Path, see: Callable[[TrialFolders], object], **given: object) -> list[object]:
    """What `see` returns while the folders are there."""
    seen: list[object] = []
    visit(base, lambda folders: seen.append(see(folders)), **given)  # type: ignore[arg-type]
    return seen


def names_in(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def git(work: Path, *arguments: str) -> str:
    """What git says in the agent's folder."""
    env = {"PATH": os.environ["PATH"], "HOME": str(work.parent / "home"), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *arguments], cwd=work, env=env, capture_output=True, text=True, check=True).stdout


def summary(records: tuple[OutputFile, ...]) -> list[tuple[str, str, bool]]:
    """Path, change and whether it was kept."""
    return [(record.path, record.change, record.kept) for record in records]


class TestOpening:
    """What the agent finds."""

    def test_case_files_are_where_the_case_says(self, tmp_path: Path) -> None:
        """From content and from disk, with the executable bit."""
        source = tmp_path / "tool.sh"
        source.write_bytes(b"#!/bin/sh\n\xff")
        source.chmod(0o755)
        files = (text_file("a/b.txt", "héllo\n"), disk_file("bin/tool.sh", source))

        def see(folders: TrialFolders) -> object:
            tool = folders.work / "bin/tool.sh"
            return (folders.work / "a/b.txt").read_text(), tool.read_bytes(), os.access(tool, os.X_OK)

        assert look(tmp_path, see, files=files) == [("héllo\n", b"#!/bin/sh\n\xff", True)]

    def test_folders_are_private_and_gone_afterwards(self, tmp_path: Path) -> None:
        """Nobody else can read them; nothing is left."""
        modes = look(tmp_path, lambda folders: [stat.S_IMODE(path.stat().st_mode) for path in
                     (folders.root, folders.work, folders.home, folders.tmp)])  # fmt: skip
        assert modes == [[0o700] * 4]
        assert list((tmp_path / "place").iterdir()) == []

    def test_names_say_nothing(self, tmp_path: Path) -> None:
        """No path names an evaluation or an arm."""

        def see(folders: TrialFolders) -> object:
            return [
                path.relative_to(tmp_path / "place").as_posix() for path in (folders.work, folders.home, folders.tmp)
            ]

        (paths,) = look(tmp_path, see)
        words = ("skill", "trial", "eval", "with", "base", "arm", "test")
        assert not [path for path in paths if any(word in path for word in words)]  # type: ignore[attr-defined]

    def test_the_skill_is_placed_with_its_listed_files_only(self, tmp_path: Path) -> None:
        """Executable bits are kept; evals stay out of reach."""
        skill = skill_in(tmp_path / "s", files=("SKILL.md", "run.sh"))

        def see(folders: TrialFolders) -> object:
            assert folders.skill is not None
            assert folders.skill.folder == folders.work / ROOT / "csv-report"
            found = sorted(path.name for path in folders.skill.folder.rglob("*"))
            return found, os.access(folders.skill.folder / "run.sh", os.X_OK)

        assert look(tmp_path, see, skill=skill) == [(["SKILL.md", "run.sh"], True)]

    def test_without_a_skill_nothing_is_placed(self, tmp_path: Path) -> None:
        """Not even the folder that it would be in."""
        assert look(tmp_path, lambda folders: names_in(folders.work)) == [[".git"]]

    def test_both_arms_have_the_same_repository(self, tmp_path: Path) -> None:
        """One commit, the same id, nothing to commit, the same exclusions."""
        files = (text_file("x.txt", "x\n"), text_file(".gitignore", "x.txt\n"))

        def see(folders: TrialFolders) -> object:
            exclude = (folders.work / ".git/info/exclude").read_text()
            commands = (["rev-parse", "HEAD"], ["status", "--porcelain"], ["rev-list", "--count", "HEAD"], ["ls-files"])
            return exclude, [git(folders.work, *command) for command in commands]

        (tmp_path / "1").mkdir()
        (tmp_path / "2").mkdir()
        one = look(tmp_path / "1", see, files=files, skill=skill_in(tmp_path / "s"))
        other = look(tmp_path / "2", see, files=files)
        assert one == other
        exclude, (_commit, status, count, listed) = one[0]  # type: ignore[misc]
        assert (exclude, status, count, listed) == ("/.claude/\n", "", "1\n", ".gitignore\nx.txt\n")

    def test_the_agent_can_commit(self, tmp_path: Path) -> None:
        """The repository has a name and an address of its own."""

        def act(folders: TrialFolders) -> None:
            (folders.work / "new.txt").write_text("n\n")
            git(folders.work, "add", ".")
            git(folders.work, "commit", "-q", "-m", "mine")

        _folders, records, _into = visit(tmp_path, act)
        assert summary(records) == [("new.txt", "created", True)]

    @pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", ".git/hooks/pre-commit", ""])
    def test_a_path_that_leaves_the_folder_is_refused(self, tmp_path: Path, path: str) -> None:
        """Whoever made the case."""
        with pytest.raises(SpecError, match="no path inside"):
            visit(tmp_path, lambda _folders: None, files=(text_file(path, "x"),))
        assert list((tmp_path / "place").iterdir()) == []

    def test_a_file_that_changed_since_the_plan_is_refused(self, tmp_path: Path) -> None:
        """All trials get the same files, or none."""
        source = tmp_path / "data.csv"
        source.write_text("old")
        file = disk_file("data.csv", source)
        source.write_text("new")
        with pytest.raises(SpecError, match="not what it was"):
            visit(tmp_path, lambda _folders: None, files=(file,))

    def test_a_skill_file_that_is_a_link_outside_is_refused(self, tmp_path: Path) -> None:
        """Nothing from outside the skill gets to the agent."""
        skill = skill_in(tmp_path / "s", files=("SKILL.md", "key"))
        (tmp_path / "secret").write_text("s")
        (tmp_path / "s" / "key").symlink_to(tmp_path / "secret")
        with pytest.raises(SpecError, match="leaves the skill"):
            visit(tmp_path, lambda _folders: None, skill=skill)

    @pytest.mark.parametrize("name", ["../../evil", "a/b", "..", ""])
    def test_a_name_that_is_no_folder_name_gives_way(self, tmp_path: Path, name: str) -> None:
        """The skill's folder names it then."""
        skill = skill_in(tmp_path / "honest", name=name)
        (found,) = look(tmp_path, lambda folders: folders.skill and folders.skill.folder.name, skill=skill)
        assert found == "honest"


class TestCollecting:
    """What is brought home."""

    def test_created_modified_and_deleted(self, tmp_path: Path) -> None:
        """Each with its change; what stayed as it was is not there."""
        files = (text_file("same.txt", "s\n"), text_file("old.txt", "1\n2\n"), text_file("gone.txt", "g\n"))

        def act(folders: TrialFolders) -> None:
            (folders.work / "old.txt").write_text("1\n3\n")
            (folders.work / "gone.txt").unlink()
            (folders.work / "d").mkdir()
            (folders.work / "d" / "new.txt").write_text("n\n")

        _folders, records, into = visit(tmp_path, act, files=files, skill=skill_in(tmp_path / "s"))
        assert summary(records) == [
            ("d/new.txt", "created", True),
            ("gone.txt", "deleted", False),
            ("old.txt", "modified", True),
        ]
        assert records[0].size == 2
        assert records[0].sha256 == hashlib.sha256(b"n\n").hexdigest()
        assert (into / "outputs/d/new.txt").read_text() == "n\n"
        assert (into / "outputs/old.txt").read_text() == "1\n3\n"
        assert names_in(into) == ["diff.patch", "outputs"]

    def test_the_patch_can_be_applied(self, tmp_path: Path) -> None:
        """It turns the case's files into the outcome, also with odd names and a file that was deleted."""
        files = (text_file("old.txt", "1\n2\n"), text_file("gone.txt", "g\n"))

        def act(folders: TrialFolders) -> None:
            (folders.work / "old.txt").write_text("1\n3\n")
            (folders.work / "gone.txt").unlink()
            (folders.work / "grün name.txt").write_text("n\n")

        _folders, _records, into = visit(tmp_path, act, files=files)
        again = tmp_path / "again"
        again.mkdir()
        (again / "old.txt").write_text("1\n2\n")
        (again / "gone.txt").write_text("g\n")
        subprocess.run(["git", "apply", "-p1", str(into / "diff.patch")], cwd=again, check=True)
        assert {path.name: path.read_text() for path in again.iterdir()} == {
            "old.txt": "1\n3\n",
            "grün name.txt": "n\n",
        }

    def test_nothing_done_is_an_empty_patch(self, tmp_path: Path) -> None:
        """And no outputs."""
        _folders, records, into = visit(tmp_path, lambda _folders: None, files=(text_file("a", "a"),))
        assert records == ()
        assert (into / "diff.patch").read_bytes() == b""

    def test_links_are_reported_and_never_followed(self, tmp_path: Path) -> None:
        """Neither to files nor to folders, whether old or new."""
        (tmp_path / "secret").write_text("secret")
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "inner").write_text("secret")

        def act(folders: TrialFolders) -> None:
            (folders.work / "link").symlink_to(tmp_path / "secret")
            (folders.work / "dir").symlink_to(tmp_path / "folder")
            (folders.work / "old.txt").unlink()
            (folders.work / "old.txt").symlink_to(tmp_path / "secret")

        _folders, records, into = visit(tmp_path, act, files=(text_file("old.txt", "o"),))
        assert summary(records) == [
            ("dir", "created", False),
            ("link", "created", False),
            ("old.txt", "modified", False),
        ]
        assert all("link" in record.note for record in records)
        assert list((into / "outputs").iterdir()) == []
        assert b"secret" not in (into / "diff.patch").read_bytes().replace(str(tmp_path).encode(), b"")

    def test_pipes_are_not_opened(self, tmp_path: Path) -> None:
        """Opening one would wait for ever."""
        _folders, records, _into = visit(tmp_path, lambda folders: os.mkfifo(folders.work / "pipe"))
        assert [(record.path, record.kept, record.note) for record in records] == [
            ("pipe", False, "a named pipe, not opened")
        ]

    def test_odd_names_are_kept_and_can_be_written(self, tmp_path: Path) -> None:
        """Newlines, quotes, and bytes that are no UTF-8, even where two names would become one."""
        names = [b"new\nline.txt", b"quo'te\".txt", b"caf\xe9.txt", b"caf\\xe9.txt", b"-rf", b"$(x)"]

        def act(folders: TrialFolders) -> None:
            for name in names:
                (Path(os.fsdecode(os.fsencode(folders.work) + b"/" + name))).write_bytes(name)

        _folders, records, into = visit(tmp_path, act)
        assert len(records) == len({record.path for record in records}) == len(names)
        for record in records:
            assert record.kept
            OutputFile.model_validate_json(record.model_dump_json())
            assert (into / "outputs" / record.path).is_file()
        assert {(into / "outputs" / record.path).read_bytes() for record in records} == set(names)

    def test_caps_hold(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A file over its cap, and what goes over the total, is listed and not kept."""
        monkeypatch.setattr(harvest, "_MAX_FILE", 1000)
        monkeypatch.setattr(harvest, "_MAX_TOTAL", 1500)

        def act(folders: TrialFolders) -> None:
            for name, size in (("a", 1001), ("b", 900), ("c", 900), ("d", 500)):
                (folders.work / name).write_bytes(b"x" * size)

        _folders, records, into = visit(tmp_path, act)
        assert [(record.path, record.kept) for record in records] == [
            ("a", False),
            ("b", True),
            ("c", False),
            ("d", True),
        ]
        assert names_in(into / "outputs") == ["b", "d"]

    def test_too_many_files_end_the_list(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The last entry says so; files of the case that are still there are not called deleted."""
        monkeypatch.setattr(harvest, "_MAX_FILES", 3)

        def act(folders: TrialFolders) -> None:
            for number in range(9):
                (folders.work / f"f{number}").write_text("x")

        _folders, records, _into = visit(tmp_path, act, files=(text_file("z.txt", "z"),))
        assert summary(records) == [("f0", "created", True), ("f1", "created", True), ("f2", "created", True),
                                    ("…", "created", False)]  # fmt: skip

    def test_a_huge_sparse_file_costs_nothing(self, tmp_path: Path) -> None:
        """Its size is known without reading it."""

        def act(folders: TrialFolders) -> None:
            with (folders.work / "big").open("wb") as file:
                file.truncate(1 << 40)

        _folders, records, _into = visit(tmp_path, act)
        assert [(record.size, record.kept, record.note) for record in records] == [
            (1 << 40, False, "larger than 20 MB")
        ]

    def test_binary_files_are_only_named_in_the_patch(self, tmp_path: Path) -> None:
        """They are kept all the same."""
        _folders, _records, into = visit(tmp_path, lambda folders: (folders.work / "x.bin").write_bytes(b"\0\1\2" * 99))
        assert b"Binary files /dev/null and b/x.bin differ" in (into / "diff.patch").read_bytes()

    def test_a_long_patch_is_cut_and_says_so(self, tmp_path: Path) -> None:
        """At 1 MiB."""

        def act(folders: TrialFolders) -> None:
            for name in ("a", "b", "c"):
                (folders.work / name).write_text("line\n" * 150_000)

        _folders, _records, into = visit(tmp_path, act)
        patch = (into / "diff.patch").read_bytes()
        assert len(patch) < (1 << 20) + 200
        assert patch.endswith(b"# cut: the differences are longer than 1 MiB\n")

    def test_the_agents_git_configuration_is_not_used(self, tmp_path: Path) -> None:
        """A diff program and a converter of the agent's are not run."""

        def act(folders: TrialFolders) -> None:
            (folders.work / ".gitattributes").write_text("* diff=evil filter=evil\n")
            with (folders.work / ".git/config").open("a") as config:
                for part, key in (("diff", "command"), ("diff", "textconv"), ("filter", "clean")):
                    config.write(f'[{part} "evil"]\n{key} = touch {tmp_path}/evil\n')
            (folders.work / "a.txt").write_text("a\n")

        visit(tmp_path, act)
        assert not (tmp_path / "evil").exists()

    def test_a_repository_in_the_folder_is_one_entry(self, tmp_path: Path) -> None:
        """The files of tools are no outputs."""

        def act(folders: TrialFolders) -> None:
            for name in ("sub/.git", "__pycache__"):
                (folders.work / name).mkdir(parents=True)
                (folders.work / name / "x").write_text("x")

        _folders, records, _into = visit(tmp_path, act)
        assert summary(records) == [("__pycache__", "created", False), ("sub/.git", "created", False)]

    def test_folder_replaced_by_a_link_is_not_read(self, tmp_path: Path) -> None:
        """The agent put a link to somewhere else in place of its folder."""
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere" / "secret").write_text("s")

        def act(folders: TrialFolders) -> None:
            folders.work.rename(folders.root / "moved")
            folders.work.symlink_to(tmp_path / "elsewhere")

        _folders, records, into = visit(tmp_path, act, files=(text_file("a", "a"),))
        assert summary(records) == [(".", "modified", False), ("a", "deleted", False)]
        assert list((into / "outputs").iterdir()) == []
        assert (tmp_path / "elsewhere" / "secret").exists()

    def test_the_whole_tree_replaced_is_not_read(self, tmp_path: Path) -> None:
        """Also where the link is further up, and removal leaves its target alone."""
        (tmp_path / "elsewhere" / "work").mkdir(parents=True)
        (tmp_path / "elsewhere" / "work" / "secret").write_text("s")

        def act(folders: TrialFolders) -> None:
            folders.root.rename(tmp_path / "moved")
            folders.root.symlink_to(tmp_path / "elsewhere")

        folders, records, _into = visit(tmp_path, act)
        assert summary(records) == [(".", "modified", False)]
        assert (tmp_path / "elsewhere" / "work" / "secret").exists()
        assert not os.path.lexists(folders.root)

    def test_locked_folders_and_files_are_read_and_removed(self, tmp_path: Path) -> None:
        """Modes are no obstacle (root is not stopped by them anyway)."""

        def act(folders: TrialFolders) -> None:
            (folders.work / "d").mkdir()
            (folders.work / "d" / "f").write_text("f")
            (folders.work / "d" / "f").chmod(0)
            (folders.work / "d").chmod(0)
            folders.work.chmod(0o500)

        _folders, records, _into = visit(tmp_path, act)
        assert summary(records) == [("d/f", "created", True)]
        assert list((tmp_path / "place").iterdir()) == []

    def test_endlessly_deep_folders_are_listed_once_and_removed(self, tmp_path: Path) -> None:
        """Deeper than any path can name. That not all is listed is said."""

        def act(folders: TrialFolders) -> None:
            here = os.open(folders.work, os.O_RDONLY)
            for _ in range(1050):
                os.mkdir("d", dir_fd=here)
                below = os.open("d", os.O_RDONLY, dir_fd=here)
                os.close(here)
                here = below
            os.close(here)

        _folders, records, _into = visit(tmp_path, act)
        deep, rest = records
        assert (deep.kept, deep.note) == (False, "folders too deep")
        assert (rest.path, rest.kept) == ("…", False)
        assert rest.note.endswith("lies too deep; what is below it is not listed")
        assert list((tmp_path / "place").iterdir()) == []

    def test_a_changed_skill_is_no_output(self, tmp_path: Path) -> None:
        """What the agent does to the placed skill is not counted; other skills that it makes are."""

        def act(folders: TrialFolders) -> None:
            assert folders.skill is not None
            (folders.skill.folder / "SKILL.md").write_text("changed")
            (folders.work / ROOT / "new").mkdir()
            (folders.work / ROOT / "new" / "SKILL.md").write_text("new")

        _folders, records, _into = visit(tmp_path, act, skill=skill_in(tmp_path / "s"))
        assert summary(records) == [(".claude/skills/new/SKILL.md", "created", True)]


class TestPlace:
    """Where trials may live."""

    def test_the_temporary_folder_is_taken(self, tmp_path: Path) -> None:
        """Where nothing speaks against it."""
        assert choose_base(None, temporary=tmp_path, home=tmp_path / "home") == tmp_path.resolve()

    @pytest.mark.parametrize("sign", [".claude", "CLAUDE.md", "AGENTS.md", "GEMINI.md", ".git", ".agents"])
    def test_a_project_above_is_refused(self, tmp_path: Path, sign: str) -> None:
        """An agent would read what lies there."""
        (tmp_path / sign).mkdir()
        (tmp_path / "below").mkdir()
        with pytest.raises(StoreError, match=f"has .*{sign}.* above it"):
            choose_base(tmp_path / "below", temporary=tmp_path, home=tmp_path / "home")

    def test_another_folder_is_chosen_where_the_first_lies_in_home(self, tmp_path: Path) -> None:
        """The temporary folder may be set to one in the home."""
        (tmp_path / "home" / "tmp").mkdir(parents=True)
        chosen = choose_base(None, temporary=tmp_path / "home" / "tmp", home=tmp_path / "home")
        assert not chosen.is_relative_to(tmp_path)

    def test_a_wanted_folder_in_home_is_refused_with_the_reason(self, tmp_path: Path) -> None:
        """It says why and what to do."""
        (tmp_path / "home").mkdir()
        with pytest.raises(StoreError, match=r"lies in the home folder.*Set TMPDIR"):
            choose_base(tmp_path / "home", temporary=tmp_path, home=tmp_path / "home")

    def test_home_at_the_root_is_no_obstacle(self, tmp_path: Path) -> None:
        """In some containers HOME is `/`."""
        assert choose_base(tmp_path, temporary=tmp_path, home=Path("/")) == tmp_path.resolve()


def test_a_git_that_hangs_is_an_error_of_the_trials_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such errors are tried again; a defect of ours would end the run."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text("#!/bin/sh\nexec sleep 300\n")
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("skilltrial.adapters.workspace.git._TIMEOUT_S", 0.1)
    with pytest.raises(OSError, match=r"git init did not end within 0\.1 s"):
        visit(tmp_path, lambda _: None)
