"""Texts made to keep a reader busy: each is read in a second, and would take minutes or for ever if it were looked at twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skilltrial.spec.lint.vacuous import about_checks
from skilltrial.spec.patterns import n_parts
from skilltrial.spec.suite import examine_suite


def test_a_set_that_is_never_closed_takes_the_rest() -> None:
    """Its end is looked for once, not at each of 200,000 brackets."""
    assert n_parts("a" + "[" * 200_000) == 2


def test_a_prompt_of_slashes_is_a_prompt(write_evals: Callable[[object], Path]) -> None:
    """A megabyte of them is no path of a file."""
    suite = examine_suite(write_evals({"evals": [{"id": 1, "prompt": "/" * 1_000_000}]}), None).suite
    assert suite is not None
    assert suite.dialect == "agentskills"


@pytest.mark.parametrize("start", ["echo", "make || echo", "true", "make;"])
def test_a_command_of_spaces_is_looked_at_once(write_case: Callable[..., Path], start: str) -> None:
    """It ends in a pipe, so that it may fail."""
    command = {"type": "command_check", "command": f"{start}{' ' * 100_000}| grep x"}
    suite = examine_suite(write_case(assertions=[command]), None).suite
    assert suite is not None
    assert list(about_checks(suite, skill_name="pdf")) == []


def test_a_prompt_that_is_too_long_for_a_file_is_one_finding(write_evals: Callable[[object], Path]) -> None:
    """It looks like a path; asking the system for it fails."""
    path = write_evals({"evals": [{"id": 1, "prompt": f"./{'a' * 290}.md"}]})
    assert [error.code for error in examine_suite(path, None).errors] == ["file-missing"]
