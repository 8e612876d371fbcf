"""Arms with settings of their own, and matrices: from the command line to the files, with an agent that costs nothing."""

from __future__ import annotations

import json
from pathlib import Path

from command import SKILL, write_skill
from fake_agent import ANSWERED, a_person

CASES = [{"id": "hello", "prompt": "Say hello.", "assertions": [ANSWERED]}]
_NOTES = 'cat > got.txt; echo "mode=$MODE word=$WORD" >> got.txt; ls .claude/skills >> got.txt 2>/dev/null'


def test_arms_differ_in_what_they_declare_and_in_nothing_else(tmp_path: Path) -> None:
    """Prefix, variables and sibling reach the agent of that arm alone; the person's value is in no file, of graders neither."""
    person = a_person(tmp_path)
    agent = tmp_path / "agent"
    agent.write_text(agent.read_text().replace("cat > /dev/null", _NOTES))
    (tmp_path / "found.txt").write_text("the word is xyzzy-plugh-31")
    tells = {"id": "tells", "type": "command_check", "command": f"cat {tmp_path}/found.txt >&2; exit 3"}
    skill = write_skill(tmp_path / "csv-report", [{**CASES[0], "assertions": [ANSWERED, tells]}])
    (tmp_path / "other").mkdir()
    (tmp_path / "other/SKILL.md").write_text(SKILL.replace("csv-report", "other"))
    settings = tmp_path / "arms.toml"
    settings.write_text(
        '[arms.plain]\nrole = "baseline"\n[arms.rich]\nbeside = ["other"]\nprompt_prefix = "Think first."\n'
        'env = { MODE = "fast", WORD = "$MY_WORD" }\n'
    )
    person.variables["MY_WORD"] = "xyzzy-plugh-31"
    workspace = tmp_path / "w"
    done = person.run("run", skill, "--config", settings, "--runs", "1", "--workspace", workspace, "--json")
    assert done.returncode == 0, done.stderr
    benchmark = json.loads(done.stdout)
    case = workspace / "iteration-1/eval-hello"
    rich = (case / "rich/run-1/outputs/got.txt").read_text()
    plain = (case / "plain/run-1/outputs/got.txt").read_text()
    assert plain == "Say hello.mode= word=\ncsv-report\n"
    assert rich == "Think first.\n\nSay hello.mode=fast word=***\ncsv-report\nother\n"
    assert (workspace / "iteration-1/beside/rich/other/SKILL.md").is_file()
    arms = {arm["name"]: arm for arm in benchmark["metadata"]["arms"]}
    assert arms["rich"]["env"] == {"MODE": "fast", "WORD": "$MY_WORD"}
    assert "the word is ***" in (case / "rich/run-1/grading.json").read_text()
    assert person.run("grade", workspace, "--force").returncode == 0
    assert "the word is ***" in (case / "rich/run-1/grading.json").read_text()
    kept = [path for path in workspace.rglob("*") if path.is_file() and b"xyzzy" in path.read_bytes()]
    assert kept == []
    page = (workspace / "iteration-1/benchmark.md").read_text()
    assert (
        "The arms differ in: the skills beside (other, none); the words before the prompt; the variables (MODE, WORD)."
        in page
    )


def test_arms_that_differ_in_the_skill_and_something_else_are_told_so_once(tmp_path: Path) -> None:
    """One sentence of the report, in the page too, and no second account of the same."""
    person = a_person(tmp_path)
    skill = write_skill(tmp_path / "csv-report", CASES)
    settings = tmp_path / "arms.toml"
    settings.write_text(
        '[arms.plain]\nskill = "none"\nrole = "baseline"\n[arms.rich]\nprompt_prefix = "Think first."\n'
    )
    workspace = tmp_path / "w"
    done = person.run("run", skill, "--config", settings, "--runs", "1", "--workspace", workspace)
    assert done.returncode == 0, done.stderr
    for text in (
        done.stdout,
        *((workspace / "iteration-1" / name).read_text() for name in ("benchmark.md", "report.html")),
    ):
        said = " ".join(text.split())
        assert said.count("rich and plain differ in the skill and in the words before the prompt") == 1
        assert "arms differ in" not in said


def test_a_matrix_runs_every_combination_and_goes_on_where_one_stopped(tmp_path: Path) -> None:
    """Two models in workspaces of their own and one table; a ceiling for both; the second time nothing is run."""
    person = a_person(tmp_path)
    skill = write_skill(tmp_path / "csv-report", CASES)
    workspace = tmp_path / "w"
    command = ("run", skill, "--model", "opus,haiku", "--runs", "1", "--workspace", workspace, "--json")
    done = person.run(*command, "--max-cost", "0.6")
    assert done.returncode == 4, done.stderr
    first, second = json.loads(done.stdout)["cells"]
    assert (first["name"], first["word"], first["cost_usd"]) == ("claude-code--opus", "cannot tell", 0.5)
    assert (first["treatment_rate"], first["baseline_rate"]) == (1, 1)
    assert (second["exit_code"], second["error"]) == (4, "")
    done = person.run(*command)
    assert done.returncode == 0, done.stderr
    cells = json.loads((workspace / "matrix.json").read_text())["cells"]
    assert [(cell["model"], cell["cost_usd"], cell["exit_code"]) for cell in cells] == [
        ("opus", 0.5, 0),
        ("haiku", 0.5, 0),
    ]
    for cell in cells:
        (plan,) = Path(cell["workspace"]).glob("iteration-*/plan.json")
        assert json.loads(plan.read_text())["harness"]["model"] == cell["model"]
    assert "| claude-code, haiku | cannot tell |" in (workspace / "matrix.md").read_text()
    again = person.run(*command[:-1], "--runs", "2", "--dry-run")
    assert again.returncode == 0, again.stderr
    assert "2 runs together\n  to run: 8 trials: about 960 tokens, $2.00, " in again.stdout
    told = json.loads(person.run(*command, "--runs", "2", "--dry-run").stdout)
    assert (told["forecast"]["n_to_run"], told["forecast"]["cost_usd"]["mean"]) == (8, 2.0)
    assert [cell["cell"] for cell in told["cells"]] == ["claude-code--opus", "claude-code--haiku"]
