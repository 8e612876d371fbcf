"""What a run takes from skilltrial.toml."""

from __future__ import annotations

from pathlib import Path

from skilltrial.cli.settings_use import settings_line, taken, use_settings
from skilltrial.records.settings import RunSettings

TOLD = RunSettings(runs=5, harness="codex", model="big", judge="openai:m")


def test_only_what_the_command_line_leaves_open_is_taken_and_said() -> None:
    """A judge that costs money is in the line."""
    used = taken(TOLD, {"runs": 1, "harness": None})
    assert used == RunSettings(harness="codex", model="big", judge="openai:m")
    line = settings_line(Path("/r/skilltrial.toml"), used, ["a", "b"])
    assert line == "settings of /r/skilltrial.toml: harness codex, model big, judge openai:m, arms a, b"


def test_a_model_goes_with_its_harness() -> None:
    """Another harness on the command line does not get it."""
    assert taken(TOLD, {"harness": "builtin"}).model is None
    assert taken(TOLD, {"harness": "codex"}).model == "big"


def test_nothing_taken_is_nothing_said() -> None:
    """An empty file, and none."""
    assert settings_line(Path("/r/skilltrial.toml"), RunSettings(), []) == ""
    assert settings_line(None, RunSettings(), []) == ""


def _skill(folder: Path, settings: str) -> Path:
    (folder / "skill").mkdir()
    (folder / "skilltrial.toml").write_text(settings)
    return folder / "skill"


def test_the_command_line_wins_over_the_file_and_the_file_over_the_default(tmp_path: Path) -> None:
    """Also a zero, which is then refused rather than taken for nothing."""
    skill = _skill(tmp_path, "[run]\nruns = 5\ntimeout = 7\n")
    used = use_settings(skill, None, asked={"runs": 0, "seed": None}, arms=False)
    assert (used.runs, used.timeout, used.seed, used.concurrency) == (0, 7.0, 1, 4)


def test_the_file_names_the_agent_where_its_word_is_taken(tmp_path: Path) -> None:
    """A project's own described agent is only started where the person, or a file that they named, asks for it."""
    skill = _skill(tmp_path, '[run]\nharness = "codex"\nmodel = "big"\n')
    assert use_settings(skill, None, asked={}, arms=False).names_agent
    assert not use_settings(skill, None, asked={"harness": "codex"}, arms=False).names_agent
