"""`skilltrial optimise` with the real Claude Code, and a scripted model for agent and rewriting alike."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import Person

from skilltrial.records.trigger import TriggerQuery
from skilltrial.testing.mock_llm import MockLLM
from skilltrial.trigger.split import split_queries

pytestmark = pytest.mark.agent

SKILL = """---
name: csv-report
# kept as it is
description: >-
  Does things: with
  tables.
license: MIT
---
# CSV report

The instructions.
"""
DIFFERENT = "Loads for other tables, this WRONG-ONE."
GOOD = "Turns tables into reports: the RIGHT-ONE, used for summaries of a table."
LOAD: dict[str, Any] = {"calls": [{"tool": "$skill", "input": {"name": "csv-report"}}]}


def _written(text: str) -> dict[str, Any]:
    return {"calls": [{"tool": "final_result", "input": {"diagnosis": "", "description": text}}]}


SCENARIO: dict[str, Any] = {
    "name": "optimise",
    "rules": [
        {"name": "side request", "when": {"tools_offered": False}, "reply": {"text": "Title"}},
        {"when": {"context": "You write the description"}, "times": 1, "reply": _written("I'm sorry, but I can't do that.")},
        {"when": {"context": "You write the description"}, "times": 1, "reply": _written(DIFFERENT)},
        {"when": {"context": "You write the description"}, "reply": _written(GOOD)},
        {"when": {"prompt": "Use the skill", "step": 0}, "reply": LOAD},
        {"when": {"prompt": "wanted", "context": "RIGHT-ONE", "step": 0}, "reply": LOAD},
        {"when": {"prompt": "other", "not_context": "RIGHT-ONE", "step": 0}, "reply": LOAD},
        {"name": "finish", "reply": {"text": "Done."}},
    ],
}  # fmt: skip
"""The good description turns all queries; with the skill's own and the first new one each is decided wrongly."""
QUERIES = [
    *({"id": f"w{n}", "query": f"wanted report {n}", "should_trigger": True} for n in range(6)),
    *({"id": f"u{n}", "query": f"other matter {n}", "should_trigger": False} for n in range(6)),
]


