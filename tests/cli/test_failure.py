"""From exceptions to one paragraph and an exit code."""

from __future__ import annotations

import pytest
import typer

from skilltrial.cli.failure import guarded


def app_that_raises(error: BaseException) -> typer.Typer:
    """A command line whose only command ends so."""
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

    @app.command()
    def work() -> None:
        raise error

    return app


@pytest.mark.parametrize(("error", "said"), [(KeyboardInterrupt(), "skilltrial: stopped.\n"), (typer.Exit(130), "")])
def test_ctrl_c_is_said_once(
    error: BaseException, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By whoever the interrupt reaches last: a command that leaves with 130 by itself has said what is kept."""
    monkeypatch.setattr("sys.argv", ["skilltrial"])
    assert guarded(app_that_raises(error)) == 130
    assert capsys.readouterr().err == said
