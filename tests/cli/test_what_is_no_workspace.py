"""Commands on a workspace, given something else: one clear error, its exit code, and nothing left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from skilltrial.cli.app import make_app
from skilltrial.errors import SkilltrialError

COMMANDS = (
    ("gate", "{}"),
    ("grade", "{}"),
    ("report", "{}"),
    ("report", "{}", "--explain", "openai:m"),
    ("history", "{}"),
    ("power", "{}"),
    ("judge-probe", "{}", "--judge", "openai:m"),
    ("compare", "{}", "--judge", "openai:m"),
    ("analyse", "{}", "--judge", "openai:m"),
    ("baseline", "promote", "{}"),
    ("baseline", "diff", "{}"),
    ("calibration", "{}"),
    ("run", "{}", "--until-decided"),
    ("aa", "{}"),
)


def _nothing(place: Path) -> None:
    """A wrong path."""


def _file(place: Path) -> None:
    place.write_text("")


def _empty(place: Path) -> None:
    place.mkdir()


def _torn(place: Path) -> None:
    (place / "iteration-1").mkdir(parents=True)
    (place / "iteration-1/plan.json").write_bytes(b"")


@pytest.mark.parametrize("make", [_nothing, _file, _empty], ids=lambda make: make.__name__[1:])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_it_is_named_and_left_as_it_was(
    command: tuple[str, ...], make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong path, an empty file, an empty folder: exit code 2, with the place."""
    monkeypatch.setenv("OPENAI_API_KEY", "dummy")
    place = tmp_path / "place"
    make(place)
    before = sorted(tmp_path.rglob("*"))
    found = _error(command, place)
    assert found.exit_code == 2
    assert "place" in str(found)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "command", [each for each in COMMANDS if each[0] not in {"run", "aa", "history"}], ids=" ".join
)
def test_a_torn_plan_is_named(command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty plan.json: exit code 3, with the file; `history` shows the other iterations."""
    monkeypatch.setenv("OPENAI_API_KEY", "dummy")
    _torn(tmp_path / "place")
    found = _error(command, tmp_path / "place")
    assert found.exit_code == 3
    assert "plan.json" in str(found)


def _error(command: tuple[str, ...], place: Path) -> SkilltrialError:
    arguments = [part.format(place) for part in command]
    found = CliRunner().invoke(make_app([command[0]]), arguments, env={"COLUMNS": "80"})
    assert isinstance(found.exception, SkilltrialError), (found.exception, found.output)
    return found.exception


@pytest.mark.parametrize("command", [("grade", "{}"), ("report", "{}", "--explain", "openai:m")], ids=" ".join)
def test_a_folder_that_cannot_be_held(command: tuple[str, ...], tmp_path: Path) -> None:
    """Said at once, before a model is asked. A folder is where the lock goes, which stops root as well."""
    place = tmp_path / "place"
    _torn(place)
    (place / ".lock").mkdir()
    assert _error(command, place).exit_code == 3
