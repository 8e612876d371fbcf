"""Whether the doubles of a run's cases can be put up around all of its agent programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from skilltrial import wiring
from skilltrial.errors import PlanError
from skilltrial.grade.checks.doubles import names_of
from skilltrial.ports import Harness
from skilltrial.records.suite import Case, DoubleCalled


def check_asked(cases: Collection[Case], *, where: str) -> None:
    """Raise `PlanError` where an assertion counts the calls of a double that its case does not have: it would stay open.

    `where` is the eval file.
    """
    for case in cases:
        known = names_of(case.doubles) if case.doubles else set[str]()
        for one in case.assertions:
            if isinstance(one, DoubleCalled) and one.double not in known:
                have = (
                    f"It has {', '.join(sorted(known))}: name one of them"
                    if known
                    else "It has none: give it `doubles`"
                )
                raise PlanError(
                    f"the assertion {one.id!r} counts the calls of the double {one.double!r}, which {case.id!r} does not have.",
                    where=where,
                    hint=f"{have}, or leave the case out with --only.",
                )


def check_doubles(cases: Collection[Case], harnesses: Mapping[str, Harness], env: Mapping[str, str]) -> None:
    """Raise `PlanError` where an agent would not reach a double, and so perhaps the real thing. A replay reaches nothing."""
    for case in cases:
        for harness in harnesses.values():
            able, doubles = harness.capabilities, case.doubles
            if doubles is None or able.discovery == "recorded":
                continue
            if doubles.mcp and not able.takes_servers:
                raise PlanError(
                    f"{case.id!r} has an MCP double ({doubles.mcp[0].name}), and {harness.name} is given no servers.",
                    hint=f"Use one that is ({', '.join(_served(env))}), or --only other cases.",
                )
            if doubles.commands and not able.takes_path:
                raise PlanError(
                    f"{case.id!r} has a fake command ({doubles.commands[0].name}), and the agent of {harness.name} might find "
                    "the real one first.",
                    hint=_HINTS.get(harness.name, "Use another harness, or --only other cases."),
                )
            if doubles.http and not able.takes_environment:
                raise PlanError(
                    f"{case.id!r} has a service ({doubles.http[0].name}), and the agent of {harness.name} would not see "
                    f"{doubles.http[0].env}.",
                    hint="Use another harness, or --only other cases.",
                )


_HINTS = {
    wiring.CLAUDE_CODE: "With the login of `claude` its shell has the person's own set-up: set ANTHROPIC_API_KEY or "
    "CLAUDE_CODE_OAUTH_TOKEN."
}


def _served(env: Mapping[str, str]) -> list[str]:
    described = (entry for entry in wiring.harness_catalogue(env).entries if entry.descriptor and not entry.error)
    return [wiring.CLAUDE_CODE, *(entry.name for entry in described if entry.descriptor and entry.descriptor.servers)]
