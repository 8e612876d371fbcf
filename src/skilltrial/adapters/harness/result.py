"""What a harness says of a run, from the stream that was read and the program's end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from skilltrial.processes.tree import Ended
from skilltrial.records.events import Event
from skilltrial.records.trial import HarnessResult, Outcome, Reason, SkillEvidence
from skilltrial.records.usage import Usage


class Told(Protocol):
    """What the stream of every agent program tells, where it does."""

    @property
    def events(self) -> tuple[Event, ...]: ...

    @property
    def final_message(self) -> str | None: ...

    @property
    def usage(self) -> Usage: ...

    @property
    def cost_usd(self) -> float | None: ...

    @property
    def model(self) -> str | None: ...

    @property
    def version(self) -> str | None: ...


def result_of(
    told: Told,
    ended: Ended,
    end: tuple[Outcome, Reason | None],
    *,
    evidence: SkillEvidence,
    session: str | None,
    facts: Mapping[str, str] | None = None,
    until_loaded: bool = False,
) -> HarnessResult:
    """The record of a run; `end` is what the harness makes of both.

    `until_loaded`: it was run for nothing but to see whether the skill is loaded. Once it was, neither our ending it nor an error
    that came after changes the result.
    """
    lost = ended.stopped == "asked" or end[0] == "harness_error"
    cut = until_loaded and lost and evidence.reached is True
    outcome, reason = ("completed", None) if cut else end
    return HarnessResult(
        outcome=outcome,
        reason=reason,
        events=told.events,
        final_message=told.final_message,
        usage=told.usage,
        cost_usd=told.cost_usd,
        model=told.model,
        version=told.version,
        exit_code=ended.exit_code,
        evidence=evidence,
        facts=facts or {},
        n_strays=ended.n_strays,
        session=session,
        cut=cut,
    )
