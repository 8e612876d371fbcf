"""Suites of other tools that are written in YAML, each by a small file of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import regex

from skilltrial.records.suite import (
    AnswerMatches,
    Assertion,
    CommandCheck,
    FileExists,
    FileMatches,
    Foreign,
    JsonMatches,
    LlmJudge,
    SkillInvoked,
    Suite,
    TranscriptCheck,
)
from skilltrial.spec.suite import SuiteReading, examine_suite


def _examine(folder: Path, name: str, text: str) -> SuiteReading:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return examine_suite(path, None)


def _suite(folder: Path, name: str, text: str) -> Suite:
    reading = _examine(folder, name, text)
    assert reading.suite is not None, reading.errors
    return reading.suite


def _assertions(folder: Path, text: str) -> tuple[Assertion, ...]:
    """Those of a waza task with these graders."""
    return _suite(folder, "task.yaml", f"id: a\ninputs: {{prompt: Go}}\n{text}").cases[0].assertions


def _pattern(assertion: Assertion) -> tuple[str, bool]:
    assert isinstance(assertion, AnswerMatches)
    return assertion.pattern, assertion.negate


def _said(assertion: Assertion) -> tuple[str | None, bool]:
    """Of a check on everything that the agent said."""
    assert isinstance(assertion, TranscriptCheck)
    assert assertion.check == "assistant_message_matches"
    return assertion.pattern, assertion.negate


# case.yaml

CASE = """
schema_version: "1.1"
name: leaky-token
description: A token is logged.
context: {add_dirs: [repo], scaffold_script: prepare.sh}
execution: {prompt: Review the code., max_turns: 5}
runs: 3
expected_outcome: The token is found.
graders:
- {type: llm, name: outcome, weight: 3, focus: last_message, criteria: It names the token.}
- {type: regex, name: line, weight: 1, target: last_message, flags: i, pattern: "line 4[02]", match: contains}
- {type: regex, name: absent, weight: 1, target: last_message, pattern: "all fine", match: not_contains}
- {type: regex, name: trace, weight: 1, target: trace, pattern: "x", match: contains}
- {type: tool_used, name: read, weight: 1, tool: Read, min: 1}
- {type: tool_used, name: quiet, weight: 1, tool: mcp__x.y, max: 0, min: 0}
- {type: tool_used, name: often, weight: 1, tool: Read, min: 4}
- {type: oracle, name: unknown, weight: 1}
"""


def test_case_yaml_is_one_case(tmp_path: Path) -> None:
    """Its name is the id, its folders are input files, and what is not used is kept and told."""
    (tmp_path / "repo/src").mkdir(parents=True)
    (tmp_path / "repo/src/a.py").write_text("x")
    suite = _suite(tmp_path, "case.yaml", CASE)
    (case,) = suite.cases
    assert (suite.dialect, case.id, case.prompt, case.runs) == ("case-yaml", "leaky-token", "Review the code.", 3)
    assert case.expected_output == "The token is found."
    assert [file.path for file in case.files] == ["repo/src/a.py"]
    assert case.extra["execution"] == {"prompt": "Review the code.", "max_turns": 5}
    assert (case.extra["description"], case.extra["context"]["scaffold_script"]) == ("A token is logged.", "prepare.sh")
    told = {(repair.code, repair.path) for repair in suite.repairs if repair.code != "foreign-assertion"}
    assert told == {("script-not-run", "context.scaffold_script"), ("key-not-used", "execution")}


def test_files_of_case_yaml_stay_in_its_folder(tmp_path: Path) -> None:
    """What lies outside is not given, and told at its line; what is not there is an error at its line."""
    text = "name: a\nexecution: {prompt: Go}\ncontext:\n  files:\n  - ../secret\n  - in.txt\n"
    (error,) = _examine(tmp_path, "case.yaml", text).errors
    assert (error.code, error.line) == ("file-missing", 6)
    (tmp_path / "in.txt").write_text("x")
    suite = _suite(tmp_path, "case.yaml", text)
    assert [file.path for file in suite.cases[0].files] == ["in.txt"]
    assert [(repair.code, repair.line) for repair in suite.repairs] == [("file-not-given", 5)]


def test_graders_of_case_yaml_are_ours_where_they_mean_the_same(tmp_path: Path) -> None:
    """Looks at the whole trace and counts of calls have no counterpart."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/a").write_text("x")
    judged, found, absent, trace, read, quiet, often, unknown = _suite(tmp_path, "case.yaml", CASE).cases[0].assertions
    assert isinstance(judged, LlmJudge)
    assert judged.rubric == "It names the token."
    assert judged.written["weight"] == 3
    assert _pattern(found) == ("(?i)line 4[02]", False)
    assert _pattern(absent) == ("all fine", True)
    assert isinstance(read, TranscriptCheck)
    assert isinstance(quiet, TranscriptCheck)
    assert (read.check, read.pattern, read.negate) == ("tool_invocation_matches", "^Read(?: |$)", False)
    assert (quiet.pattern, quiet.negate) == (r"^mcp__x\.y(?: |$)", True)
    reasons = [one.reason for one in (trace, often, unknown) if isinstance(one, Foreign)]
    assert reasons == [
        "it looks at 'trace', not at the final message",
        "calls of a tool are not counted by this version",
        "graders of type 'oracle' are not known here",
    ]


