"""Remarks on what stands in for programs, services and servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skilltrial.records.doubles import CommandReply, Doubles, HttpReply
from skilltrial.records.suite import Case, DoubleCalled, Suite
from skilltrial.spec.lint.remark import Remark

_START = "start"


def about_doubles(suite: Suite) -> Iterator[Remark]:
    """States that no reply leads to, doubles that nothing looks at, and checks of doubles that are not there."""
    for case in suite.cases:
        asked = [one for one in case.assertions if isinstance(one, DoubleCalled)]
        known = _names(case.doubles) if case.doubles else {}
        for one in asked:
            if one.double not in {name for names in known.values() for name in names}:
                have = f"It has {', '.join(map(repr, known))}." if known else "Give the case `doubles`."
                message = f"{one.id!r} looks at the double {one.double!r}, which {case.id!r} does not have."
                yield Remark("double-unknown", message, key=(case.id, one.id), hint=have)
        if case.doubles is None:
            continue
        yield from _unreachable(case, case.doubles)
        names = {one.double for one in asked}
        for name, other_names in known.items():
            if not names & other_names:
                message = f"no assertion of {case.id!r} looks at the double {name!r}."
                hint = (
                    f'Add {{"type": "double_called", "double": "{name}"}}, with "max_count": 0 if it must not be used.'
                )
                yield Remark("double-not-checked", message, key=(case.id, None), hint=hint)


def _names(doubles: Doubles) -> dict[str, set[str]]:
    """Every double by `kind:name`, with all that an assertion may call it by."""
    named = {f"command:{one.name}": {one.name} for one in doubles.commands}
    named |= {f"http:{one.name}": {one.name} for one in doubles.http}
    for one in doubles.mcp:
        tools = {f"{one.name}/{tool.name}" for tool in one.tools}
        named[f"mcp:{one.name}"] = {one.name, *tools, *(f"mcp:{tool}" for tool in tools)}
    return {kind_and_name: {kind_and_name, *names} for kind_and_name, names in named.items()}


def _unreachable(case: Case, doubles: Doubles) -> Iterator[Remark]:
    groups: list[tuple[str, Sequence[CommandReply | HttpReply]]] = []
    groups.extend((one.name, one.replies) for one in (*doubles.commands, *doubles.http))
    groups.extend((one.name, [reply for tool in one.tools for reply in tool.replies]) for one in doubles.mcp)
    for name, replies in groups:
        reached = {_START, *(reply.next_state for reply in replies)}
        for state in dict.fromkeys(reply.when_state for reply in replies):
            if state is not None and state not in reached:
                message = f"no reply of {name!r} in {case.id!r} leads to the state {state!r}."
                hint = f"Begin with {_START!r}, and name the state in `next_state` of a reply."
                yield Remark("double-state-unreachable", message, key=(case.id, None), value=state, hint=hint)
