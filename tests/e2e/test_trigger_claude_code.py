"""`skilltrial trigger` with the real Claude Code. T1 to T25 are the faults of skill-creator's trigger evaluation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import Person, trial_records

from skilltrial.testing.mock_llm import MockLLM

pytestmark = pytest.mark.agent

SKILL = """---
name: csv-report
description: >+
  Turns a CSV file into a short "Markdown" report: rows, columns & totals.

  Use when the user asks to summarise a table.  # no comment

---
# CSV report

The marker of the real text is KESTREL.
"""
LOAD: dict[str, Any] = {"calls": [{"tool": "$skill", "input": {"name": "csv-report"}}]}
RULE = "RULE-OF-THE-PROJECT: say which file a figure is from."
MARK = "sleep 98321"
"""What the agent leaves running."""


def _rule(prompt: str, step: int, reply: dict[str, Any]) -> dict[str, Any]:
    return {"name": f"{prompt} {step}", "when": {"prompt": prompt, "step": step}, "reply": reply}


def _call(tool: str, **given: Any) -> dict[str, Any]:
    return {"calls": [{"tool": tool, "input": given}]}


SCENARIO: dict[str, Any] = {
    "name": "trigger",
    "rules": [
        {"name": "side request", "when": {"tools_offered": False}, "reply": {"text": "Title"}},
        _rule("^SUBTASK", 0, LOAD),
        _rule("look around", 0, _call("$run", command=f"({MARK} >/dev/null 2>&1 &) ; ls -la")),
        _rule("look around", 1, LOAD),
        _rule("another skill first", 0, _call("$skill", name="table-maker")),
        _rule("another skill first", 1, LOAD),
        _rule(
            "hand it over", 0, _call("$agent", description="report", prompt="SUBTASK: report", type="general-purpose")
        ),
        _rule("breaks later", 0, LOAD),
        _rule("breaks later", 1, {"error": {"status": 400, "message": "the model is gone"}}),
        _rule("by its file", 0, _call("$run", command="cat .claude/skills/csv-report/SKILL.md")),
        _rule("^-p --model", 0, LOAD),
        _rule(
            "named like it",
            0,
            _call("$run", command="mkdir csv-report; echo 1 > csv-report/SKILLS.md; cat csv-report/SKILLS.md"),
        ),
        _rule("other one", 0, _call("$skill", name="table-maker")),
        _rule("Use the skill", 0, LOAD),
        {"name": "finish", "reply": {"text": "Done."}},
    ],
}
WANTED = {
    "bash": "Please look around, then summarise data.csv",
    "other-first": "Take another skill first",
    "sub-agent": "Please hand it over",
    "late-error": "This breaks later",
    "file": "Find it by its file",
    "dash": "-p --model x is how this begins",
}
UNWANTED = {"named": "A file is named like it", "other": "This is for the other one", "plain": "What is 2 + 2?"}


@dataclass(frozen=True, kw_only=True)
class Whole:
    """One run of the command over all of these queries, and what it left."""

    results: dict[str, Any]
    code: int
    records: dict[str, dict[str, Any]]
    """By query."""
    streams: dict[str, str]
    told: list[dict[str, Any]]
    """What the model was asked."""
    home: Path
    project: Path

    def query(self, name: str) -> dict[str, Any]:
        """What came of one query."""
        return next(each for each in self.results["arms"][0]["queries"] if each["id"] == name)


def person(home: Path, claude: Path | str, url: str) -> Person:
    """A person with Claude Code and a dummy key."""
    home.mkdir(parents=True, exist_ok=True)
    variables = {"SKILLTRIAL_CLAUDE": str(claude), "ANTHROPIC_API_KEY": "dummy-key-1234", "ANTHROPIC_BASE_URL": url}
    return Person(home=home, variables=variables)


def a_skill(folder: Path, queries: list[dict[str, Any]], text: str = SKILL) -> Path:
    """`csv-report` in a folder of this name, with a trigger set."""
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(text)
    (folder / "evals/triggers.json").write_text(json.dumps(queries))
    return folder


def _sibling(folder: Path, name: str, description: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n# {name}\n")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, claude: Path) -> Iterator[Whole]:
    """One run for most of the faults: all that a person's machine may have in the way is there."""
    root = tmp_path_factory.mktemp("trigger")
    home, project = root / "home", root / "project"
    queries = [{"id": key, "query": text, "should_trigger": True} for key, text in WANTED.items()]
    queries += [{"id": key, "query": text, "should_trigger": False} for key, text in UNWANTED.items()]
    skill = a_skill(project / ".claude/skills/csv-report", queries)
    _sibling(project / ".claude/skills", "table-maker", "Makes tables out of prose.")
    (project / ".git").mkdir()
    server = {"mcpServers": {"planted": {"command": "touch", "args": [str(root / "server-was-started")]}}}
    for place in (home / ".claude.json", project / ".mcp.json"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(server))
    _sibling(home / ".claude/skills", "csv-report", "PLANTED copy of the same name.")
    before = _tree(project)
    with MockLLM(SCENARIO) as mock:
        user = person(home, claude, mock.url(run="t"))
        done = user.run(
            "trigger", skill, "--harness", "claude-code", "--runs", "1", "--json", "--concurrency", "4",
            "--with-siblings", project / ".claude/skills", "--workspace", root / "w",
            "--harness-arg=--append-system-prompt", f"--harness-arg={RULE}",
        )  # fmt: skip
        told = [call for call in mock.log.select(run="t") if call["method"] == "POST"]
    assert done.stdout, done.stderr
    folders = (root / "w/triggers/iteration-1").glob("eval-*/with_skill/run-1")
    streams = {
        folder.parents[1].name.removeprefix("eval-"): (folder / "stream.jsonl").read_text() for folder in folders
    }
    yield Whole(
        results=json.loads(done.stdout),
        code=done.returncode,
        records={each["key"]["case_id"]: each for each in trial_records(root / "w/triggers")},
        streams=streams,
        told=told,
        home=home,
        project=project,
    )
    assert _tree(project) == before, "T14: nothing may be left in the person's project"
    assert not (root / "server-was-started").exists(), "T9: nobody's servers are started"


