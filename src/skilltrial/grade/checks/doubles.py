"""`double_called`: how often the agent used a double."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.grade.decision import CheckResult, Undecided, decided
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import Material
from skilltrial.grade.patterns import matches
from skilltrial.records.doubles import DoubleCall, Doubles
from skilltrial.records.suite import DoubleCalled

_SHOWN = 3


def check_double_called(assertion: DoubleCalled, material: Material) -> CheckResult:
    """Count the calls of the double whose input has the pattern. Calls that no reply fitted count, and are shown.

    Raises `Undecided` where the case has no such double, or the trial no record.
    """
    doubles = material.case.doubles
    if doubles is None or assertion.double not in names_of(doubles):
        raise Undecided(f"the case has no double {assertion.double!r}.")
    own = [call for call in material.double_calls() if assertion.double in _names(call)]
    found = own
    if assertion.matches is not None:
        searched = zip(own, matches(assertion.matches, (call.input for call in own)), strict=True)
        found = [call for call, match in searched if match]
    least = 0 if assertion.max_count == 0 else assertion.min_count
    holds = least <= len(found) and (assertion.max_count is None or len(found) <= assertion.max_count)
    return decided(holds, _evidence(assertion, own, found))


def names_of(doubles: Doubles) -> set[str]:
    """Everything that a double of these can be called by."""
    plain = [("command", one.name) for one in doubles.commands] + [("http", one.name) for one in doubles.http]
    plain += [("mcp", one.name) for one in doubles.mcp]
    plain += [("mcp", f"{one.name}/{tool.name}") for one in doubles.mcp for tool in one.tools]
    return {name for kind, plain_name in plain for name in (plain_name, f"{kind}:{plain_name}")}


def _names(call: DoubleCall) -> set[str]:
    names = {call.name, call.name.partition("/")[0]} if call.kind == "mcp" else {call.name}
    return names | {f"{call.kind}:{name}" for name in names}


def _evidence(assertion: DoubleCalled, own: Sequence[DoubleCall], found: Sequence[DoubleCall]) -> str:
    pattern = "" if assertion.matches is None else f" with {excerpt(assertion.matches)!r}"
    said = f"{_calls(len(found))} of {assertion.double}{pattern}{_listed(found)}"
    others = [call for call in own if call not in found]
    said += f"; others: {_calls(len(others))}{_listed(others)}" if others else ""
    strange = [call for call in own if not call.expected]
    return f"{said}; without a fitting reply: {_calls(len(strange))}{_listed(strange)}" if strange else said


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"


def _listed(calls: Sequence[DoubleCall]) -> str:
    if not calls:
        return ""
    more = ", …" if len(calls) > _SHOWN else ""
    return f" ({', '.join(repr(excerpt(call.input, 80)) for call in calls[:_SHOWN])}{more})"