def _graders(folder: Path, *graders: str) -> tuple[Assertion, ...]:
    text = f"execution: {{prompt: Go}}\ngraders: [{', '.join(graders)}]\n"
    return _suite(folder, "case.yaml", text).cases[0].assertions


def test_calls_of_a_tool_are_told_apart_by_their_input(tmp_path: Path) -> None:
    """`input_match` is searched in the arguments; without it, every call of the tool would count."""
    (found,) = _graders(tmp_path, "{type: tool_used, tool: Bash, max: 0, input_match: 'rm (?:-r|--force)'}")
    assert isinstance(found, TranscriptCheck)
    assert found.negate
    assert found.pattern is not None
    hits = {text: bool(regex.search(found.pattern, text)) for text in CALLS}
    assert hits == CALLS


CALLS = {
    'Bash {"command":"rm -r x"}': True,
    'Bash {"command":"ls"}': False,
    'BashOutput {"command":"rm -r x"}': False,
    'Read {"command":"rm -r x"}': False,
}


@pytest.mark.parametrize(
    ("grader", "reason"),
    [
        ("{type: tool_used, tool: Skill, min: 1}", "whether the skill on trial is loaded is seen in every trial"),
        ("{type: tool_used, tool: Bash, arm: with_only}", "it is for one arm"),
        ("{type: tool_used, tool: Bash, output_match: x}", "its setting 'output_match' is not known here"),
        ("{type: tool_used, tool: Bash, input_match: '^x'}", "its pattern for the tool's input has no counterpart"),
        ("{type: regex, target: last_message, pattern: x, min: 2}", "its setting 'min' is not known here"),
    ],
)
def test_graders_with_more_than_is_known_are_foreign(tmp_path: Path, grader: str, reason: str) -> None:
    """Half of a check may pass or fail where the whole does not; an arm without the skill cannot load it."""
    (found,) = _graders(tmp_path, grader)
    assert isinstance(found, Foreign)
    assert found.reason.startswith(reason)


def test_a_folder_of_case_yamls_is_one_suite(tmp_path: Path) -> None:
    """Each with the files of its own folder."""
    for name in ("b", "a"):
        text = f"name: {name}\ncontext: {{files: [in.txt]}}\nexecution: {{prompt: Go {name}}}\n"
        (tmp_path / f"evals/{name}").mkdir(parents=True)
        (tmp_path / f"evals/{name}/case.yaml").write_text(text)
        (tmp_path / f"evals/{name}/in.txt").write_text(f"text of {name}")
    reading = examine_suite(tmp_path / "evals", None)
    assert reading.suite is not None, reading.errors
    assert [case.id for case in reading.suite.cases] == ["a", "b"]
    sources = [file.source for case in reading.suite.cases for file in case.files]
    assert [Path(source or "").read_text() for source in sources] == ["text of a", "text of b"]


# skillgrade