def _tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_every_query_comes_out_as_the_agent_did(whole: Whole) -> None:
    """T1, T3, T4, T16, T20, T21: by its tool, late, after others, in a sub-agent, by its file; six of six, and none of three."""
    loaded = {each["id"]: (each["n_loaded"], each["n_not_loaded"], each["errors"]) for each in _queries(whole)}
    assert loaded == {**dict.fromkeys(WANTED, (1, 0, {})), **dict.fromkeys(UNWANTED, (0, 1, {}))}
    assert (whole.results["word"], whole.code) == ("all pass", 0)
    figures = whole.results["arms"][0]["figures"]
    assert (figures["recall"]["estimate"], figures["precision"]["estimate"], figures["n_decided"]) == (1.0, 1.0, 9)
    assert not [call["problems"] for call in whole.told if call.get("problems")]


def _queries(whole: Whole) -> list[dict[str, Any]]:
    return [each for each in whole.results["arms"][0]["queries"] if each["kind"] == "query"]


def test_asked_for_loaded_and_read_are_told_apart(whole: Whole) -> None:
    """T24: the file that is read is the real text, and reading is told apart from the tool."""
    file, bash = whole.query("file"), whole.query("bash")
    assert (file["n_attempted"], file["n_read"], file["n_loaded"]) == (0, 1, 1)
    assert (bash["n_attempted"], bash["n_read"], bash["n_loaded"]) == (1, 0, 1)
    assert "KESTREL" in whole.streams["file"]


