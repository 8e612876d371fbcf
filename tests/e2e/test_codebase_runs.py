"""`skilltrial run` on cases that work in a codebase, as a person starts it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from command import Person, trial_records, write_skill

_AGENT = """#!/bin/sh
if [ "$1" = --version ]; then echo 2.1.0; exit; fi
cat > /dev/null
git status --short > status.txt
git log --oneline | wc -l | tr -d ' ' > commits.txt
find . -type f -not -path './.git/*' -not -name found.txt > found.txt
echo changed >> src/a.txt
echo '{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.0","tools":[],"skills":[]}'
echo '{"type":"assistant","message":{"id":"1","role":"assistant","content":[{"type":"text","text":"Done."}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","usage":{}}'
"""


def a_person(folder: Path) -> Person:
    """Somebody whose agent writes down what it finds, and changes a file."""
    agent = folder / "agent"
    agent.write_text(_AGENT)
    agent.chmod(0o755)
    (folder / "home").mkdir()
    return Person(
        home=folder / "home", variables={"SKILLTRIAL_CLAUDE": str(agent), "ANTHROPIC_API_KEY": "dummy-key-1234"}
    )


def a_codebase(folder: Path) -> Path:
    """A repository that holds the skill where agents look for skills, and something built that git ignores."""
    code = folder / "code"
    for path, text in {
        "src/a.txt": "first\n",
        "b.txt": "theirs\n",
        "AGENTS.md": "be kind\n",
        ".gitignore": "built\n",
        "built": "x",
        ".claude/skills/csv-report/SKILL.md": "---\nname: csv-report\ndescription: D.\n---\nLEAK\n",
    }.items():
        (code / path).parent.mkdir(parents=True, exist_ok=True)
        (code / path).write_text(text)
    who = ["git", "-c", "user.name=n", "-c", "user.email=e@localhost"]
    for argv in (["init", "-q", "-b", "main"], ["add", "--all"], ["commit", "-qm", "First"]):
        subprocess.run([*who, *argv], cwd=code, check=True)
    return code


def test_agents_work_in_a_copy_and_only_their_changes_are_kept(tmp_path: Path) -> None:
    """Both arms find the same files in one commit, the case's own in their places, and nothing of the skill under trial.

    The command sees the whole end state. A changed codebase makes another iteration; the same one goes on.
    """
    code, user = a_codebase(tmp_path), a_person(tmp_path)
    command = {"id": "whole", "type": "command_check", "command": "grep -q changed src/a.txt && test -f AGENTS.md"}
    kept = {"id": "kept", "type": "file_exists", "path": "AGENTS.md", "any": True}
    case = {"id": "fix", "prompt": "Fix it", "files": {"b.txt": "mine\n", "new/c.txt": "c\n"}}
    skill = write_skill(tmp_path / "csv-report", [{**case, "assertions": [command, kept]}])
    evals = json.loads((skill / "evals/evals.json").read_text())
    (skill / "evals/evals.json").write_text(json.dumps({**evals, "codebase": {"path": str(code)}}))
    workspace = tmp_path / "w"
    argv = ["run", skill, "--harness", "claude-code", "--runs", "2", "--workspace", workspace, "--json", "--yes"]
    done = user.run(*argv)
    assert done.returncode == 0, done.stderr
    records = trial_records(workspace)
    assert len(records) == 4
    for record in records:
        outputs = next(workspace.glob(f"iteration-1/*/{record['key']['arm']}/run-{record['key']['repeat']}/outputs"))
        found = (outputs / "found.txt").read_text().split()
        own = "./.claude/skills/csv-report/SKILL.md" if record["key"]["arm"] == "with_skill" else ""
        rest = ["./.gitignore", "./AGENTS.md", "./b.txt", "./commits.txt", "./new/c.txt", "./src/a.txt"]
        assert sorted(found) == sorted([*([own] if own else []), *rest, "./status.txt"])
        assert (outputs / "status.txt").read_text() == "?? status.txt\n"
        assert (outputs / "commits.txt").read_text() == "1\n"
        changes = {file["path"]: file["change"] for file in record["files"]}
        new = dict.fromkeys(("commits.txt", "found.txt", "status.txt"), "created")
        assert changes == {**new, "src/a.txt": "modified"}
        patch = (outputs.parent / "diff.patch").read_text()
        assert " first\n+changed\n" in patch
    gradings = [json.loads(path.read_text()) for path in workspace.glob("iteration-1/*/*/*/grading.json")]
    assert [grading["summary"]["pass_rate"] for grading in gradings] == [1.0] * 4
    assert "lacks .claude/skills/csv-report in every arm" in done.stdout
    plan = json.loads((workspace / "iteration-1/plan.json").read_text())
    assert [(one["case_ids"], one["n_files"], bool(one["commit"])) for one in plan["codebases"]] == [(["fix"], 4, True)]
    assert user.run(*argv).returncode == 0
    assert not (workspace / "iteration-2").exists()
    (code / "b.txt").write_text("theirs, changed\n")
    assert user.run(*argv).returncode == 0
    assert (workspace / "iteration-2/plan.json").exists()


def test_a_codebase_that_cannot_be_had_costs_nothing(tmp_path: Path) -> None:
    """One message, exit code 2, and no workspace."""
    user = a_person(tmp_path)
    codebase = {"url": str(tmp_path / "nothing"), "ref": "main"}
    skill = write_skill(tmp_path / "csv-report", [{"id": "fix", "prompt": "Fix it", "codebase": codebase}])
    done = user.run("run", skill, "--harness", "claude-code", "--workspace", tmp_path / "w")
    assert done.returncode == 2
    assert "nothing at main: the codebase cannot be fetched" in " ".join(done.stderr.split())
    assert not (tmp_path / "w").exists()
