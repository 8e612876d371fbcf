"""What `skilltrial history` prints of an iteration that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from skilltrial.cli.app import make_app


@pytest.mark.parametrize("depth", [1, 12])
def test_the_whole_reason_is_printed(tmp_path: Path, depth: int) -> None:
    """A torn plan: its place, what is wrong with it, and what to do, however long the workspace's path is."""
    workspace = tmp_path.joinpath(*["a-folder-with-a-long-name"] * depth)
    plan = workspace / "iteration-1/plan.json"
    plan.parent.mkdir(parents=True)
    plan.write_text('{"skill": ')
    done = CliRunner().invoke(make_app(["history"]), ["history", str(workspace)])
    said = " ".join(done.stdout.split())
    assert done.exit_code == 0
    assert (
        "1: iteration-1/plan.json: this plan cannot be read (Invalid JSON: EOF while parsing a value at line 1 column 10)."
        in said
    )
    assert said.endswith("use --iteration new.")
