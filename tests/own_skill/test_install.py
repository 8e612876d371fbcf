"""`skilltrial skill install`: whole copies where agents look, and nobody's changes lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from skilltrial.cli.app import make_app
from skilltrial.errors import SkilltrialError
from skilltrial.own_skill.place import own_skill

FILES = ["SKILL.md", *sorted(f"references/{path.name}" for path in (own_skill() / "references").iterdir())]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and an empty project as the current folder."""
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "home"


def _install(*arguments: str) -> Result:
    return CliRunner().invoke(make_app(["skill"]), ["skill", "install", *arguments])


def _action(*arguments: str) -> str:
    done = _install(*arguments, "--json")
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)["action"]


def _refusal(*arguments: str) -> SkilltrialError:
    error = _install(*arguments).exception
    assert isinstance(error, SkilltrialError), error
    return error


def _files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("agent", "of_a_person", "of_a_project"),
    [
        ("claude-code", ".claude/skills", ".claude/skills"),
        ("codex", ".agents/skills", ".agents/skills"),
        ("copilot-cli", ".agents/skills", ".agents/skills"),
        ("gemini-cli", ".gemini/skills", ".gemini/skills"),
        ("kimi-code", ".kimi-code/skills", ".kimi-code/skills"),
        ("mistral-vibe", ".vibe/skills", ".agents/skills"),
        ("opencode", ".config/opencode/skills", ".opencode/skills"),
        ("pi", ".agents/skills", ".agents/skills"),
        ("qwen-code", ".qwen/skills", ".qwen/skills"),
    ],
)
def test_each_agent_gets_it_where_it_looks(home: Path, agent: str, of_a_person: str, of_a_project: str) -> None:
    """All files but evals/, byte for byte, for a person and for a project."""
    assert _action("--agent", agent) == "installed"
    assert _action("--agent", agent, "--project") == "installed"
    for folder in (home / of_a_person / "skilltrial", Path.cwd() / of_a_project / "skilltrial"):
        assert _files(folder) == sorted([".skilltrial", *FILES])
        assert all((folder / name).read_bytes() == (own_skill() / name).read_bytes() for name in FILES)


def test_claude_codes_own_variable_is_followed(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLAUDE_CONFIG_DIR stands for ~/.claude."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    assert _action() == "installed"
    assert _files(tmp_path / "config/skills/skilltrial") == sorted([".skilltrial", *FILES])
    assert not (home / ".claude").exists()


def test_a_second_time_nothing_is_written(home: Path) -> None:
    """It says so, and leaves nothing beside the copy."""
    assert _action() == "installed"
    file = home / ".claude/skills/skilltrial/SKILL.md"
    before = file.stat()
    assert "up to date" in _install().stdout
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [path.name for path in (home / ".claude/skills").iterdir()] == ["skilltrial"]


def test_an_old_copy_that_nobody_changed_is_updated(home: Path) -> None:
    """What an earlier version wrote, and this one has no more, goes."""
    folder = home / ".claude/skills/skilltrial"
    folder.mkdir(parents=True)
    (folder / "OLD.md").write_text("old\n")
    # sha256 of "old\n", from sha256sum.
    digest = "01d09d19c2139a46aebfb577780d123d7396e97201bc7ead210a2ebff8239dee"
    (folder / ".skilltrial").write_text(json.dumps({"schema_version": 1, "files": {"OLD.md": digest}}))
    assert _action() == "updated"
    assert _files(folder) == sorted([".skilltrial", *FILES])


@pytest.mark.parametrize("name", ["SKILL.md", "references/mine.md", "evals/evals.json"])
def test_a_changed_copy_stays_unless_forced(home: Path, name: str) -> None:
    """A changed file, a new one, and what no agent would see; the error names it."""
    assert _action() == "installed"
    mine = home / ".claude/skills/skilltrial" / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine\n")
    error = _refusal()
    assert (error.code, error.exit_code) == ("skill-changed", 2)
    assert repr(name) in str(error)
    assert mine.read_text() == "mine\n"
    assert _action("--force") == "replaced"
    assert _files(mine.parents[name.count("/")]) == sorted([".skilltrial", *FILES])


def test_somebody_elses_skill_of_this_name_stays(home: Path) -> None:
    """Nothing says that it is ours."""
    other = home / ".claude/skills/skilltrial/SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text("other\n")
    assert _refusal().code == "skill-changed"
    assert other.read_text() == "other\n"


@pytest.mark.parametrize("link", [".claude", ".claude/skills", ".claude/skills/skilltrial"])
def test_links_are_not_followed(home: Path, tmp_path: Path, link: str) -> None:
    """Whether on the way or at its end: nothing is written behind them, also not with --force."""
    (tmp_path / "elsewhere").mkdir()
    (home / link).parent.mkdir(parents=True, exist_ok=True)
    (home / link).symlink_to(tmp_path / "elsewhere")
    assert _refusal("--force").code == "link"
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_dry_run_writes_nothing(home: Path) -> None:
    """It says where it would be."""
    assert ".claude/skills/skilltrial: would be installed" in _install("--dry-run").stdout
    assert list(home.iterdir()) == []


def test_a_failure_in_the_middle_leaves_the_old_copy(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rename to its place fails: what was there is there again, and nothing else."""
    assert _action() == "installed"
    folder = home / ".claude/skills/skilltrial"
    (folder / "SKILL.md").write_text("mine\n")
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    assert _refusal("--force").exit_code == 3
    assert (folder / "SKILL.md").read_text() == "mine\n"
    assert [path.name for path in folder.parent.iterdir()] == ["skilltrial"]


def test_agents_without_a_folder_of_skills_are_refused(home: Path) -> None:
    """With what to do; --to names the folder itself."""
    assert _refusal("--agent", "mini-swe-agent").code == "no-skills"
    assert _refusal("--agent", "nobody").code == "unknown-agent"
    assert _refusal("--agent", "codex", "--to", "x").code == "options"
    assert _action("--to", "x") == "installed"
    assert _files(Path.cwd() / "x/skilltrial") == sorted([".skilltrial", *FILES])