SKILLGRADE = """
version: "1"
defaults:
  timeout: 300
  workspace: [{src: shared.txt, dest: in/shared.txt}]
tasks:
- name: tidy
  instruction: |
    Tidy up.
    Then stop.
  trials: 2
  timeout: 60
  workspace:
  - fixtures/app.js
  - {src: fixtures/tool, dest: /usr/local/bin/tool, chmod: "+x"}
  - {content: "a=1", dest: .env}
  graders:
  - {type: deterministic, run: "test -f done.txt", weight: 0.5}
  - type: deterministic
    run: |
      echo '{"score": 1.0, "details": "ok"}'
    weight: 0.2
  - {type: deterministic, run: node graders/check.js, weight: 0.2}
  - {type: deterministic, run: node app.js --check, weight: 0.2}
  - {type: llm_rubric, rubric: "Was it tidy?", weight: 0.1}
  - {type: llm_rubric, rubric: prompts/quality.md, weight: 0.1}
  - {type: tool_usage, expectedTools: [{name: grep}]}
"""


@pytest.fixture
def skillgrade(tmp_path: Path) -> Suite:
    """The suite above, with the files that it names."""
    for name, text in {"shared.txt": "s", "fixtures/app.js": "j", "prompts/quality.md": "Is it good?\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return _suite(tmp_path, "eval.yaml", SKILLGRADE)


def test_skillgrade_tasks_are_cases(skillgrade: Suite) -> None:
    """Files go where the workspace says; what belongs outside of the agent's folder is told, and not given."""
    (case,) = skillgrade.cases
    assert (skillgrade.dialect, case.id, case.prompt, case.runs) == ("skillgrade", "tidy", "Tidy up.\nThen stop.\n", 2)
    assert [(file.path, file.content) for file in case.files] == [
        ("in/shared.txt", None),
        ("app.js", None),
        (".env", "a=1"),
    ]
    assert case.extra["timeout"] == 60
    told = [(repair.path, repair.line) for repair in skillgrade.repairs if repair.code == "file-not-given"]
    assert told == [("tasks[0].workspace[1]", 15)]


def test_skillgrade_graders_are_commands_and_judgements(skillgrade: Suite) -> None:
    """A full score passes; a script that is not in the folder would fail for no fault of the agent's."""
    plain, scored, script, own, inline, in_file, tools = skillgrade.cases[0].assertions
    assert isinstance(plain, CommandCheck)
    assert isinstance(scored, CommandCheck)
    assert isinstance(own, CommandCheck)
    assert (plain.command, plain.written["weight"]) == ("test -f done.txt", 0.5)
    assert own.command == "node app.js --check"
    assert {one.expect_stdout for one in (plain, scored, own)} == {r'"score"\s*:\s*1(?:\.0+)?\s*[,}]'}
    assert isinstance(script, Foreign)
    assert script.reason == "its script 'graders/check.js' is not in the folder that the command runs in"
    assert [one.rubric for one in (inline, in_file) if isinstance(one, LlmJudge)] == ["Was it tidy?", "Is it good?"]
    assert isinstance(tools, Foreign)


def test_an_instruction_may_stand_in_a_file(tmp_path: Path) -> None:
    """Of the folder alone; the path of a text that is not there is an error, and not the prompt."""
    (tmp_path / "task.md").write_text("Do it well.\n")
    text = "tasks: [{{name: a, instruction: {}, graders: []}}]"
    assert _suite(tmp_path, "eval.yaml", text.format("task.md")).cases[0].prompt == "Do it well."
    assert _suite(tmp_path, "eval.yaml", text.format("tidy")).cases[0].prompt == "tidy"
    (error,) = _examine(tmp_path, "eval.yaml", text.format("prompts/task.md")).errors
    assert (error.code, error.place) == ("file-missing", "tasks[0].instruction")
    (tmp_path / "in").mkdir()
    (outside,) = _examine(tmp_path, "in/eval.yaml", text.format("../task.md")).errors
    assert outside.code == "file-missing"


# waza


def test_a_waza_task_is_one_case(tmp_path: Path) -> None:
    """Files are written in it, or lie in the folder of fixtures."""
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures/b.py").write_text("b")
    text = "id: t-1\nname: One\ninputs:\n  prompt: Go\n  context: {a: 1}\n  files: [{path: a.py, content: a}, {path: b.py}]\n"
    suite = _suite(tmp_path, "task.yaml", text)
    (case,) = suite.cases
    assert (suite.dialect, case.id, case.name, case.prompt) == ("waza-task", "t-1", "One", "Go")
    assert [(file.path, file.content) for file in case.files] == [("a.py", "a"), ("b.py", None)]
    assert case.extra["inputs"]["context"] == {"a": 1}


@pytest.mark.parametrize(
    ("expression", "pattern", "negate"),
    [
        ("'a+b' in output", r"a\+b", False),
        ('"no" not in output.lower()', "(?i)no", True),
        ("'az' in output.lower() or 'deploy' in output.lower()", "(?i)az|deploy", False),
    ],
)
def test_plain_expressions_of_waza_are_searches(tmp_path: Path, expression: str, pattern: str, *, negate: bool) -> None:
    """Text in the output, as it is or whatever its case; several joined by `or`."""
    quoted = expression.replace("'", "''")
    (found,) = _assertions(tmp_path, f"graders:\n- {{type: code, name: x, assertions: ['{quoted}']}}\n")
    assert _said(found) == (pattern, negate)


@pytest.mark.parametrize(
    "expression",
    [
        "len(output) > 0",
        "'Az' in output.lower()",
        "'a' in output and 'b' in output",
        "'a' in output or 'b' in output.lower()",
        "'a' in output or 'b' not in output",
        "any(w in output for w in ['a'])",
        "'a' in transcript",
        "__import__('os').system('x')",
    ],
)
def test_other_expressions_of_waza_are_foreign(tmp_path: Path, expression: str) -> None:
    """Nothing of it is run."""
    quoted = expression.replace("'", "''")
    (found,) = _assertions(tmp_path, f"graders:\n- {{type: code, config: {{assertions: ['{quoted}']}}}}\n")
    assert isinstance(found, Foreign)
    assert "it is an expression in Python" in found.reason


def test_text_and_patterns_of_waza(tmp_path: Path) -> None:
    """Each has a verdict of its own, on all that the agent said; `contains` does not care for case, `contains_cs` does."""
    text = (
        "graders:\n"
        "- {type: text, config: {contains: [A], not_contains: [b.], contains_cs: [C], regex_not_match: ['d+']}}\n"
        "- {type: regex, config: {pattern: 'e|f', should_match: false}}\n"
        "- {type: regex, config: {pattern: 'g'}}\n"
        "- {type: regex, config: {must_match: ['h'], must_not_match: ['i']}}\n"
    )
    assert [_said(one) for one in _assertions(tmp_path, text)] == [
        ("(?i)A", False),
        (r"(?i)b\.", True),
        ("C", False),
        ("d+", True),
        ("e|f", True),
        ("g", False),
        ("h", False),
        ("i", True),
    ]


@pytest.mark.parametrize("pattern", ["^# Plan", "done.$", r"\\Aok", "a|^b"])
def test_a_pattern_tied_to_the_ends_of_all_that_was_said_is_foreign(tmp_path: Path, pattern: str) -> None:
    """The tool searches one text; here the messages stay apart, and each has ends of its own."""
    (found,) = _assertions(tmp_path, f'graders: [{{type: regex, config: {{must_match: ["{pattern}"]}}}}]\n')
    assert isinstance(found, Foreign)
    assert "tied to the ends" in found.reason


def test_a_pattern_for_lines_or_a_class_is_not_tied_to_the_ends(tmp_path: Path) -> None:
    """`(?m)^` is the start of a line, and `[^a]` a character."""
    text = "graders: [{type: regex, config: {must_match: ['(?m)^# Plan', '[^a]b', 'cost: \\$5']}}]\n"
    assert [_said(one)[0] for one in _assertions(tmp_path, text)] == ["(?m)^# Plan", "[^a]b", r"cost: \$5"]


def test_files_schemas_and_prompts_of_waza(tmp_path: Path) -> None:
    """Of one grader, what has a counterpart is graded, and the rest is told."""
    text = (
        "graders:\n"
        "- type: file\n"
        "  config: {must_exist: [a.md], must_not_exist: [b.md], content_patterns: [{path: a.md, must_not_match: [TODO]}]}\n"
        "- {type: json_schema, config: {schema: {type: object}}}\n"
        "- {type: prompt, config: {prompt: Be kind}}\n"
        "- {type: behavior, config: {max_tool_calls: 3}}\n"
    )
    exists, absent, content, schema, judged, limits = _assertions(tmp_path, text)
    assert isinstance(exists, FileExists)
    assert exists.path == "a.md"
    assert isinstance(absent, Foreign)
    assert absent.reason == "'must_not_exist' of file has no counterpart here"
    assert isinstance(content, FileMatches)
    assert (content.path, content.pattern, content.negate) == ("a.md", "TODO", True)
    assert isinstance(schema, JsonMatches)
    assert schema.schema_ == {"type": "object"}
    assert isinstance(judged, LlmJudge)
    assert isinstance(limits, Foreign)


def test_what_a_waza_task_expects(tmp_path: Path) -> None:
    """Texts of the output are searched; whether the skill should be loaded is a field of the case."""
    text = (
        "expected: {output_contains: [Done], output_not_contains: [Error], output_contains_any: [x, y],"
        " should_trigger: false, outcomes: [{type: task_completed}]}\n"
    )
    (case,) = _suite(tmp_path, "task.yaml", f"id: a\ninputs: {{prompt: Go}}\n{text}").cases
    *searched, outcomes = case.assertions
    assert [_said(one) for one in searched] == [("(?i)Done", False), ("(?i)Error", True), ("(?i)x|y", False)]
    assert [one.text for one in searched] == [
        "A message of the agent contains 'Done'",
        "No message of the agent contains 'Error'",
        "A message of the agent contains 'x' or 'y'",
    ]
    assert isinstance(outcomes, Foreign)
    assert not case.skill_should_trigger


WAZA = """
name: pdf-eval
skill: pdf
version: "1.0"
config: {trials_per_task: 3}
graders:
- {type: text, name: polite, config: {contains: [thanks]}}
tasks: ["tasks/*.yaml"]
"""


def test_a_waza_eval_reads_its_task_files(tmp_path: Path) -> None:
    """In natural order below its folder; its own graders apply to every task."""
    for name, prompt in {"10": "ten", "9": "nine"}.items():
        (tmp_path / "tasks").mkdir(exist_ok=True)
        (tmp_path / f"tasks/{name}.yaml").write_text(f"id: t{name}\ninputs: {{prompt: {prompt}}}\n")
    suite = _suite(tmp_path, "eval.yaml", WAZA)
    assert (suite.dialect, suite.skill_name) == ("waza", "pdf")
    assert [(case.id, case.prompt) for case in suite.cases] == [("t9", "nine"), ("t10", "ten")]
    assert [_said(one) for case in suite.cases for one in case.assertions] == [("(?i)thanks", False)] * 2
    assert suite.extra["config"] == {"trials_per_task": 3}


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("../*.yaml", "outside-skill"),
        ("/etc/*", "outside-skill"),
        ("none/*.yaml", "file-missing"),
        ("**a", "bad-path"),
        ("**/**/*", "bad-path"),
    ],
)
def test_globs_of_a_waza_eval_stay_in_its_folder(tmp_path: Path, pattern: str, code: str) -> None:
    """And name something."""
    (tmp_path / "task.yaml").write_text("inputs: {prompt: Go}\n")
    (error,) = _examine(tmp_path, "in/eval.yaml", WAZA.replace("tasks/*.yaml", pattern)).errors
    assert (error.code, error.place, error.line) == (code, "tasks[0]", 8)


