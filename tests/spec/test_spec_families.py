"""Families of cases in eval files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.records.suite import Suite
from skilltrial.spec.convert.conversion import convert
from skilltrial.spec.convert.converted import TargetName
from skilltrial.spec.convert.json_text import json_text
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

Write = Callable[..., Path]


def load(skill: Path, evals: Path) -> Suite:
    """The suite of a skill."""
    return load_suite(load_skill(skill), evals)


def test_a_family_is_read(skill: Path, write_case: Write) -> None:
    """It is no unknown key."""
    suite = load(skill, write_case(family="totals", assertions=["A"]))
    assert suite.cases[0].family == "totals"
    assert suite.cases[0].extra == {}
    assert suite.repairs == ()


@pytest.mark.parametrize("wrong", ["", " ", 3, ["totals"], True])
def test_a_family_is_a_text(skill: Path, write_case: Write, wrong: object) -> None:
    """Anything else is an error at its place."""
    with pytest.raises(SpecError, match=r"evals\[0\]\.family") as caught:
        load(skill, write_case(family=wrong, assertions=["A"]))
    assert caught.value.code == "bad-family"


def test_nothing_becomes_stale_by_a_family(skill: Path, write_case: Write) -> None:
    """No trial and no grading depends on it."""
    alone = load(skill, write_case(assertions=["A"])).digest
    assert load(skill, write_case(family="totals", assertions=["A"])).digest == alone


@pytest.mark.parametrize("to", ["agentskills", "skill-creator", "skill-builder"])
def test_a_family_is_written_back(skill: Path, write_case: Write, to: TargetName) -> None:
    """In every form that may hold it."""
    suite = load(skill, write_case(family="totals", assertions=["A"]))
    written = json_text(convert(suite, to=to, skill=load_skill(skill)).value)
    assert [case["family"] for case in json.loads(written)["evals"]] == ["totals"]


def test_a_family_that_cannot_be_written_is_a_loss(skill: Path, write_case: Write) -> None:
    """The strict form has no place for it."""
    suite = load(skill, write_case(family="totals", assertions=["A"]))
    losses = convert(suite, to="slow-powers", skill=load_skill(skill)).losses
    assert any("'family'" in loss.what for loss in losses)
