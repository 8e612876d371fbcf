"""`skilltrial trigger` in front of a person, with an agent program that costs nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Person, trial_records

AGENT = r"""#!/bin/sh
if [ "$1" = --version ]; then echo 2.1.0; exit; fi
prompt=$(cat)
case "$*" in *lazy*) prompt="nothing of: ${prompt%%load*}" ;; esac
row() { printf '{"type":"%s","message":{"id":"1","role":"%s","content":[%s]}}\n' "$1" "$1" "$2"; }
call() {
  row assistant '{"type":"tool_use","id":"t'$1'","name":"Skill","input":{"skill":"'$1'"}}'
  row user '{"type":"tool_result","tool_use_id":"t'$1'","content":"Launching"}'
}
printf '{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.0",'
echo '"tools":[],"skills":["report"]}'
case "$prompt" in
  *slow*) row assistant '{"type":"text","text":"Hm."}'; exec sleep 20 ;;
  *other*) call other ;;
  *"load it first"*) ;;
  *breaks*) call report; exit 1 ;;
  *data.csv*) [ -f data.csv ] && call report ;;
  *load*) call report ;;
esac
row assistant '{"type":"text","text":"Hello."}'
printf '{"type":"result","subtype":"success","is_error":false,"result":"Hello.","total_cost_usd":0.25,'
printf '"modelUsage":{"m":{"inputTokens":100,"outputTokens":20,"costUSD":0.25}}}'
"""


@pytest.fixture
def user(tmp_path: Path) -> Person:
    """Somebody whose agent loads the skill for queries with `load`, another one for `other`, and takes long for `slow`."""
    agent = tmp_path / "agent"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    (tmp_path / "home").mkdir()
    return Person(
        home=tmp_path / "home", variables={"SKILLTRIAL_CLAUDE": str(agent), "ANTHROPIC_API_KEY": "dummy-key-1234"}
    )


def a_skill(folder: Path, queries: Any, name: str = "triggers.json") -> Path:
    """The skill `report` with a trigger set."""
    (folder / "report/evals").mkdir(parents=True)
    (folder / "report/SKILL.md").write_text("---\nname: report\ndescription: Writes reports.\n---\nWrite one.\n")
    (folder / "report/evals" / name).write_text(json.dumps(queries))
    return folder / "report"


def query(text: str, *, should: bool) -> dict[str, Any]:
    """One of a set."""
    return {"query": text, "should_trigger": should}


def test_what_a_person_sees(tmp_path: Path, user: Person) -> None:
    """The sentence, the figures, the queries with the wrong ones first; nothing wider than 80 columns; exit code 1."""
    queries = [query("load a", should=True), query("load b, which is not wanted", should=False)]
    queries += [query("hello, please", should=True), query("other please", should=False)]
    skill = a_skill(tmp_path, queries)
    (tmp_path / "pool/other").mkdir(parents=True)
    (tmp_path / "pool/other/SKILL.md").write_text("---\nname: other\ndescription: Others.\n---\nx\n")
    command = ("trigger", skill, "--harness", "claude-code", "--runs", "2", "--with-siblings", tmp_path / "pool")
    done = user.run(*command, "--workspace", tmp_path / "w")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "report: some fail. On the wrong side of 0.5: 2 of 4 queries."
    assert [line for line in lines if len(line) > 80 and str(tmp_path) not in line] == []
    assert "  recall             50 %  (1 to 99 %)     loaded, where it should be" in lines
    begin = next(at for at, line in enumerate(lines) if "should be loaded" in line)
    assert lines[begin + 1 : begin + 3] == [
        "  report            report 2; nothing 2, of 4",
        "  none of them      report 2; other 2, of 4",
    ]
    shown = [line for line in lines if line[2:10].strip().endswith(("of 2", "of 0"))]
    assert [line[0] for line in shown] == ["✗", "✗", "✗", " ", " ", " "]
    assert {line[2:].rstrip() for line in shown[:3]} == {
        "2 of 2   34 to 100 %  no         load b, which is not wanted",
        "0 of 2   0 to 66 %    yes        hello, please",
        "0 of 2   0 to 66 %    yes        Use the skill 'report': load it first… (ours)",
    }
    assert "query-1/with_skill/run-1: loaded, completed" in done.stderr
    assert "query-3/with_skill/run-2: not loaded, completed" in done.stderr
    assert any("asked for by its name, the skill was loaded in 0 of 2 runs" in line for line in lines)


def test_an_end_right_after_the_load_loses_nothing(tmp_path: Path, user: Person) -> None:
    """T6, T21: a program that breaks once the skill was loaded has given its answer, and is not paid for again."""
    skill = a_skill(tmp_path, [query(f"breaks {number}", should=True) for number in range(4)])
    asked = ("--runs", "1", "--json", "--no-canaries", "--workspace", tmp_path / "w")
    done = user.run("trigger", skill, "--harness", "claude-code", *asked)
    assert [row["n_loaded"] for row in json.loads(done.stdout)["arms"][0]["queries"]] == [1] * 4
    records = trial_records(tmp_path / "w/triggers")
    assert [(record["outcome"], len(record["attempts"])) for record in records] == [("completed", 1)] * 4


def test_prompts_of_an_eval_file_are_queries(tmp_path: Path, user: Person) -> None:
    """Where there is no trigger set: each begins with its files, and its class is what the case says."""
    case = {"id": "sum", "prompt": "Summarise data.csv", "files": {"data.csv": "a,b\n"}, "assertions": ["It is short"]}
    other = {"id": "chat", "prompt": "hello", "skill_should_trigger": False, "assertions": ["It says hello"]}
    skill = a_skill(tmp_path, {"skill_name": "report", "evals": [case, other]}, "evals.json")
    asked = ("--runs", "1", "--json", "--no-canaries", "--workspace", tmp_path / "w")
    done = user.run("trigger", skill, "--harness", "claude-code", *asked)
    rows = {
        row["id"]: (row["should_trigger"], row["n_loaded"]) for row in json.loads(done.stdout)["arms"][0]["queries"]
    }
    assert rows == {"sum": (True, 1), "chat": (False, 0)}
    assert done.returncode == 0


def test_a_skill_without_any_queries_is_told_what_to_do(tmp_path: Path, user: Person) -> None:
    """Where they are looked for, and who can begin some."""
    skill = a_skill(tmp_path, [], "notes.json")
    done = user.run("trigger", skill, "--workspace", tmp_path / "w")
    said = " ".join(done.stderr.split())
    assert done.returncode == 2
    assert "no trigger set and no eval file" in said
    assert "--draft lets a model begin one" in said


def test_the_same_command_again_runs_nothing(tmp_path: Path, user: Person) -> None:
    """And says the same."""
    skill = a_skill(tmp_path, [query("load a", should=True), query("hello", should=False)])
    command = ("trigger", skill, "--harness", "claude-code", "--runs", "1", "--json", "--workspace", tmp_path / "w")
    first, second = user.run(*command), user.run(*command)
    assert (first.returncode, second.returncode) == (0, 0)
    assert user.run("report", tmp_path / "w", "--json").stdout == second.stdout
    shown = user.run("report", tmp_path / "w/triggers").stdout
    assert shown.startswith("report: all pass. On the right side of 0.5: 2 of 2 queries.")
    assert user.run("report", tmp_path / "w", "--format", "csv").returncode == 2
    assert "are finished already" in second.stderr
    one, other = json.loads(first.stdout), json.loads(second.stdout)
    assert one["arms"] == other["arms"]
    assert one["iteration"] == other["iteration"] == 1


def test_too_many_errors_end_it(tmp_path: Path, user: Person) -> None:
    """T7: after ten runs with more than a fifth without a result the rest is not paid for; exit code 3, and why."""
    queries = [query(f"slow {number}", should=False) for number in range(14)]
    queries += [query(f"hello {number}", should=False) for number in range(26)]
    skill = a_skill(tmp_path, queries)
    asked = ("--runs", "1", "--timeout", "1", "--no-canaries", "--concurrency", "4", "--workspace", tmp_path / "w")
    done = user.run("trigger", skill, "--harness", "claude-code", *asked)
    assert done.returncode == 3, done.stderr
    said = " ".join(done.stdout.split())
    assert "runs ended without a result; the last time: stopped after 1 s. The rest is not run." in said
    results = json.loads((tmp_path / "w/triggers/iteration-1/triggers.json").read_text())
    rows = results["arms"][0]["queries"]
    n_not_run = sum(row["errors"].get("not run", 0) for row in rows)
    assert n_not_run >= 20, "ten have to end, and those that run beside them come to their end"
    assert results["word"] == "cannot tell"
    assert {row["passes"] for row in rows if row["errors"]} == {None}


def test_a_skill_that_is_never_loaded_is_doubted(tmp_path: Path, user: Person) -> None:
    """T25, T20: the query that asks for it by name, and no variance at all, are said before any figure."""
    skill = a_skill(tmp_path, [query("hello", should=True), query("hello again", should=False)])
    done = user.run(
        "trigger", skill, "--harness", "claude-code", "--runs", "1", "--json", "--workspace", tmp_path / "w"
    )
    said = " ".join(json.loads(done.stdout)["notices"])
    assert "asked for by its name, the skill was loaded in 0 of 1 run: the set-up is in doubt" in said
    assert "the skill was never loaded, whatever the query" in said
    figures = json.loads(done.stdout)["arms"][0]["figures"]
    assert (figures["recall"]["estimate"], figures["precision"]["estimate"]) == (0.0, None)
    assert done.returncode == 1


def test_queries_of_one_class_are_doubted(tmp_path: Path, user: Person) -> None:
    """Half of the question is not asked: no precision, which is not zero."""
    skill = a_skill(tmp_path, [query("load a", should=True), query("load b", should=True)])
    done = user.run("trigger", skill, "--harness", "claude-code", "--runs", "1", "--workspace", tmp_path / "w")
    assert done.returncode == 0
    assert "there is none that should not load the skill" in done.stdout
    assert "  precision         unknown                of the loads were right" in done.stdout
    assert "  recall            100 %  (16 to 100 %)   loaded, where it should be" in done.stdout, "in one column"


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        (
            [query("load it", should=True), query("load  it", should=False)],
            "the queries 'query-1' and 'query-2' are the same text, once for each of the two answers",
        ),
        ([query("load it", should=True)] * 2, "are the same text: 'load it'"),
        ([{**query("a", should=True), "id": "canary-idle"}], "the id 'canary-idle' is that of a query of ours"),
        ([], "there are no queries in this file. A trigger set is a list of"),
    ],
)
def test_sets_that_cannot_be_counted(tmp_path: Path, user: Person, queries: Any, said: str) -> None:
    """T17: one text twice would be one in the counts; nothing is run."""
    done = user.run("trigger", a_skill(tmp_path, queries), "--workspace", tmp_path / "w")
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "w").exists()


def test_a_folder_without_other_skills_is_no_pool(tmp_path: Path, user: Person) -> None:
    """A copy of the skill is no sibling of it."""
    skill = a_skill(tmp_path, [query("load a", should=True)])
    done = user.run("trigger", skill, "--with-siblings", tmp_path, "--workspace", tmp_path / "w")
    assert done.returncode == 2
    assert "no other skill" in " ".join(done.stderr.split())
    nowhere = user.run("trigger", skill, "--with-siblings", tmp_path / "nowhere", "--workspace", tmp_path / "w")
    assert (nowhere.returncode, "there is no such folder" in " ".join(nowhere.stderr.split())) == (2, True)


def test_a_matrix_of_models(tmp_path: Path, user: Person) -> None:
    """A row of figures for each, each query under each, and all of it in one file; the worst exit code."""
    skill = a_skill(tmp_path, [query("please load a", should=True), query("hello", should=False)])
    models = ("--harness", "claude-code", "--model", "eager,lazy", "--runs", "1", "--workspace", tmp_path / "w")
    done = user.run("trigger", skill, *models)
    assert done.returncode == 1, done.stderr
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert [line for line in lines if len(line) > 80 and str(tmp_path) not in line] == []
    rows = [line.split() for line in lines]
    short = [row[:-1] for row in rows]
    assert ["1", "claude-code,", "eager", "100", "%", "0", "%", "100", "%", "100", "%", "2", "of", "2"] in short
    assert ["2", "claude-code,", "lazy", "0", "%", "0", "%", "unknown", "0", "%", "1", "of", "2"] in short
    assert ["1/1", "✗", "0/1", "yes", "please", "load", "a"] in rows
    assert ["0/1", "0/1", "no", "hello"] in rows
    matrix = json.loads((tmp_path / "w/triggers/matrix.json").read_text())
    assert [(cell["model"], cell["results"]["word"], cell["exit_code"]) for cell in matrix["cells"]] == [
        ("eager", "all pass", 0),
        ("lazy", "some fail", 1),
    ]
    assert user.run("report", tmp_path / "w").stdout == done.stdout
    again = user.run("trigger", skill, *models, "--json")
    assert json.loads(again.stdout)["cells"][0]["results"]["arms"] == matrix["cells"][0]["results"]["arms"]
    foreseen = user.run("trigger", skill, *models, "--dry-run")
    assert foreseen.returncode == 0
    assert "claude-code--lazy" in foreseen.stdout


def test_a_cell_that_cannot_run_leaves_the_others(tmp_path: Path, user: Person) -> None:
    """Its row says why, and the exit code is that of the error."""
    skill = a_skill(tmp_path, [query("load a", should=True), query("hello", should=False)])
    several = ("--harness", "claude-code,codex", "--runs", "1", "--workspace", tmp_path / "w")
    done = user.run("trigger", skill, *several, "--json")
    ready, missing = json.loads(done.stdout)["cells"]
    assert (ready["results"]["word"], missing["results"], done.returncode) == ("all pass", None, 3)
    assert "codex" in missing["error"]


def test_a_gate_holds_the_newest_result_to_its_floors(tmp_path: Path, user: Person) -> None:
    """In the workspace of the run, whose plan has the skill by the same fingerprint."""
    skill = a_skill(tmp_path, [query("load a", should=True), query("hello", should=False)])
    case = {"id": "c", "prompt": "hi", "assertions": [{"type": "answer_matches", "pattern": "Hello"}]}
    (skill / "evals/evals.json").write_text(json.dumps({"skill_name": "report", "evals": [case]}))
    floors = (
        '[gate]\nprimary = "none"\nno_invalid_findings = false\n[gate.trigger]\nmin_precision = 0.9\nmin_recall = 0.9\n'
    )
    (skill / "evals/skilltrial.toml").write_text(floors)
    asked = (skill, "--harness", "claude-code", "--runs", "1", "--workspace", tmp_path / "w")
    assert user.run("run", *asked).returncode == 0
    assert user.run("trigger", *asked).returncode == 0
    told = json.loads(user.run("gate", tmp_path / "w", "--json").stdout)
    rules = [(rule["name"], rule["outcome"], rule["figure"]) for rule in told["rules"]]
    assert rules == [("trigger.min_precision", "pass", 1.0), ("trigger.min_recall", "pass", 1.0)]
