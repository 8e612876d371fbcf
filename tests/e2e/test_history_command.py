"""Iterations of a workspace side by side, from the command line, with an agent that costs nothing."""

from __future__ import annotations

import json
from pathlib import Path

from command import write_skill
from fake_agent import ANSWERED, a_person

from skilltrial.testing.workspaces import write_workspace

CASES = [{"id": "hello", "prompt": "Say hello.", "assertions": [ANSWERED]}]


def test_an_imported_iteration_and_two_of_ours_stand_side_by_side(tmp_path: Path) -> None:
    """What changed is said, the page is written, and the JSON has the figures that the reports have."""
    person = a_person(tmp_path)
    truth = write_workspace(tmp_path / "theirs")
    workspace = tmp_path / "w"
    imported = person.run("import", tmp_path / "theirs/workspace", "--out", workspace)
    assert imported.returncode == 0, imported.stderr
    skill = write_skill(tmp_path / "csv-report", CASES)
    for model in ("opus", "haiku"):
        done = person.run("run", skill, "--runs", "1", "--model", model, "--workspace", workspace)
        assert done.returncode == 0, done.stderr
    told = person.run("history", workspace, "--json", "--html", tmp_path / "page.html")
    assert told.returncode == 0, told.stderr
    first, second, third = json.loads(told.stdout)["points"]
    expected = truth["last_iteration"]["with_skill"]["pass_rate_of_graded_runs"]["mean"]
    assert abs(first["row"]["pass_rates"]["with_skill"] - expected) < 1e-6
    assert "suite" in second["changed"]
    assert second["comparable"] is False
    assert (third["changed"], third["comparable"], third["row"]["cost_usd"]) == (["model"], False, 0.5)
    assert "<svg" in (tmp_path / "page.html").read_text()
    shown = person.run("history", workspace)
    assert "3: the comparison is not valid" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
