"""What `[judge]` of skilltrial.toml says: taken where the command line is silent, and said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skilltrial.cli.settings_use import use_settings
from skilltrial.errors import SpecError

PANEL = '[judge]\nmodels = ["openai:a", "anthropic:b"]\nsamples = 3\nprompt = "judge.md"\n'


def _skill(folder: Path, settings: str) -> Path:
    (folder / "skill").mkdir()
    (folder / "skilltrial.toml").write_text(settings)
    return folder / "skill"


def test_a_panel_of_the_file_judges_and_is_said(tmp_path: Path) -> None:
    """With its samples, and its prompt from beside the file, wherever the command is given."""
    used = use_settings(_skill(tmp_path, PANEL), None, asked={}, arms=False)
    assert (used.judge, used.judge_samples) == ("openai:a,anthropic:b", 3)
    assert (used.judge_prompt, used.names_judge) == (tmp_path / "judge.md", True)
    said = f"judge openai:a,anthropic:b, judge samples 3, judge prompt {tmp_path / 'judge.md'}"
    assert used.line == f"settings of {tmp_path / 'skilltrial.toml'}: {said}"


def test_the_command_line_wins_one_by_one(tmp_path: Path) -> None:
    """Another judge is asked as often as the file says."""
    asked: dict[str, Any] = {"judge": "openai:c", "judge_prompt": Path("own.md")}
    used = use_settings(_skill(tmp_path, PANEL), None, asked=asked, arms=False)
    assert (used.judge, used.judge_samples, used.judge_prompt) == ("openai:c", 3, Path("own.md"))
    assert not used.names_judge


def test_without_a_judge_nothing_of_it_is_taken(tmp_path: Path) -> None:
    """A file that says only how to ask asks nobody."""
    used = use_settings(_skill(tmp_path, "[judge]\nsamples = 3\n"), None, asked={}, arms=False)
    assert (used.judge, used.judge_samples, used.line) == (None, None, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[judge]\nmodel = "openai:a"\n', r"'judge\.model' .*Did you mean 'models'\?"),
        ('[judge]\nmodels = "openai:a"\n', r"judge\.models is 'openai:a'"),
        ("[judge]\nsamples = 0\n", r"judge\.samples is 0"),
        ('[run]\njudge = "openai:b"\n[judge]\nmodels = ["openai:a"]\n', r"run\.judge is 'openai:b', but judge\.models"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    """The file, the key and the value."""
    with pytest.raises(SpecError, match=problem):
        use_settings(_skill(tmp_path, text), None, asked={}, arms=False)