def a_skill(folder: Path) -> Path:
    """`csv-report`, in a folder of its name."""
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "evals/triggers.json").write_text(json.dumps(QUERIES))
    return folder


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A search that a ceiling stopped and that the same command then went on with, and what each left."""

    skill: Path
    workspace: Path
    user: Person
    stopped: subprocess.CompletedProcess[str]
    done: subprocess.CompletedProcess[str]
    told: list[dict[str, Any]]

    @property
    def state(self) -> dict[str, Any]:
        """`optimise.json`."""
        return json.loads((self.workspace / "optimise/search-1/optimise.json").read_text())

    def again(self, *more: str) -> subprocess.CompletedProcess[str]:
        """The same command."""
        return self.user.run(*command(self.skill, self.workspace), *more)


def command(skill: Path, workspace: Path) -> list[str | Path]:
    """What a person types."""
    return [
        "optimise", skill, "--rewriter", "anthropic:writer", "--harness", "claude-code", "--runs", "1",
        "--workspace", workspace, "--concurrency", "4",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, claude: Path) -> Iterator[Whole]:
    """Nobody can be asked here, so the forecast goes by; 14 runs, then the rest."""
    root = tmp_path_factory.mktemp("optimise")
    skill = a_skill(root / "csv-report")
    with MockLLM(SCENARIO) as mock:
        key = {"ANTHROPIC_API_KEY": "dummy-key-1234", "ANTHROPIC_BASE_URL": mock.url()}
        user = Person(home=root / "home", variables={"SKILLTRIAL_CLAUDE": str(claude), **key})
        user.home.mkdir()
        arguments = command(skill, root / "w")
        stopped = user.run(*arguments, "--max-trials", "14")
        done = user.run(*arguments)
        told = [call for call in mock.log.select() if call["method"] == "POST"]
        yield Whole(skill=skill, workspace=root / "w", user=user, stopped=stopped, done=done, told=told)


def test_a_better_description_is_found(whole: Whole) -> None:
    """The sentence first; test scores with their difference; a patch that git takes."""
    assert whole.done.returncode == 0, whole.done.stderr
    rows = whole.done.stdout.splitlines()
    assert rows[0].startswith("csv-report: better. Right on 4 of 4 test queries, the skill's own on 0 of 4")
    assert "description 2            4 of 4   100 %" in whole.done.stdout
    assert "the skill's own          0 of 4     0 %" in whole.done.stdout
    assert max(len(row) for row in rows if str(whole.workspace) not in row and str(whole.skill) not in row) <= 80
    assert (whole.state["word"], whole.state["best"]) == ("better", 2)
    assert [each["description"] for each in whole.state["candidates"]][1:] == [DIFFERENT, GOOD]


def test_a_ceiling_stops_it_and_the_same_command_goes_on(whole: Whole) -> None:
    """L4, L10: the ceiling holds for all descriptions together, the second command runs the rest, and no run is done twice."""
    assert whole.stopped.returncode == 4, whole.stopped.stderr
    assert whole.stopped.stdout.startswith("csv-report: stopped. --max-trials 14 is reached. The same command")
    assert "still to come: at most 56 runs" in whole.stopped.stderr
    records = list((whole.workspace / "optimise/search-1").rglob("run.json"))
    assert len(records) == 2 + 3 * 8 + 2 * 4
    assert [len(json.loads(path.read_text())["attempts"]) for path in records] == [1] * len(records)
    prompts = [call["prompt"] for call in whole.told if "RIGHT-ONE" not in json.dumps(call["body"])]
    assert prompts.count("wanted report 0") <= 3
    assert len(_rewrites(whole)) == 3


def _rewrites(whole: Whole) -> list[dict[str, Any]]:
    return [call for call in whole.told if "You write the description" in json.dumps(call["body"])]


def test_the_rewriting_model_is_told_of_train_alone(whole: Whole) -> None:
    """Each request is searched for each query; two models for the two tasks."""
    parts = {each["query"]: each["part"] for each in whole.state["queries"]}
    assert sorted(parts.values()) == ["test"] * 4 + ["train"] * 4 + ["validation"] * 4
    for call in _rewrites(whole):
        text = json.dumps(call["body"])
        assert {query for query in parts if query in text} == {
            query for query, part in parts.items() if part == "train"
        }
        assert call["body"]["model"] == "writer"
    models = {call["body"]["model"] for call in whole.told} - {"writer"}
    assert models
    assert "I'm sorry" in json.dumps(_rewrites(whole)[1]["body"]), "L5: refused, and told why"


def test_the_test_queries_are_run_once_with_both(whole: Whole) -> None:
    """Nothing of test was run in the search, and each of its queries once in each arm at the end."""
    test = {each["id"] for each in whole.state["queries"] if each["part"] == "test"}
    places = [path.relative_to(whole.workspace / "optimise/search-1").parts for path in
              (whole.workspace / "optimise/search-1").rglob("run.json")]  # fmt: skip
    of_test = sorted((place[0], place[1].removeprefix("eval-"), place[2]) for place in places if place[1][5:] in test)
    assert of_test == sorted(("iteration-4", name, arm) for name in test for arm in ("new_skill", "old_skill"))


def test_a_finished_search_costs_nothing_more(whole: Whole) -> None:
    """The same words again, without a run."""
    again = whole.again()
    assert (again.returncode, again.stdout, again.stderr) == (0, whole.done.stdout, "")


def test_the_patch_and_apply_say_the_same_and_change_one_key(whole: Whole, tmp_path: Path) -> None:
    """`git apply` takes the patch; --apply writes the same bytes, and refuses a file that was changed since."""
    (tmp_path / "SKILL.md").write_text(SKILL)
    patch = whole.workspace / "optimise/search-1/description.patch"
    subprocess.run(["git", "apply", str(patch)], cwd=tmp_path, check=True)
    expected = SKILL.replace("description: >-\n  Does things: with\n  tables.\n", f"description: '{GOOD}'\n")
    assert (tmp_path / "SKILL.md").read_text() == expected
    file = whole.skill / "SKILL.md"
    try:
        file.write_text(SKILL + "More.\n")
        refused = whole.again("--apply")
        assert (refused.returncode, file.read_text()) == (2, SKILL + "More.\n")
        assert "has changed since the search began" in " ".join(refused.stderr.split())
        file.write_text(SKILL)
        assert whole.again("--apply").returncode == 0
        assert file.read_text() == expected
    finally:
        file.write_text(SKILL)  # for the other tests


@pytest.mark.parametrize(
    ("queries", "more", "says"),
    [
        (QUERIES[:6], [], "none of the 6 queries should not load the skill"),
        (QUERIES, ["--holdout", "0"], "--holdout is 0; it has to be between 0 and 1"),
        (QUERIES[:10], [], "4 of the queries should not load the skill; train, validation and test need 6"),
    ],
)
def test_what_nothing_can_be_learnt_from_is_refused_before_anything_is_spent(
    tmp_path: Path, queries: list[dict[str, Any]], more: list[str], says: str
) -> None:
    """L1, L7: one class alone, no hold-out, too few. No model is there to be asked."""
    skill = a_skill(tmp_path / "csv-report")
    (skill / "evals/triggers.json").write_text(json.dumps(queries))
    user = Person(home=tmp_path, variables={})
    done = user.run(*command(skill, tmp_path / "w"), *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in " ".join(done.stderr.split())
    assert not (tmp_path / "w").exists()


AGENT = r"""#!/bin/sh
if [ "$1" = --version ]; then echo 2.1.0; exit; fi
prompt=$(cat)
row() {{ printf '{{"type":"%s","message":{{"id":"1","role":"%s","content":[%s]}}}}\n' "$1" "$1" "$2"; }}
load() {{
  row assistant '{{"type":"tool_use","id":"t","name":"Skill","input":{{"skill":"csv-report"}}}}'
  row user '{{"type":"tool_result","tool_use_id":"t","content":"Launching"}}'
}}
echo '{{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.0","tools":[],"skills":[]}}'
case "$prompt" in
  *"Use the skill"*|*other*) load ;;
  *"{torn}"*) mkdir "{once}" 2>/dev/null && load ;;
