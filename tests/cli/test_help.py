"""What `--help` says."""

from __future__ import annotations

import pytest
from typer.main import get_group
from typer.testing import CliRunner

from skilltrial.cli import baseline, harness, history, skill
from skilltrial.cli.app import make_app

GROUPS = {"harness": harness.app, "baseline": baseline.app, "skill": skill.app, "history": history.app}
COMMANDS = [
    *([name] for name in sorted(get_group(make_app()).commands) if name not in GROUPS),
    *([name, inner] for name, app in GROUPS.items() for inner in sorted(get_group(app).commands)),
]


def _help(*command: str) -> str:
    return CliRunner().invoke(make_app(), [*command, "--help"], env={"COLUMNS": "80"}).stdout


def test_each_command_is_said_in_one_whole_line() -> None:
    """None is cut at 80 columns."""
    assert "..." not in _help().replace("[ARGS]...", "")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_output_for_programs(command: list[str]) -> None:
    """By the same name."""
    assert "--json" in _help(*command)


@pytest.mark.parametrize("command", ["convert", "import", "export", "package"])
def test_what_writes_takes_the_place_by_the_same_name(command: str) -> None:
    """`--out`, whether it is a file or a folder."""
    assert "--out" in _help(command)