def test_links_out_of_the_folder_are_no_tasks(tmp_path: Path) -> None:
    """A link to a task elsewhere is not followed."""
    (tmp_path / "secret.yaml").write_text("inputs: {prompt: Go}\n")
    (tmp_path / "in/tasks").mkdir(parents=True)
    (tmp_path / "in/tasks/a.yaml").symlink_to(tmp_path / "secret.yaml")
    (error,) = _examine(tmp_path, "in/eval.yaml", WAZA).errors
    assert error.code == "file-missing"


def test_broken_task_files_are_told_with_their_own_place(tmp_path: Path) -> None:
    """All of them at once."""
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/a.yaml").write_text("- 1\n")
    (tmp_path / "tasks/b.yaml").write_text("id: b\ninputs: {prompt: 3}\n")
    errors = _examine(tmp_path, "eval.yaml", WAZA).errors
    assert [(Path(error.file).name, error.code) for error in errors] == [
        ("a.yaml", "bad-case"),
        ("b.yaml", "no-prompt"),
    ]


def test_tasks_may_stand_in_the_waza_eval_itself(tmp_path: Path) -> None:
    """With validators, as in its own tests."""
    text = (
        "skill: pdf\ntasks:\n- {id: a, prompt: Go, expected: It goes,"
        " validators: [{type: text, config: {regex_match: ['go']}}]}\n"
    )
    (case,) = _suite(tmp_path, "eval.yaml", text).cases
    assert (case.id, case.prompt, case.expected_output) == ("a", "Go", "It goes")
    assert [_said(one) for one in case.assertions] == [("go", False)]


