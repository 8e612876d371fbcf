"""A model behind an API that gives structured answers. Imported only where one is opened, as `clients` is."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import anyio
from pydantic_ai import Agent, capture_run_messages
from pydantic_ai import exceptions as known
from pydantic_ai.messages import BinaryContent, ModelMessage, ModelResponse, UserContent
from pydantic_ai.models import Model
from pydantic_ai.run import AgentRunResult

from skilltrial.errors import AuthFailed, HarnessError, ImagesRefused, RateLimited, TimedOut, Unparsable
from skilltrial.ports import Answer, AnswerT, Image

RE_ASKS = 1
"""How often an answer that does not fit the type is asked for again."""
_OF_THE_REQUEST = frozenset({400, 404, 413, 415, 422})
_NO_EYES = re.compile(r"(?:\bnot|n't|\bno\b[^.]*) support", re.IGNORECASE)
"""As services say that a model takes no pictures at all; what they say of a single one is worded otherwise."""
_AGENTS = 64


class PydanticAiModel:
    """Satisfies `ports.LanguageModel`. The client is owned, and closed, by whoever opened it.

    `sees_images`: whether the service takes pictures, as far as its name tells.
    `key` is the client's, to be kept out of errors: some services repeat what they refuse.
    """

    def __init__(
        self, client: Model[Any], name: str, *, timeout_s: float, key: str | None, sees_images: bool = False
    ) -> None:
        self._client = client
        self._name = name
        self._timeout_s = timeout_s
        self._key = key
        self._sees_images = sees_images
        # To make one takes longer than all else of ours around a call: its type's schema is written and compiled.
        self._agent = lru_cache(maxsize=_AGENTS)(self._make_agent)

    @property
    def name(self) -> str:
        """The name as the person gave it."""
        return self._name

    @property
    def sees_images(self) -> bool:
        """Whether it can be asked about pictures."""
        return self._sees_images

    async def ask(
        self, *, system: str, prompt: str, output: type[AnswerT], images: Sequence[Image] = ()
    ) -> Answer[AnswerT]:
        """One answer of the type `output`; errors as in the port."""
        agent = self._agent(system, output)
        begun = time.monotonic()
        with capture_run_messages() as messages:
            try:
                with anyio.fail_after(self._timeout_s):
                    result = await agent.run(_content(prompt, images))
            except known.AgentRunError as error:
                said = f"{error}{_last_words(messages)}"
                said = said.replace(self._key, "***") if self._key else said
                raise _known(error, said[:500], name=self._name, with_images=bool(images)) from error
            except TimeoutError as error:
                raise TimedOut(f"the model {self._name!r} did not answer within {self._timeout_s:g} s.") from error
        return _answer(result, self._name, round((time.monotonic() - begun) * 1000))

    def _make_agent(self, system: str, output: type[Any]) -> Agent[None, Any]:
        return Agent(self._client, output_type=output, system_prompt=system, retries=RE_ASKS)


def _content(prompt: str, images: Sequence[Image]) -> str | list[UserContent]:
    if not images:
        return prompt
    content: list[UserContent] = [prompt]
    for image in images:
        content += [image.name, BinaryContent(data=image.data, media_type=image.media_type)]
    return content


def _answer(result: AgentRunResult[AnswerT], name: str, duration_ms: int) -> Answer[AnswerT]:
    usage = result.usage
    counted = usage.input_tokens or usage.output_tokens
    return Answer(
        value=result.output,
        model=result.response.model_name or name,
        input_tokens=usage.input_tokens if counted else None,
        output_tokens=usage.output_tokens if counted else None,
        cost_usd=_cost_usd(result),
        duration_ms=duration_ms,
    )


def _cost_usd(result: AgentRunResult[Any]) -> float | None:
    """The list price, or None where the model is not in the price list (LookupError) or did not say its usage."""
    try:
        prices = [m.cost().total_price for m in result.new_messages() if isinstance(m, ModelResponse)]
    except (LookupError, ValueError, AssertionError):
        return None
    return float(sum(prices))


def _last_words(messages: Sequence[ModelMessage]) -> str:
    """What the model said in place of an answer, and how it ended: a refusal is told by nothing else."""
    last = next((each for each in reversed(messages) if isinstance(each, ModelResponse)), None)
    if last is None:
        return ""
    ended = "" if last.finish_reason in {None, "stop", "tool_call"} else f"; it ended with {last.finish_reason!r}"
    return f"{ended}; it said {last.text[:200]!r}" if last.text else ended


def _known(error: Exception, said: str, *, name: str, with_images: bool) -> HarnessError:
    if isinstance(error, known.ModelAuthenticationError):
        return AuthFailed(f"the service refused the key for the model {name!r}: {said}", hint="Check the key.")
    if isinstance(error, known.ModelRateLimitError | known.ModelOverloadedError):
        return RateLimited(
            f"the service limits requests to the model {name!r}: {said}", hint="Wait, or ask for less at once."
        )
    if isinstance(error, known.ModelTimeoutError | known.ModelRequestTimeout):
        return TimedOut(f"the service of the model {name!r} did not answer in time: {said}")
    if isinstance(error, known.UnexpectedModelBehavior):
        return Unparsable(f"the model {name!r} gave no answer of the asked form: {said}")
    if with_images and isinstance(error, known.ModelHTTPError) and error.status_code in _OF_THE_REQUEST:
        message = f"the model {name!r} did not take the request with pictures: {said}"
        return ImagesRefused(message, lasting=_NO_EYES.search(said) is not None)
    return HarnessError(f"the model {name!r} cannot be used: {said}")
