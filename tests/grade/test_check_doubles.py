"""`double_called`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skilltrial.grade.checks.doubles import check_double_called
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.records.doubles import DoubleCall
from skilltrial.records.suite import DoubleCalled

Make = Callable[..., Material]

CASE = {
    "doubles": {
        "commands": [{"name": "kubectl"}, {"name": "helm"}],
        "mcp": [{"name": "tickets", "tools": [{"name": "close"}, {"name": "open"}]}],
    }
}
CALLS = (
    DoubleCall(kind="command", name="kubectl", input="get pods"),
    DoubleCall(kind="command", name="kubectl", input="apply -f web.yaml"),
    DoubleCall(kind="command", name="kubectl", input="delete ns", expected=False),
    DoubleCall(kind="mcp", name="tickets/close", input='{"id":7}'),
)


def checked(material: Make, calls: tuple[DoubleCall, ...] | None = CALLS, **fields: Any) -> CheckResult:
    """The verdict on a trial with these calls; None: without a record."""
    counts = None if calls is None else {f"{call.kind}:{call.name}": 1 for call in calls}
    made = material(case=CASE, double_calls=counts)
    if calls is not None:
        lines = "".join(call.model_dump_json() + "\n" for call in calls)
        (made.outputs.parent / "doubles.jsonl").write_text(lines)
    return check_double_called(DoubleCalled(id="t", text="t", **fields), made)


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"double": "kubectl"}, "PASS"),
        ({"double": "command:kubectl", "min_count": 3, "max_count": 3}, "PASS"),
        ({"double": "kubectl", "min_count": 4}, "FAIL"),
        ({"double": "kubectl", "max_count": 2}, "FAIL"),
        ({"double": "kubectl", "matches": "^apply"}, "PASS"),
        ({"double": "kubectl", "matches": "^scale"}, "FAIL"),
        ({"double": "kubectl", "matches": "^delete", "max_count": 0}, "FAIL"),
        ({"double": "kubectl", "matches": "^scale", "max_count": 0}, "PASS"),
        ({"double": "helm"}, "FAIL"),
        ({"double": "helm", "max_count": 0}, "PASS"),
        ({"double": "tickets"}, "PASS"),
        ({"double": "tickets/close", "matches": '"id":7'}, "PASS"),
        ({"double": "mcp:tickets/open"}, "FAIL"),
    ],
)
def test_calls_are_counted(material: Make, fields: dict[str, Any], verdict: str) -> None:
    """Of the double, with the pattern in their input; those without a fitting reply count as well."""
    assert checked(material, **fields).verdict == verdict


def test_the_evidence_shows_what_was_called(material: Make) -> None:
    """Those that count, the others, and those that nobody foresaw."""
    assert checked(material, double="kubectl", matches="^apply").evidence == (
        "1 call of kubectl with '^apply' ('apply -f web.yaml'); others: 2 calls ('get pods', 'delete ns'); "
        "without a fitting reply: 1 call ('delete ns')"
    )


def test_without_a_record_nothing_is_known(material: Make) -> None:
    """A replay, an import: neither called nor not called."""
    with pytest.raises(Undecided, match="no record of calls"):
        checked(material, None, double="kubectl", max_count=0)


def test_a_double_that_the_case_does_not_have_is_no_verdict(material: Make) -> None:
    """Else 'must not be called' would hold for any slip."""
    with pytest.raises(Undecided, match="no double 'kubctl'"):
        checked(material, double="kubctl", max_count=0)


def test_a_record_that_was_changed_is_no_verdict(material: Make) -> None:
    """Only our own lines count."""
    made = material(case=CASE, double_calls={})
    (made.outputs.parent / "doubles.jsonl").write_text("{}\n")
    with pytest.raises(Undecided, match="not as it was written"):
        check_double_called(DoubleCalled(id="t", text="t", double="helm"), made)