def test_another_skill_that_is_taken_is_named(whole: Whole) -> None:
    """T4, T23: a sibling first does not decide; which one was taken is counted for both classes."""
    taken = {each["id"]: each["others"] for each in _queries(whole) if each["others"]}
    assert taken == {"other-first": {"table-maker": 1}, "other": {"table-maker": 1}}
    assert whole.results["siblings"] == ["table-maker"]
    assert whole.results["arms"][0]["confusion"] == [
        {
            "expected": "csv-report",
            "n_runs": 6,
            "loaded": {"csv-report": 6, "table-maker": 1},
            "n_nothing": 0,
            "n_errors": 0,
        },
        {"expected": None, "n_runs": 3, "loaded": {"table-maker": 1}, "n_nothing": 2, "n_errors": 0},
    ]


def test_a_copy_in_the_persons_home_takes_nothing(whole: Whole) -> None:
    """T1, T5, T15: one skill of this name is listed, with our description, and the person's copy is seen nowhere."""
    text = "".join(whole.streams.values()) + json.dumps([call["body"] for call in whole.told])
    assert "PLANTED" not in text
    arm = whole.results["arms"][0]
    assert (arm["n_listed"], arm["n_listing_told"]) == (11, 11)


def test_the_whole_description_is_listed(whole: Whole) -> None:
    """T19: block form, quotes, a colon, a hash and a blank line reach the agent as YAML has them."""
    arm = whole.results["arms"][0]
    assert (arm["n_described"], arm["n_described_told"]) == (11, 11)
    assert arm["description"].startswith('Turns a CSV file into a short "Markdown" report: rows, columns & totals.\n')
    assert "# no comment" in arm["description"]


def test_it_is_ended_once_the_skill_is_loaded(whole: Whole) -> None:
    """T21: the error that would come after is never waited for, and what was not loaded went on to its end."""
    cut = {name: record["attempts"][-1].get("cut", False) for name, record in whole.records.items()}
    assert [name for name in WANTED if not cut[name]] == []
    assert [name for name in UNWANTED if cut[name]] == []
    assert whole.records["late-error"]["outcome"] == "completed"


def test_nothing_is_left_running(whole: Whole) -> None:
    """T10: the tree is ended, with what the agent started in the background."""
    assert whole.records["bash"]["n_strays"] == 1, "there was one to end"
    running = [path for path in Path("/proc").glob("[0-9]*/cmdline") if _words(path) == MARK]
    assert not running


def _words(path: Path) -> str:
    try:
        return path.read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def test_the_query_is_on_no_command_line(whole: Whole) -> None:
    """T16: it goes through standard input, so a dash in front is a dash, and the agent gets it letter by letter."""
    prompts = {call["prompt"] for call in whole.told if call.get("prompt")}
    assert WANTED["dash"] in prompts


def test_what_of_the_project_has_to_be_there_is_named(whole: Whole) -> None:
    """T22: nothing of it is carried by itself; an argument for the agent program reaches every run, sub-agents perhaps not."""
    asked = [call for call in whole.told if "tools" in call["body"] and call["body"]["tools"]]
    assert len(asked) >= 11
    assert {call["prompt"] for call in asked if RULE not in json.dumps(call["body"])} <= {"SUBTASK: report"}


def test_nothing_is_written_into_the_persons_home(whole: Whole) -> None:
    """T14, T15: their folder has what was planted, and no session, skill or history besides."""
    assert _tree(whole.home / ".claude") == ["skills", "skills/csv-report", "skills/csv-report/SKILL.md"]
    assert sorted(path.name for path in whole.home.iterdir()) == [".claude", ".claude.json"]


def _one(
    root: Path, claude: Path | str, queries: list[dict[str, Any]], url: str, *more: str, text: str = SKILL
) -> tuple[int, str, str]:
    skill = a_skill(root / "csv-report", queries, text)
    user = person(root / "home", claude, url)
    asked = ("trigger", skill, "--harness", "claude-code", "--runs", "1", "--workspace", root / "w", *more)
    done = user.run(*asked)
    return done.returncode, done.stdout, done.stderr


BOTH = [{"query": "summarise this", "should_trigger": True}, {"query": "hello", "should_trigger": False}]


