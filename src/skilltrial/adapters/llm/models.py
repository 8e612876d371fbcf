"""From the name of a model to an opened one.

`embedded` · `openai:NAME` · `anthropic:NAME` · NAME with a base URL (any endpoint that speaks OpenAI's Chat Completions).
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skilltrial.adapters.llm.embedded import NOTICE, embedded_status, open_embedded
from skilltrial.errors import AuthFailed, NotInstalled, SpecError
from skilltrial.ports import ChatModel, ModelStatus

if TYPE_CHECKING:
    from skilltrial.adapters.llm.judge_model import PydanticAiModel

EMBEDDED = "embedded"

_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_URLS = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Address:
    vendor: str
    """`embedded`, `openai`, `anthropic` or `compatible`."""
    name: str
    base_url: str | None
    key: str | None
    key_variable: str


def model_status(spec: str, *, base_url: str | None, env: Mapping[str, str]) -> ModelStatus:
    """Whether `open_model` could work, without a request; SpecError for a name that says no model."""
    address = _address(spec, base_url, env)
    if address.vendor == EMBEDDED:
        status = embedded_status(env)
        return ModelStatus(ready=status.ready, detail=status.detail, todo=status.todo, notices=(NOTICE,))
    if importlib.util.find_spec("pydantic_ai") is None:
        return ModelStatus(
            ready=False, detail="the extra [llm] is missing.", todo="Run: pip install 'skilltrial[llm]'."
        )
    if _lacks_key(address):
        return ModelStatus(
            ready=False, detail=f"{address.key_variable} is not set.", todo=f"Set {address.key_variable}."
        )
    place = f" at {public_url(address.base_url)}" if address.base_url else ""
    return ModelStatus(ready=True, detail=f"model {spec!r}{place}; the key was not tried.")


def open_model(spec: str, *, base_url: str | None, env: Mapping[str, str]) -> AbstractAsyncContextManager[ChatModel]:
    """The model as a context manager; nothing is opened before it is entered.

    Entering raises `SpecError` for a name that says no model, `AuthFailed` where the key is missing, `NotInstalled` where
    an extra is.
    """
    address = _address(spec, base_url, env)
    return open_embedded(env) if address.vendor == EMBEDDED else _open_remote(address)


@asynccontextmanager
async def open_judge(
    spec: str, *, base_url: str | None, env: Mapping[str, str], timeout_s: float = 180.0
) -> AsyncGenerator[PydanticAiModel]:
    """A judge. Raises as `open_model` does, and `SpecError` for the embedded model, which cannot judge."""
    address = _address(spec, base_url, env)
    if address.vendor == EMBEDDED:
        raise SpecError(
            "the embedded model cannot be the judge: measured on 40 pairs, it judges no better than chance.",
            hint="Give --judge openai:NAME, anthropic:NAME, or a NAME with --base-url; or grade prose in the review page.",
        )
    async with _open_remote(address) as model:
        from skilltrial.adapters.llm.judge_model import PydanticAiModel  # noqa: PLC0415 - a second of imports

        yield PydanticAiModel(
            model.client,
            spec,
            timeout_s=timeout_s,
            key=address.key,
            # The vendors' models see; of one behind another address nothing is known, and many refuse the whole request.
            sees_images=address.vendor in _KEYS,
        )


def public_url(url: str) -> str:
    """An address without the name and password that may stand in it, fit to be written."""
    return re.sub(r"//[^/?#]*@", "//", url, count=1)


def has_own_address(spec: str) -> bool:
    """Whether the name is a vendor's; the addresses of other models have to be given."""
    return spec.partition(":")[0] in _KEYS and ":" in spec


def _address(spec: str, base_url: str | None, env: Mapping[str, str]) -> _Address:
    vendor, colon, name = spec.partition(":")
    if spec == EMBEDDED:
        return _Address(vendor=EMBEDDED, name=spec, base_url=None, key=None, key_variable="")
    if colon and vendor in _KEYS:
        if not name:
            raise SpecError(f"the model {spec!r} lacks a name.", hint=f"Write {vendor}:NAME.")
        url = base_url or env.get(_URLS[vendor]) or None
        return _Address(
            vendor=vendor, name=name, base_url=url, key=env.get(_KEYS[vendor]) or None, key_variable=_KEYS[vendor]
        )
    if spec and base_url:
        key = env.get("OPENAI_API_KEY") or None
        return _Address(vendor="compatible", name=spec, base_url=base_url, key=key, key_variable="OPENAI_API_KEY")
    raise SpecError(
        f"{spec!r} says no model.",
        hint="Write embedded, openai:NAME, anthropic:NAME, or a NAME together with --base-url URL.",
    )


def _lacks_key(address: _Address) -> bool:
    return address.key is None and address.vendor in _KEYS


@asynccontextmanager
async def _open_remote(address: _Address) -> AsyncGenerator[ChatModel]:
    if _lacks_key(address):
        raise AuthFailed(
            f"the model {address.vendor}:{address.name} needs a key, and {address.key_variable} is not set.",
            hint=f"Set {address.key_variable}.",
        )
    try:
        from skilltrial.adapters.llm import clients  # noqa: PLC0415 - seconds of imports
    except ImportError as error:
        raise NotInstalled(
            f"model access is not installed: {error}.", hint="Run: pip install 'skilltrial[llm]'."
        ) from error
    key = address.key or ""
    if address.vendor == "anthropic":
        opened = clients.anthropic_model(address.name, base_url=address.base_url, key=key)
    elif address.vendor == "openai":
        opened = clients.openai_model(address.name, base_url=address.base_url, key=key)
    else:
        opened = clients.compatible_model(address.name, base_url=address.base_url or "", key=address.key)
    facts = {"base_url": public_url(address.base_url)} if address.base_url else {}
    async with opened as client:
        yield ChatModel(client=client, name=address.name, mode="tools", facts=facts)
