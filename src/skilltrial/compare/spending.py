"""What calls of a model take together, and ceilings that hold it. A figure that one call does not tell is unknown of all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import anyio
from pydantic import BaseModel

from skilltrial.ports import Answer, AnswerT, Image, LanguageModel
from skilltrial.records.budget import Ceilings

Figure = TypeVar("Figure", int, float)
AnyAnswerT = TypeVar("AnyAnswerT", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """Of some calls. None is unknown."""

    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: Took) -> Took:
        return Took(
            input_tokens=_both(self.input_tokens, other.input_tokens),
            output_tokens=_both(self.output_tokens, other.output_tokens),
            cost_usd=_both(self.cost_usd, other.cost_usd),
        )

    @property
    def tokens(self) -> int | None:
        """Read and written."""
        return _both(self.input_tokens, self.output_tokens)


def took(answers: Iterable[Answer[AnyAnswerT]]) -> Took:
    """What these answers took."""
    return added(
        Took(input_tokens=each.input_tokens, output_tokens=each.output_tokens, cost_usd=each.cost_usd)
        for each in answers
    )


def added(parts: Iterable[Took]) -> Took:
    """The sum."""
    total = Took()
    for each in parts:
        total += each
    return total


class CeilingReached(Exception):
    """A call was not begun: `str` says which ceiling it would break."""


class HeldModel:
    """Satisfies `ports.LanguageModel`: a model below ceilings on cost and tokens.

    A call begins only where it fits, as large as the largest so far; where none is known yet, one at a time. Otherwise `ask`
    raises `CeilingReached`, once nothing is running that could leave room. `earlier` is counted as taken.
    """

    def __init__(self, model: LanguageModel, ceilings: Ceilings, *, earlier: Took | None = None) -> None:
        self._model = model
        self._ceilings = ceilings
        self._taken = earlier or Took()
        self._largest: Took | None = None
        self._n_running = 0
        self._changed = anyio.Condition()

    @property
    def name(self) -> str:
        """Of the model."""
        return self._model.name

    @property
    def sees_images(self) -> bool:
        """As the model does."""
        return self._model.sees_images

    async def allow(self, n_calls: int) -> None:
        """Raises `CeilingReached` where so many further calls would not fit, so that the first of them is not made for nothing."""
        await self._room(n_calls)

    async def ask(
        self, *, system: str, prompt: str, output: type[AnswerT], images: Sequence[Image] = ()
    ) -> Answer[AnswerT]:
        """As the model does, where there is room."""
        await self._room(1)
        self._n_running += 1
        try:
            answer = await self._model.ask(system=system, prompt=prompt, output=output, images=images)
            self._charge(took([answer]))
        finally:
            self._n_running -= 1
            with anyio.CancelScope(shield=True):
                async with self._changed:
                    self._changed.notify_all()
        return answer

    async def _room(self, n_calls: int) -> None:
        async with self._changed:
            while (why := self._refusal(n_calls)) is not None:
                if not self._n_running:
                    raise CeilingReached(why)
                await self._changed.wait()

    def _charge(self, call: Took) -> None:
        before = self._largest or Took()
        self._taken += call
        self._largest = Took(
            input_tokens=_most(before.tokens, call.tokens),
            cost_usd=_most(before.cost_usd, call.cost_usd),
        )

    def _refusal(self, n_calls: int) -> str | None:
        """Why so many more calls must not begin now; None: they may."""
        largest = self._largest or Took()
        costs = self._ceilings.max_cost_usd, self._taken.cost_usd, largest.cost_usd
        tokens = self._ceilings.max_tokens, self._taken.tokens, largest.tokens
        return self._beyond("--max-cost", *costs, n_calls, "${:,.2f}") or self._beyond(
            "--max-tokens", *tokens, n_calls, "{:,} tokens"
        )

    def _beyond(
        self, name: str, ceiling: float | None, taken: float | None, largest: float | None, n_calls: int, unit: str
    ) -> str | None:
        if ceiling is None:
            return None
        if taken is None or largest is None:
            return f"{name} cannot be held: the judge does not tell what its calls take."
        if self._largest is None and self._n_running:
            return f"{name} {unit.format(ceiling)}: how much a call takes is not known yet."
        if taken < ceiling and taken + (self._n_running + n_calls) * largest <= ceiling * (1 + 1e-9):
            return None
        next_one = (
            f", {'another call' if n_calls == 1 else f'{n_calls} more'} may take {unit.format(n_calls * largest)}"
        )
        return f"{name} {unit.format(ceiling)} is reached: {unit.format(taken)} taken{next_one if largest else ''}."


def _both(one: Figure | None, other: Figure | None) -> Figure | None:
    return None if one is None or other is None else one + other


def _most(one: Figure | None, other: Figure | None) -> Figure | None:
    return None if one is None or other is None else max(one, other)