def test_trigger_prompts_of_waza_are_a_trigger_set(tmp_path: Path) -> None:
    """With the reasons as notes."""
    text = (
        "skill: pdf\nshould_trigger_prompts:\n- {prompt: Read this PDF, reason: names it}\n"
        "should_not_trigger_prompts: [Tell a joke]\n"
    )
    reading = _examine(tmp_path, "trigger_tests.yaml", text)
    assert reading.suite is None
    assert reading.triggers is not None, reading.errors
    assert [(one.query, one.should_trigger, one.note) for one in reading.triggers.queries] == [
        ("Read this PDF", True, "names it"),
        ("Tell a joke", False, None),
    ]
    assert reading.triggers.skill_name == "pdf"


# vally

VALLY = """
name: id-eval
defaults: {runs: 2, timeout: 30m}
environment: {files: [{src: check.mjs, dest: .tools/check.mjs}, {src: ../x.mjs, dest: .tools/x.mjs}]}
constraints: {expect_skills: [identity]}
stimuli:
- name: basic
  prompt: Write it.
  rubric: [It runs., It has no secrets.]
  graders:
  - {type: run-command, name: ok, weight: 1, config: {command: node, args: [.tools/check.mjs, "a b"], timeout: 1.5m}}
  - {type: run-command, name: gone, weight: 1, config: {command: node, args: [.tools/x.mjs]}}
  - {type: run-command, name: env, weight: 1, config: {command: make, cwd: sub}}
  - {type: prompt, name: style, weight: 1, config: {prompt: "Is it idiomatic?", scoring: scale_1_5}}
  - {type: tool-calls, name: tools}
"""


