"""Many skills from the command line to the files, with an agent that costs nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from command import write_skill
from fake_agent import ANSWERED, a_person

CASES = [{"id": "hello", "prompt": "Say hello.", "assertions": [ANSWERED]}]


def plugins(folder: Path) -> Path:
    """Two skills that can be run, one without evals, one whose evals end in the middle."""
    for name in ("one/skills/alpha", "two/skills/beta"):
        (folder / name).parent.mkdir(parents=True)
        write_skill(folder / name, CASES)
    bare = folder / "two/skills/bare"
    bare.mkdir()
    (bare / "SKILL.md").write_text("---\nname: bare\ndescription: Has no evals.\n---\n")
    (write_skill(folder / "two/skills/torn", CASES) / "evals/evals.json").write_text('{"evals": [{"id"')
    return folder


def runs(portfolio: dict[str, Any]) -> dict[str, dict[str, Any] | None]:
    """By folder of the skill."""
    return {row["folder"]: row["run"] for row in portfolio["rows"]}


def test_a_folder_of_skills_is_run_below_one_ceiling_and_goes_on(tmp_path: Path) -> None:
    """Each in a workspace of its own; no error stops the others, nothing is left out, and the second time nothing is run."""
    person = a_person(tmp_path)
    skills, workspace = plugins(tmp_path / "plugins"), tmp_path / "w"
    command = ("run", skills, "--runs", "1", "--workspace", workspace, "--json")
    done = person.run(*command, "--max-cost", "0.6")
    assert done.returncode == 2, done.stderr
    first = runs(json.loads(done.stdout))
    assert set(first) == {"one/skills/alpha", "two/skills/bare", "two/skills/beta", "two/skills/torn"}
    assert first["two/skills/bare"] is None
    rows = {name: run for name, run in first.items() if run}
    alpha, beta = rows["one/skills/alpha"], rows["two/skills/beta"]
    assert (alpha["cost_usd"], alpha["treatment_rate"], alpha["exit_code"]) == (0.5, 1, 0)
    assert (beta["exit_code"], bool(beta["stopped"])) == (4, True)
    assert "ends in the middle" in rows["two/skills/torn"]["error"]
    assert "4 skills in" in done.stderr
    done = person.run(*command)
    whole = json.loads(done.stdout)
    assert (done.returncode, whole["cost_usd"], whole["n_compared"]) == (2, 1.0, 2)
    assert done.stderr.count("/2 hello/") == 1  # alpha was finished before, and half of beta
    shown = person.run("report", workspace)
    assert shown.returncode == 0, shown.stderr
    assert "bare: no eval file." in shown.stdout
    assert max(map(len, shown.stdout.partition("\n\n")[0].splitlines())) <= 80
    assert "| two/skills/bare | not run |" in (workspace / "portfolio.md").read_text()


def test_what_belongs_to_one_skill_is_refused_and_a_dry_run_starts_nothing(tmp_path: Path) -> None:
    """Case ids and several models; the dry run tells of every skill, with the sum."""
    person = a_person(tmp_path)
    skills = plugins(tmp_path / "plugins")
    for option, value in (("--only", "hello"), ("--model", "a,b")):
        refused = person.run("run", skills, option, value)
        assert refused.returncode == 2
        assert "folder of several" in " ".join(refused.stderr.split())
    told = person.run("run", skills, "--runs", "1", "--dry-run", "--json", "--workspace", tmp_path / "w")
    assert told.returncode == 2
    dry = json.loads(told.stdout)
    assert dry["forecast"]["n_to_run"] == 4
    assert {cell["cell"]: cell["left_out"] for cell in dry["cells"] if "left_out" in cell} == {
        "two/skills/bare": "no eval file. `skilltrial init SKILL` writes a first one."
    }
    assert not (tmp_path / "w").exists()
