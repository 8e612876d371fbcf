"""`json_matches` with a JSONPath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from skilltrial.grade.checks.json_path import check_json_path
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.records.suite import JsonMatches

Make = Callable[..., Material]
DATA = b'{"items": [{"name": "ink", "price": 3}, {"name": "paper", "price": 3.0}, {"name": "pen", "price": null}]}'


def _run(made: Material, **fields: Any) -> CheckResult:
    assertion = JsonMatches.model_validate({"id": "j", "text": "j", **fields})
    return anyio.run(lambda: check_json_path(assertion, made))


@pytest.mark.parametrize(
    ("jsonpath", "equals", "verdict", "evidence"),
    [
        ("$.items[?@.name == 'ink'].price", 3, "PASS", "is 3"),
        ("$.items[:2].price", 3, "PASS", "is 3, 3.0"),
        ("$.items[*].price", 3, "FAIL", "is 3, 3.0, null; null is not 3"),
        ("$.items[*].price", None, "PASS", "is 3, 3.0, null"),
        ("$.items[2].price", None, "FAIL", "is null"),
        ("$..colour", None, "FAIL", "nothing is at '$..colour'"),
        ("$.items[0]", {"name": "ink", "price": 3}, "PASS", '{"name": "ink", "price": 3}'),
    ],
)
def test_all_values_found_are_compared(material: Make, jsonpath: str, equals: Any, verdict: str, evidence: str) -> None:
    """Without a wanted value, one that is not null is enough."""
    result = _run(material({"a.json": DATA}), path="a.json", jsonpath=jsonpath, equals=equals)
    assert (result.verdict, evidence in result.evidence) == (verdict, True)


def test_the_final_message_and_a_schema_beside(material: Make) -> None:
    """What is no JSON, or does not fit the schema, fails before the path is asked."""
    made = material(final_message='```json\n{"total": 9}\n```')
    assert _run(made, jsonpath="$.total", equals=9).verdict == "PASS"
    assert _run(made, jsonpath="$.total", equals=9, schema={"required": ["name"]}).verdict == "FAIL"
    assert _run(material(final_message="nine"), jsonpath="$.total").verdict == "FAIL"


def test_a_wrong_expression_is_no_verdict(material: Make) -> None:
    """Where it was not seen when the file was read."""
    with pytest.raises(Undecided, match="JSONPath is wrong"):
        _run(material({"a.json": DATA}), path="a.json", jsonpath="$.[")


def test_what_is_found_may_be_too_much(material: Make) -> None:
    """The values come back from the reader's process, and have to fit into ours."""
    made = material({"a.json": b'["' + b"x" * 2_000_000 + b'"]'})
    with pytest.raises(Undecided, match="more than 2,000,000 characters at the JSONPath"):
        _run(made, path="a.json", jsonpath="$[0]")