def test_vally_stimuli_are_cases(tmp_path: Path) -> None:
    """Statements of the rubric and prompts go to the judge, commands run where their scripts are."""
    (tmp_path / "check.mjs").write_text("x")
    suite = _suite(tmp_path, "eval.yaml", VALLY)
    (case,) = suite.cases
    assert (suite.dialect, suite.skill_name, case.id, case.prompt) == ("vally", "identity", "basic", "Write it.")
    assert [file.path for file in case.files] == [".tools/check.mjs"]
    loaded, runs, secrets, command, *foreign = case.assertions
    style = foreign.pop(2)
    assert isinstance(loaded, SkillInvoked)
    assert [one.rubric for one in (runs, secrets, style) if isinstance(one, LlmJudge)] == [
        "It runs.",
        "It has no secrets.",
        "Is it idiomatic?",
    ]
    assert isinstance(command, CommandCheck)
    assert (command.command, command.timeout_s) == ("node .tools/check.mjs 'a b'", 90.0)
    assert [one.reason for one in foreign if isinstance(one, Foreign)] == [
        "its script '.tools/x.mjs' is not in the folder that the command runs in",
        "its setting 'cwd' is not known here",
        "graders of type 'tool-calls' are not known here",
    ]
    assert [repair.path for repair in suite.repairs if repair.code == "file-not-given"] == ["environment.files[1]"]


# skilljack

SKILLJACK = """
skill: greeting
defaults:
  expected_skill_load: greeting
  criteria: {discovery: {weight: 0.3}, output: {weight: 0.7, description: Is friendly.}}
tasks:
- id: g-1
  prompt: Say hello.
  deterministic: {expect_skill_activation: true, expect_marker: "OK!", expect_tool_calls: [Read], expect_no_tool_calls: [Bash]}
  criteria: {adherence: {weight: 0.4, description: Follows the format.}}
  golden_checklist: [It says hello.]
- {id: g-2, prompt: "What is a greeting?", expected_skill_load: none, fixture: {setup: a.sh}}
"""


