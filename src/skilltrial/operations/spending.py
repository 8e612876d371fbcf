"""What several plans and calls of a model take together, and what is left of ceilings on all of it."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.records.budget import Ceilings, Stop
from skilltrial.records.optimisation import Spent
from skilltrial.records.trial import Trial

_TINY = 1e-9


def spent_by(done: Sequence[Trial], *, free: bool) -> Spent:
    """What these trials took, with all their attempts."""
    tries = [attempt for trial in done for attempt in trial.attempts]
    cost = _held([each.spent_usd(free=free) for each in tries])
    tokens = _held([each.spent_tokens for each in tries])
    return Spent(n_runs=len(done), cost_usd=cost, tokens=None if tokens is None else round(tokens))


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
