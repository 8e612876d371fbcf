"""YAML suites with keys removed, values of another type, and cut short: one message, never a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.records.json_value import Json
from skilltrial.spec.suite import examine_suite

SUITES: Mapping[str, str] = {
    "case": """
name: a
runs: 2
context: {add_dirs: [x], files: [y], scaffold_script: s}
execution: {prompt: Go}
expected_outcome: It goes.
graders:
- {type: llm, criteria: c}
- {type: regex, target: last_message, flags: i, pattern: p, match: contains}
- {type: tool_used, tool: t, min: 1, max: 0}
""",
    "skillgrade": """
version: "1"
defaults: {workspace: [a]}
tasks:
- name: a
  instruction: Go
  trials: 1
  workspace: [{src: a, dest: b, content: c}]
  graders: [{type: deterministic, run: "echo score"}, {type: llm_rubric, rubric: r}]
""",
    "skilljack": """
skill: a
defaults: {expected_skill_load: a, criteria: {output: {description: d}}}
tasks:
- id: a
  prompt: Go
  expected_skill_load: none
  deterministic: {expect_skill_activation: true, expect_marker: m, expect_tool_calls: [t], expect_no_tool_calls: [u]}
  criteria: {adherence: {weight: 1, description: d}}
  golden_checklist: [c]
""",
    "vally": """
environment: {files: [{src: a, dest: b}]}
constraints: {expect_skills: [a]}
stimuli:
- name: a
  prompt: Go
  rubric: [r]
  graders: [{type: run-command, config: {command: c, args: [d], timeout: 3s}}, {type: prompt, config: {prompt: p}}]
""",
    "waza": """
skill: a
graders: [{type: text, config: {contains: [c], regex_match: [r]}}, {type: regex, config: {pattern: p, should_match: false}}]
tasks:
- id: a
  name: b
  inputs: {prompt: Go, files: [{path: a, content: b}, {path: c}]}
  expected: {output_contains: [o], output_contains_any: [p], should_trigger: true, outcomes: []}
  graders:
  - {type: code, assertions: ["'a' in output"]}
  - {type: file, config: {must_exist: [f], content_patterns: [{path: p, must_match: [m]}]}}
- "tasks/*.yaml"
""",
    "copilot": """
configurations: []
dimensions: [{name: d}]
scenarios: [{name: a, prompt: Go}]
verification: {build: {command: c, success_pattern: p}, run: {command: r}}
""",
    "triggers": """
skill: a
should_trigger_prompts: [{prompt: p, reason: r}, q]
should_not_trigger_prompts: [{prompt: s}]
""",
}
OTHER = (
    "null",
    "true",
    "0",
    "3",
    "-1.5",
    '""',
    '" "',
    '"../x"',
    '"x/y.md"',
    '"("',
    "[]",
    "[[]]",
    "[null]",
    "{}",
    '{"a": {}}',
)
"""Values in place of others, as JSON."""

Place = tuple[str | int, ...]


def _places(value: Json, path: Place = ()) -> Iterator[Place]:
    """Those of all values below the top."""
    if isinstance(value, dict):
        keys: list[str | int] = list(cast("dict[str, Json]", value))
    else:
        keys = list(range(len(cast("list[Json]", value)))) if isinstance(value, list) else []
    for key in keys:
        yield (*path, key)
        yield from _places(cast("Json", value)[key], (*path, key))


@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_suites_with_a_changed_value_are_read_or_refused(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every message is a sentence with the file, and nothing is raised."""
    value: Json = yaml.safe_load(SUITES[data.draw(st.sampled_from(sorted(SUITES)))])
    for _ in range(data.draw(st.integers(1, 3))):
        places = list(_places(value))
        if not places:
            break
        *way, last = data.draw(st.sampled_from(places))
        holder = value
        for step in way:
            holder = holder[step]
        if isinstance(holder, dict) and data.draw(st.booleans()):
            del holder[last]
        else:
            holder[last] = json.loads(data.draw(st.sampled_from(OTHER)))
    path = tmp_path_factory.getbasetemp() / "changed.yaml"
    path.write_text(json.dumps(value))
    reading = examine_suite(path, None)
    assert reading.errors or reading.suite or reading.triggers
    for error in reading.errors:
        assert error.file == str(path)
        assert error.message.endswith(".")


@pytest.mark.parametrize("name", sorted(SUITES))
def test_suites_cut_short_are_read_or_refused(tmp_path: Path, name: str) -> None:
    """Every prefix, in steps of seven characters."""
    path = tmp_path / "cut.yaml"
    for end in range(1, len(SUITES[name]), 7):
        path.write_text(SUITES[name][:end])
        reading = examine_suite(path, None)
        assert reading.errors or reading.suite or reading.triggers
