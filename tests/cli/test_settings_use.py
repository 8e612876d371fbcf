"""What a run takes from skilltrial.toml."""

from __future__ import annotations

from pathlib import Path

from skilltrial.cli.settings_use import settings_line, taken
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