def test_skilljack_tasks_are_cases(tmp_path: Path) -> None:
    """Descriptions of the dimensions and the checklist are statements; defaults hold where a task says nothing."""
    suite = _suite(tmp_path, "tasks.yaml", SKILLJACK)
    first, second = suite.cases
    assert (suite.dialect, suite.skill_name, first.id) == ("skilljack", "greeting", "g-1")
    loaded, marker, read, bash, *judged = first.assertions
    assert isinstance(loaded, SkillInvoked)
    assert _pattern(marker) == ("(?i)OK!", False)
    checks = [(one.pattern, one.negate) for one in (read, bash) if isinstance(one, TranscriptCheck)]
    assert checks == [("^Read(?: |$)", False), ("^Bash(?: |$)", True)]
    assert [one.text for one in judged] == ["Follows the format.", "Is friendly.", "It says hello."]
    assert [(case.skill_should_trigger, len(case.assertions)) for case in suite.cases] == [(True, 7), (False, 1)]
    assert second.extra["fixture"] == {"setup": "a.sh"}


def test_more_checks_of_skilljack(tmp_path: Path) -> None:
    """Texts as they are, patterns, files; what is not known is told."""
    block = "expect_contains: [a.b], expect_not_contains: [C], expect_regex: ['d+'], expect_file_exists: [o.md]"
    text = f"tasks: [{{id: a, prompt: Go, deterministic: {{{block}, expect_javascript: x}}}}]"
    held, absent, matched, exists, script = _suite(tmp_path, "tasks.yaml", text).cases[0].assertions
    assert [_pattern(one) for one in (held, absent, matched)] == [(r"a\.b", False), ("C", True), ("d+", False)]
    assert isinstance(exists, FileExists)
    assert exists.path == "o.md"
    assert isinstance(script, Foreign)


def test_where_the_skill_stays_out_skilljack_looks_at_nothing_else(tmp_path: Path) -> None:
    """So that a marker in such a task is no check."""
    text = "tasks: [{id: a, prompt: Go, deterministic: {expect_skill_activation: false, expect_marker: HELLO}}]"
    (case,) = _suite(tmp_path, "tasks.yaml", text).cases
    assert not case.skill_should_trigger
    assert [one.type for one in case.assertions] == ["foreign", "foreign"]


# copilot-skill-eval


def test_copilot_skill_eval_scenarios_are_cases(tmp_path: Path) -> None:
    """Prompts stand in files, and the build is a command that has to succeed."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/shop.prompt.md").write_text("Build a shop.\n")
    text = (
        "name: Apps\nconfigurations: [{name: none}]\ndimensions: [{name: Style}]\n"
        "scenarios: [{name: Shop, prompt: prompts/shop.prompt.md, description: A shop}]\n"
        "verification: {build: {command: dotnet build, success_pattern: Build succeeded}, run: {command: dotnet run}}\n"
    )
    suite = _suite(tmp_path, "eval.yaml", text)
    (case,) = suite.cases
    assert (suite.dialect, case.id, case.prompt) == ("copilot-skill-eval", "Shop", "Build a shop.")
    build, run = case.assertions
    assert isinstance(build, CommandCheck)
    assert (build.command, build.expect_stdout) == ("dotnet build", "Build succeeded")
    assert isinstance(run, Foreign)
    assert suite.extra["dimensions"] == [{"name": "Style"}]


# Evals whose prompts are files


def test_prompts_that_are_paths_are_read(tmp_path: Path) -> None:
    """And what is expected; a file that is not there is an error at its place."""
    for name, text in {"prompts/a.md": "Do a.\n", "expected/a.md": "A is done.\n"}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    text = (
        "skill: ros\nevals:\n- {name: a, prompt: prompts/a.md, expected: expected/a.md,"
        " criteria: [{id: c, description: It is A.}]}\n"
    )
    (case,) = _suite(tmp_path, "eval.yaml", text).cases
    assert (case.prompt, case.expected_output, [one.text for one in case.assertions]) == (
        "Do a.",
        "A is done.",
        ["It is A."],
    )
    (error,) = _examine(tmp_path, "eval.yaml", text.replace("prompts/a.md", "prompts/b.md")).errors
    assert (error.code, error.place, error.line) == ("file-missing", "evals[0].prompt", 3)


# One case a file


def test_an_object_with_a_prompt_is_one_case(tmp_path: Path) -> None:
    """Checks that are code of the author's harness are carried."""
    text = (
        "skill: pin\nprompt: Pin it.\narms: {with: {}}\njudge_rubric: Was all pinned?\n"
        "objective_checks: [{id: sha, description: All are pinned, type: shas, paths: [a]}]\n"
    )
    suite = _suite(tmp_path, "fixture.yaml", text)
    (case,) = suite.cases
    assert (suite.dialect, suite.skill_name, case.prompt) == ("single-case", "pin", "Pin it.")
    assert sorted((one.type, one.text) for one in case.assertions) == [
        ("foreign", "All are pinned"),
        ("llm_judge", "Was all pinned?"),
    ]
    assert case.extra["arms"] == {"with": {}}


