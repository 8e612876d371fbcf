"""From names to models, and what is said where one cannot be opened."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from skilltrial.adapters.llm import embedded, models
from skilltrial.adapters.llm.models import model_status, open_judge, open_model
from skilltrial.errors import AuthFailed, NotInstalled, SpecError
from skilltrial.ports import ChatModel

KEYS = {"OPENAI_API_KEY": "sk-open-12345678", "ANTHROPIC_API_KEY": "sk-ant-12345678"}


def opened(spec: str, *, base_url: str | None = None, env: dict[str, str] | None = None) -> ChatModel:
    """Opens and closes a model; no request is made."""

    async def once() -> ChatModel:
        async with open_model(spec, base_url=base_url, env=env or {}) as model:
            return model

    return anyio.run(once)


@pytest.mark.parametrize("spec", ["openai:some-model", "anthropic:some-model"])
def test_a_vendors_model_acts_by_tools(spec: str) -> None:
    """The name is the part after the colon."""
    model = opened(spec, env=KEYS)
    assert (model.name, model.mode) == ("some-model", "tools")


@pytest.mark.parametrize(("spec", "variable"), [("openai:m", "OPENAI_API_KEY"), ("anthropic:m", "ANTHROPIC_API_KEY")])
def test_a_missing_key_is_named(spec: str, variable: str) -> None:
    """The message says which variable to set, and so does the status."""
    with pytest.raises(AuthFailed, match=f"{variable} is not set"):
        opened(spec)
    status = model_status(spec, base_url=None, env={})
    assert (status.ready, status.todo) == (False, f"Set {variable}.")


def test_an_endpoint_of_ones_own_needs_no_key() -> None:
    """A plain name with a base URL is an OpenAI-compatible model; the address is a fact of the result."""
    model = opened("llama", base_url="http://127.0.0.1:9/v1")
    assert model.name == "llama"
    assert model.facts == {"base_url": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize("spec", ["some-model", "", "mistral:large"])
def test_a_name_that_says_no_model_is_an_error(spec: str) -> None:
    """The message lists the forms."""
    with pytest.raises(SpecError, match=r"openai:NAME, anthropic:NAME, or a NAME together with --base-url"):
        open_model(spec, base_url=None, env=KEYS)


def test_a_vendor_without_a_name_is_an_error() -> None:
    """`openai:` alone is not a model."""
    with pytest.raises(SpecError, match="lacks a name"):
        open_model("openai:", base_url=None, env=KEYS)


def test_the_embedded_model_cannot_be_the_judge() -> None:
    """It is refused with the reason, before anything is loaded."""

    async def judge() -> None:
        async with open_judge("embedded", base_url=None, env={}):
            pytest.fail("it was opened")

    with pytest.raises(SpecError, match="no better than chance"):
        anyio.run(judge)


def test_without_the_engine_the_embedded_model_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The message names the extra, and the status the same next step."""
    monkeypatch.setattr(embedded, "_engine_version", lambda: None)
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    with pytest.raises(NotInstalled, match=r"skilltrial\[local\]"):
        opened("embedded", env=env)
    status = model_status("embedded", base_url=None, env=env)
    assert not status.ready
    assert "skilltrial[local]" in status.todo


def test_the_embedded_models_notice_goes_with_its_status(tmp_path: Path) -> None:
    """Reports show it whenever that model ran."""
    status = model_status("embedded", base_url=None, env={"XDG_CACHE_HOME": str(tmp_path)})
    assert status.notices == (models.NOTICE,)
    assert "Qwen2.5-Coder-1.5B" in models.NOTICE


def test_a_password_in_an_address_is_no_fact_and_not_shown() -> None:
    """Facts are written into every result, and a status into the terminal."""
    url = "http://me:hunter2-hunter2@127.0.0.1:9/v1"
    assert opened("llama", base_url=url).facts == {"base_url": "http://127.0.0.1:9/v1"}
    assert "hunter2" not in model_status("llama", base_url=url, env={}).detail
