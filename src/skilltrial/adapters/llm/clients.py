"""pydantic-ai models with clients of our own: explicit keys and addresses, few retries, closed on leaving.

Imported only where a model is really opened: the vendors' packages take one to three seconds.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

MAX_RETRIES = 2
"""Of a single request, by the vendor's package: 429 (as long as the service asks for), 5xx and lost connections."""


@asynccontextmanager
async def openai_model(name: str, *, base_url: str | None, key: str) -> AsyncGenerator[Model]:
    """A model of OpenAI's, or behind a proxy that stands for it."""
    async with AsyncOpenAI(api_key=key, base_url=base_url, max_retries=MAX_RETRIES) as client:
        yield OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


@asynccontextmanager
async def anthropic_model(name: str, *, base_url: str | None, key: str) -> AsyncGenerator[Model]:
    """A model of Anthropic's, or behind a proxy that stands for it."""
    async with AsyncAnthropic(api_key=key, base_url=base_url, max_retries=MAX_RETRIES) as client:
        yield AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))


@asynccontextmanager
async def compatible_model(name: str, *, base_url: str, key: str | None) -> AsyncGenerator[Model]:
    """A model behind an endpoint that speaks OpenAI's Chat Completions."""
    async with AsyncOpenAI(api_key=key or "none", base_url=base_url, max_retries=MAX_RETRIES) as client:
        yield OpenAIChatModel(name, provider=OpenAICompatibleProvider("openai-compatible", openai_client=client))


@asynccontextmanager
async def local_model(
    name: str, *, base_url: str, key: str, temperature: float, max_tokens: int
) -> AsyncGenerator[Model]:
    """A model in a process of ours on this machine: no proxy, no retries, no hurry."""
    settings = ModelSettings(temperature=temperature, max_tokens=max_tokens)
    async with (
        httpx2.AsyncClient(trust_env=False, timeout=httpx2.Timeout(None, connect=10)) as http,
        AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=http, timeout=None) as client,
    ):
        provider = OpenAICompatibleProvider("embedded", openai_client=client)
        yield OpenAIChatModel(name, provider=provider, settings=settings)