esac
row assistant '{{"type":"text","text":"Hello."}}'
printf '{{"type":"result","subtype":"success","is_error":false,"result":"Hello.","total_cost_usd":0.25}}'
"""
"""Speaks like Claude Code. Everything is decided wrongly, but for one query that is loaded once."""


def test_runs_stop_once_they_agree_and_a_failing_rewriting_model_leaves_what_was_measured(
    tmp_path: Path,
) -> None:
    """With a program that costs nothing. Two runs of three that agree are enough; a query that is loaded once gets its third.

    L4: a refused key is no crash: exit code 3, the measured rates are kept, and the test queries unseen.
    """
    queries = [TriggerQuery.model_validate(each) for each in QUERIES]
    split = split_queries(queries, skill_name="csv-report", holdout=0.4, seed=1, where="")
    torn = next(each for each in split if each.should_trigger and each.part == "train")
    skill, agent = a_skill(tmp_path / "csv-report"), tmp_path / "agent"
    agent.write_text(AGENT.format(torn=torn.query, once=tmp_path / "once"))
    agent.chmod(0o755)
    with MockLLM({"rules": [{"reply": {"error": {"status": 401, "message": "no key"}}}]}) as mock:
        key = {"ANTHROPIC_API_KEY": "dummy-key-1234", "ANTHROPIC_BASE_URL": mock.url()}
        user = Person(home=tmp_path / "home", variables={"SKILLTRIAL_CLAUDE": str(agent), **key})
        user.home.mkdir()
        done = user.run(*command(skill, tmp_path / "w"), "--runs", "3", "--json")
    state = json.loads(done.stdout)
    assert (done.returncode, state["step"], state["word"]) == (3, "stopped", None), done.stderr
    assert state["doing"].startswith("The rewriting model cannot be used")
    own = state["candidates"][0]
    assert own["validation"] == {"n_passed": 0, "n_decided": 4, "n_queries": 4}
    runs = {each["id"]: (each["n_loaded"], each["n_not_loaded"]) for each in own["tallies"]}
    unwanted = {each.id: (2, 0) for each in split if not each.should_trigger and each.part != "test"}
    wanted = {each.id: (0, 2) for each in split if each.should_trigger and each.part != "test"}
    assert runs == {**unwanted, **wanted, torn.id: (1, 2)}
    assert own["spent"]["n_runs"] == 2 * 8 + 1 + 2 * 2
