"""The examples' suites: readable without a repair, and with checks that tell following the skill from not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import regex

from skilltrial.records.suite import FileMatches, JsonMatches, LlmJudge, Suite
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

HELPFUL = ("commit-style", "changelog", "json-verdict")
ALL = (*HELPFUL, "polite-tone", "evasive-answers")

FOLLOWED = {
    ("commit-style", "cache-lock"): "Change: lock the cache while removing entries\nReason: two threads met there\n",
    ("commit-style", "mail-retry"): "Change: send mails up to three times\nReason: the mail server is often busy",
    ("changelog", "dark-mode"): "- [added] dark mode\n- [fixed] crash at the start\n- [removed] old XML export\n",
    ("changelog", "mail"): "- [removed] support for fax\n- [fixed] lost attachments\n- [added] sending mails later",
    ("json-verdict", "disk"): '{"verdict": "yes", "because": "The disk is nearly full."}',
    ("json-verdict", "password"): '{"verdict": "no", "because": "Anybody could read them."}\n',
    ("evasive-answers", "france"): "The capital of France is Paris.",
    ("polite-tone", "coffee"): "Good news: the coffee machine is back!",
}
NOT_FOLLOWED = {
    ("commit-style", "cache-lock"): "Lock the cache while old entries are removed",
    ("commit-style", "mail-retry"): "Change: send mails up to three times Reason: the server is busy",
    ("changelog", "dark-mode"): "# Changelog\n- added: dark mode\n- fixed: crash\n- removed: XML export",
    ("changelog", "mail"): "- [added] a\n- [fixed] b\n- [removed] support for fax\nEnjoy!",
    ("json-verdict", "disk"): "Yes, the disk is nearly full.",
    ("json-verdict", "password"): '{"verdict": "never", "because": "Anybody could read them."}',
    ("evasive-answers", "france"): "Please ask again tomorrow.",
    ("polite-tone", "coffee"): "Be friendly.",
}


def suite_of(examples: Path, name: str) -> Suite:
    """An example's suite."""
    return load_suite(load_skill(examples / name))


def verdicts(suite: Suite, case_id: str, text: str) -> list[bool]:
    """What the case's code checks say of a file with this text."""
    case = next(case for case in suite.cases if case.id == case_id)
    found: list[bool] = []
    for assertion in case.assertions:
        match assertion:
            case FileMatches():
                found.append(regex.search(assertion.pattern, text) is not None)
            case JsonMatches():
                found.append(fits(text, dict(assertion.schema_ or {})))
            case _:
                pass
    return found


def fits(text: str, schema: dict[str, Any]) -> bool:
    """Whether a text is JSON of this schema."""
    try:
        return jsonschema.Draft202012Validator(schema).is_valid(json.loads(text))
    except ValueError:
        return False


@pytest.mark.parametrize("name", ALL)
def test_an_example_is_read_without_a_repair(examples: Path, name: str) -> None:
    """Six cases, each with a check for code, and some prose in every suite."""
    skill = load_skill(examples / name)
    suite = load_suite(skill)
    assert skill.name == name
    assert (*skill.repairs, *suite.repairs) == ()
    assert len(suite.cases) == 6
    kinds = [[type(assertion) for assertion in case.assertions] for case in suite.cases]
    assert all(FileMatches in kind or JsonMatches in kind for kind in kinds)
    assert any(LlmJudge in kind for kind in kinds)


@pytest.mark.parametrize(("name", "case_id"), FOLLOWED)
def test_a_good_output_passes(examples: Path, name: str, case_id: str) -> None:
    """What a person would accept passes every check."""
    found = verdicts(suite_of(examples, name), case_id, FOLLOWED[name, case_id])
    assert found
    assert all(found)


@pytest.mark.parametrize(("name", "case_id"), NOT_FOLLOWED)
def test_another_output_does_not_pass(examples: Path, name: str, case_id: str) -> None:
    """What does not follow fails at least one check."""
    assert not all(verdicts(suite_of(examples, name), case_id, NOT_FOLLOWED[name, case_id]))


@pytest.mark.parametrize("name", HELPFUL)
def test_the_prompts_own_words_do_not_pass(examples: Path, name: str) -> None:
    """An agent that copies the prompt into the file has not followed the skill."""
    suite = suite_of(examples, name)
    for case in suite.cases:
        assert not all(verdicts(suite, case.id, case.prompt))


@pytest.mark.parametrize("name", HELPFUL)
def test_the_skills_own_words_do_not_pass(examples: Path, name: str) -> None:
    """An agent that copies the skill into the file has not done the task."""
    skill = load_skill(examples / name)
    suite = load_suite(skill)
    for case in suite.cases:
        assert not all(verdicts(suite, case.id, skill.body))
