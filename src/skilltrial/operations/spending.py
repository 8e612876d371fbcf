"""What several plans and calls of a model take together, and what is left of ceilings on all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from skilltrial.records.budget import Ceilings, Stop
from skilltrial.records.optimisation import Spent
from skilltrial.records.trial import Trial

_TINY = 1e-9


class Call(Protocol):
    """Of a model; None is unknown."""

    @property
    def input_tokens(self) -> int | None: ...
    @property
    def output_tokens(self) -> int | None: ...
    @property
    def cost_usd(self) -> float | None: ...


def spent_by(done: Sequence[Trial], *, free: bool) -> Spent:
    """What these trials took, with all their attempts."""
    tries = [attempt for trial in done for attempt in trial.attempts]
    cost = _held([each.spent_usd(free=free) for each in tries])
    tokens = _held([each.spent_tokens for each in tries])
    return Spent(n_runs=len(done), cost_usd=cost, tokens=None if tokens is None else round(tokens))


def with_calls(spent: Spent, calls: Sequence[Call]) -> Spent:
    """And the calls of a model: one that does not tell counts as the largest that does; where none does, they count nothing."""
    cost, tokens = _held([each.cost_usd for each in calls]), _held([_tokens(each) for each in calls])
    return Spent(
        n_runs=spent.n_runs,
        cost_usd=None if spent.cost_usd is None else spent.cost_usd + (cost or 0.0),
        tokens=None if spent.tokens is None else spent.tokens + round(tokens or 0),
    )


def no_room_to_call(ceilings: Ceilings, spent: Spent, calls: Sequence[Call]) -> str:
    """Why no further call may begin, as large as the largest so far; empty where it may. `spent` is by runs alone."""
    left = left_to(ceilings, with_calls(spent, calls), Spent())
    if isinstance(left, str):
        return left
    cost = max((each.cost_usd for each in calls if each.cost_usd is not None), default=0.0)
    tokens = max((n for n in map(_tokens, calls) if n is not None), default=0)
    for option, rest, largest, whole in (
        ("--max-cost", left.max_cost_usd, cost, ceilings.max_cost_usd),
        ("--max-tokens", left.max_tokens, tokens, ceilings.max_tokens),
    ):
        if rest is not None and whole is not None and largest > rest:
            return f"{option} {whole:g} leaves no room for another call of the model."
    return ""


def _tokens(call: Call) -> int | None:
    if call.input_tokens is None or call.output_tokens is None:
        return None
    return call.input_tokens + call.output_tokens


def why_stopped(stop: Stop, ceilings: Ceilings) -> str:
    """The ceiling of the whole search, not what was left of it."""
    if stop.ceiling is None:
        return stop.message
    of = {"--max-cost": ceilings.max_cost_usd, "--max-tokens": ceilings.max_tokens, "--max-trials": ceilings.max_trials}
    return f"{stop.ceiling} {of[stop.ceiling]:g} is reached."


def _held(amounts: Sequence[float | None]) -> float | None:
    """The sum; what was not told counts as the most that was. None where nothing was told."""
    told = [amount for amount in amounts if amount is not None]
    if amounts and not told:
        return None
    return sum(told) + (len(amounts) - len(told)) * max(told, default=0.0)


def left_to(ceilings: Ceilings, spent: Spent, own: Spent) -> Ceilings | str:
    """What the other plans of the search leave to one that took `own` before; a sentence where that is nothing."""
    update: dict[str, float | int] = {}
    for name, option, whole, part in (
        ("max_cost_usd", "--max-cost", spent.cost_usd, own.cost_usd),
        ("max_tokens", "--max-tokens", spent.tokens, own.tokens),
        ("max_trials", "--max-trials", spent.n_runs, own.n_runs),
    ):
        ceiling = getattr(ceilings, name)
        if ceiling is None:
            continue
        if whole is None:
            return f"{option} cannot be held: what earlier runs took is unknown."
        rest = ceiling - (whole - (part or 0))
        if rest <= _TINY:
            return f"{option} {ceiling:g} is reached."
        update[name] = rest if name == "max_cost_usd" else int(rest)
    return ceilings.model_copy(update=update)
