"""The results of several messages of one session, as the one result of a trial."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skilltrial.records.events import Event, ToolCall, ToolResult
from skilltrial.records.trial import HarnessResult, SkillEvidence
from skilltrial.records.usage import Usage


def joined(results: Sequence[HarnessResult]) -> HarnessResult:
    """Events one after the other, amounts summed (what one of them does not tell is unknown), the end of the last."""
    last = results[-1]
    if len(results) == 1:
        return last
    costs = [result.cost_usd for result in results]
    return last.model_copy(
        update={
            "events": _events(results),
            "usage": total_usage(result.usage for result in results),
            "cost_usd": total_cost(costs),
            "model": next((result.model for result in reversed(results) if result.model), None),
            "version": next((result.version for result in reversed(results) if result.version), None),
            "evidence": _evidence([result.evidence for result in results]),
            "facts": {name: fact for result in results for name, fact in result.facts.items()},
            "n_strays": sum(result.n_strays for result in results),
        }
    )


def total_usage(parts: Iterable[Usage]) -> Usage:
    """The sum; a count that one of them does not tell is unknown."""
    usages = list(parts)

    def total(name: str) -> int | None:
        counts: list[int | None] = [getattr(usage, name) for usage in usages]
        known = [count for count in counts if count is not None]
        return sum(known) if known and len(known) == len(counts) else None

    usage = Usage(**{name: total(name) for name in Usage.model_fields})
    wholes = [each.total_tokens for each in usages]
    known = [whole for whole in wholes if whole is not None]
    if not known or len(known) < len(wholes) or sum(known) == usage.total_tokens:
        return usage
    # A cache that one of them does not tell apart: what the others took of theirs is in the whole all the same.
    return usage.model_copy(update={"told_total": sum(known)})


def total_cost(costs: Iterable[float | None]) -> float | None:
    """The sum; None where one is unknown, or there is none."""
    parts = list(costs)
    known = [cost for cost in parts if cost is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _events(results: Sequence[HarnessResult]) -> tuple[Event, ...]:
    """Numbered through. Ids of calls, which some programs begin anew with each message, get the message's number."""
    events: list[Event] = []
    for number, result in enumerate(results, start=1):
        for event in result.events:
            update: dict[str, object] = {"ordinal": len(events)}
            if number > 1 and event.agent is not None:
                update["agent"] = f"{number}.{event.agent}"
            if number > 1 and isinstance(event, ToolCall | ToolResult):
                update["call_id"] = f"{number}.{event.call_id}"
            events.append(event.model_copy(update=update))
    return tuple(events)


def _evidence(parts: Sequence[SkillEvidence]) -> SkillEvidence:
    def of(name: str) -> bool | None:
        seen: list[bool | None] = [getattr(part, name) for part in parts]
        return True if True in seen else (None if None in seen else False)

    return SkillEvidence(
        offered=of("offered"),
        attempted=of("attempted"),
        loaded=of("loaded"),
        read=of("read"),
        injected=any(part.injected for part in parts),
    )