def test_a_folder_may_mix_forms(tmp_path: Path) -> None:
    """Each file is read by its own, in natural order of the names."""
    (tmp_path / "1.yaml").write_text("id: one\ninputs: {prompt: Go}\n")
    (tmp_path / "2.json").write_text('{"id": "two", "prompt": "Go", "assertions": ["Gone."]}')
    (tmp_path / "10.yaml").write_text("name: ten\nexecution: {prompt: Go}\n")
    (tmp_path / "11.json").write_text('{"query": "Go", "skills": ["a"], "expected_behavior": ["Gone."]}')
    suite = examine_suite(tmp_path, None).suite
    assert suite is not None
    assert suite.dialect == "case-folder"
    assert [(case.id, len(case.assertions)) for case in suite.cases] == [
        ("one", 0),
        ("two", 1),
        ("ten", 0),
        ("case-4", 1),
    ]


# Rows


def test_rows_of_a_csv_file_are_queries(tmp_path: Path) -> None:
    """Cells are texts, and so are ids; `true` and `false` are read as such where they are asked for."""
    text = 'id,expect_trigger,prompt\n1,true,"Read it, please"\n2,FALSE,Tell a joke\n'
    reading = _examine(tmp_path, "prompts.csv", text)
    assert reading.triggers is not None, reading.errors
    assert [(one.written_id, one.query, one.should_trigger) for one in reading.triggers.queries] == [
        ("1", "Read it, please", True),
        ("2", "Tell a joke", False),
    ]


def test_rows_of_a_jsonl_file_are_queries_or_cases(tmp_path: Path) -> None:
    """By what they hold; a broken line is an error with its number, and the others are still examined."""
    queries = '{"id": "a", "query": "Read it", "label": "should_not_trigger"}\n'
    reading = _examine(tmp_path, "queries.jsonl", queries)
    assert reading.triggers is not None
    assert [(one.query, one.should_trigger) for one in reading.triggers.queries] == [("Read it", False)]
    cases = '{"id": "a", "prompt": "Go", "assertions": ["Gone."]}\n{"id": "b", "prompt": 3, "assertions": ["Gone."]}\n{"id"\n'
    errors = _examine(tmp_path, "cases.jsonl", cases).errors
    assert sorted((error.line, error.code) for error in errors) == [(2, "bad-prompt"), (3, "cut-file")]


def test_the_digest_is_of_what_is_meant_and_not_of_the_format(tmp_path: Path) -> None:
    """The same cases in JSON, YAML and JSON Lines are the same suite, so that nothing is run again."""
    cases = [{"id": "a", "prompt": "Go", "runs": 2, "assertions": ["It goes"]}, {"id": "b", "prompt": "Stop"}]
    as_json = json.dumps({"cases": cases})
    as_yaml = "cases:\n- {id: a, prompt: Go, runs: 2, assertions: [It goes]}\n- id: b\n  prompt: |-\n    Stop\n"
    as_lines = "\n".join(json.dumps({**case, "expectations": []}) for case in cases)
    texts = {"c.json": as_json, "c.yaml": as_yaml, "c.jsonl": as_lines}
    assert len({_suite(tmp_path, name, text).digest for name, text in texts.items()}) == 1