def test_a_refused_key_is_no_result_of_any_query(tmp_path: Path, claude: Path) -> None:
    """T7: exit code 3, a sentence with what to do, and the negative query has not passed."""
    with MockLLM({"rules": [{"reply": {"error": {"status": 401, "message": "invalid x-api-key"}}}]}) as mock:
        code, _, err = _one(tmp_path, claude, BOTH, mock.url(), "--concurrency", "1", "--no-canaries")
    assert code == 3
    assert "claude-code was refused" in err
    assert "Traceback" not in err
    (record,) = trial_records(tmp_path / "w/triggers")
    assert (record["outcome"], record["reason"]["code"]) == ("harness_error", "auth_failed")
    kept = json.loads((tmp_path / "w/triggers/iteration-1/triggers.json").read_text())
    assert {row["passes"] for row in kept["arms"][0]["queries"]} == {None}
    assert "claude-code was refused" in kept["notices"][0]


def test_a_missing_program_is_no_result_of_any_query(tmp_path: Path) -> None:
    """T7: it is said before anything is run."""
    code, out, err = _one(tmp_path, tmp_path / "no-claude", BOTH, "http://127.0.0.1:9")
    assert (code, out) == (3, "")
    assert "there is no program" in err
    assert not list((tmp_path / "w").rglob("run.json"))


def test_time_that_ran_out_is_no_result(tmp_path: Path, claude: Path) -> None:
    """T8: the agent that was still at work has neither loaded the skill nor left it alone."""
    rules = [
        {"when": {"tools_offered": False}, "reply": {"text": "Title"}},
        _rule("summarise", 0, _call("$run", command="ls")),
        _rule("summarise", 1, {"fault": "hang"}),
    ]
    with MockLLM({"rules": rules}) as mock:
        code, out, _ = _one(tmp_path, claude, BOTH[:1], mock.url(), "--timeout", "4", "--no-canaries", "--json")
    (wanted,) = json.loads(out)["arms"][0]["queries"]
    assert (wanted["n_loaded"], wanted["n_not_loaded"], wanted["errors"]) == (0, 0, {"timeout": 1})
    assert (wanted["passes"], wanted["rate"]["estimate"]) == (None, None)
    assert code == 3, "more than a fifth of the runs has no result"


def test_a_listing_that_is_cut_is_said(tmp_path: Path, claude: Path) -> None:
    """T23: among many skills with long descriptions, ours stands there by its name alone, and so do others."""
    for number in range(40):
        text = f"Does thing number {number}. " + "Use it whenever someone asks for a thing of this very kind. " * 8
        _sibling(tmp_path / "pool", f"a-thing-{number:02d}", text)
    more = ("--no-canaries", "--json", "--with-siblings", str(tmp_path / "pool"), "--model", "claude-haiku-4-5")
    with MockLLM({"rules": [{"reply": {"text": "Hi."}}]}) as mock:
        text = SKILL.replace("Use when", "It makes a report whatever the columns are called. " * 8 + "Use when")
        code, out, _ = _one(tmp_path, claude, BOTH[1:], mock.url(), *more, text=text)
        (listing,) = {_listing(call["body"]) for call in mock.log.select() if "a-thing-00" in json.dumps(call["body"])}
    results = json.loads(out)
    arm = results["arms"][0]
    assert (arm["n_described"], arm["n_described_told"]) == (0, 1)
    assert arm["listing"]["chars"] == len(listing)
    assert arm["listing"]["n_skills"] == 41
    undescribed = [f"a-thing-{number:02d}" for number in range(40) if f"Does thing number {number}." not in listing]
    assert len(undescribed) > 10
    assert arm["listing"]["undescribed"] == dict.fromkeys(undescribed, 1)
    assert "in 1 of 1 run the agent's listing had the description cut or not at all" in results["notices"][1]
    assert code == 0


def _listing(body: Any) -> str:
    text = json.dumps(body, ensure_ascii=False)
    begin = text.index("- a-thing-00")
    return json.loads(f'"{text[begin : text.index("</system-reminder>", begin)]}"').rstrip()
