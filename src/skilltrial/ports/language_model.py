"""Models that judge, or play a user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

AnswerT = TypeVar("AnswerT", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[AnswerT]):
    """A structured answer of a model, with what it took."""

    value: AnswerT
    model: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    duration_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture to be looked at."""

    name: str
    """What the prompt calls it."""
    media_type: str
    data: bytes = field(repr=False)


class LanguageModel(Protocol):
    """A model behind an API or in an agent program, for judging.

    `ask` returns one value of the pydantic type `output`; `images` are only for models that say `sees_images`. It retries what
    may pass (rate limits, 5xx) a few times by itself and raises `AuthFailed`, `RateLimited`, `TimedOut`, `Unparsable` or
    `HarnessError` for the rest.
    """

    @property
    def name(self) -> str: ...

    @property
    def sees_images(self) -> bool: ...

    async def ask(
        self, *, system: str, prompt: str, output: type[AnswerT], images: Sequence[Image] = ()
    ) -> Answer[AnswerT]: ...
