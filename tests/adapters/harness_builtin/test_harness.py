"""The built-in agent as a harness: what it says of itself, and the life of its model."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from builtin_bench import KEY, make_request

from skilltrial.adapters.harness.builtin import create
from skilltrial.adapters.llm.models import open_model
from skilltrial.errors import AuthFailed, NotInstalled, SpecError
from skilltrial.ports import ChatModel, HarnessSettings, HarnessStatus, ModelStatus
from skilltrial.records.trial import HarnessResult
from skilltrial.testing.mock_llm import MockLLM

RESETS = {"name": "resets", "rules": [{"reply": {"fault": "reset"}}]}
ANSWERS = {"name": "answers", "rules": [{"reply": {"text": "Done."}}]}


def probe(settings: HarnessSettings) -> HarnessStatus:
    """What `doctor` sees."""
    return anyio.run(create(settings).probe)


@asynccontextmanager
async def never() -> AsyncGenerator[ChatModel]:
    """A model that must not be opened."""
    pytest.fail("the model was opened")
    yield  # pyright: ignore[reportUnreachable]


def test_the_probe_tells_the_models_status_without_opening_it() -> None:
    """Detail, next step and notices are the model's."""
    told = ModelStatus(ready=False, detail="no key.", todo="Set it.", notices=("small",))
    status = probe(HarnessSettings(model="m", env={}, open_model=never, model_status=lambda: told))
    assert (status.installed, status.ready, status.detail) == (True, False, "no key.")
    assert (status.todo, status.notices) == ("Set it.", ("small",))


def test_the_probe_does_not_raise() -> None:
    """A path that is no file, found while looking, is a status."""

    def broken() -> ModelStatus:
        raise SpecError("that is not a file.", hint="Give a file.")

    status = probe(HarnessSettings(model="m", env={}, open_model=never, model_status=broken))
    assert (status.ready, status.detail, status.todo) == (False, "that is not a file.", "Give a file.")


def test_without_a_model_it_is_not_ready() -> None:
    """And says how to choose one."""
    status = probe(HarnessSettings(env={}))
    assert not status.ready
    assert "--model embedded" in status.todo


def test_the_embedded_model_does_one_trial_at_a_time() -> None:
    """Others have no limit of their own."""
    assert create(HarnessSettings(model="embedded", env={})).capabilities.max_concurrency == 1
    assert create(HarnessSettings(model="openai:m", env={})).capabilities.max_concurrency is None


def test_an_unknown_argument_is_refused() -> None:
    """With what it knows."""
    with pytest.raises(SpecError, match=r"'--fast'.*'inject'"):
        create(HarnessSettings(env={}, args=("--fast",)))


def test_a_missing_key_is_a_refused_login(tmp_path: Path) -> None:
    """The trial's record says which variable is missing."""

    @asynccontextmanager
    async def keyless() -> AsyncGenerator[ChatModel]:
        raise AuthFailed("OPENAI_API_KEY is not set.")
        yield  # pyright: ignore[reportUnreachable]

    result = anyio.run(
        create(HarnessSettings(model="m", env={}, open_model=keyless)).run, make_request(tmp_path, skill=True)
    )
    assert result.reason is not None
    assert (result.outcome, result.reason.code) == ("harness_error", "auth_failed")
    assert "OPENAI_API_KEY" in result.reason.message


def test_a_missing_engine_ends_the_command(tmp_path: Path) -> None:
    """NotInstalled comes out: no other trial could do better."""

    @asynccontextmanager
    async def missing() -> AsyncGenerator[ChatModel]:
        raise NotInstalled("no engine.")
        yield  # pyright: ignore[reportUnreachable]

    with pytest.raises(NotInstalled):
        anyio.run(
            create(HarnessSettings(model="m", env={}, open_model=missing)).run, make_request(tmp_path, skill=True)
        )


def test_the_model_is_opened_once_and_again_after_it_was_lost(tmp_path: Path) -> None:
    """A local model whose process is gone is started anew for the next trial; a living one is shared."""
    opened: list[str] = []
    env = {"OPENAI_API_KEY": KEY}

    with MockLLM(RESETS, ANSWERS) as mock:

        @asynccontextmanager
        async def model() -> AsyncGenerator[ChatModel]:
            scenario = "resets" if not opened else "answers"
            opened.append(scenario)
            async with open_model("openai:m", base_url=mock.url(scenario, openai=True), env=env) as it:
                yield it

        async def thrice() -> list[HarnessResult]:
            harness = create(HarnessSettings(model="embedded", env=env, open_model=model))
            try:
                return [await harness.run(make_request(tmp_path / str(at), skill=False)) for at in range(3)]
            finally:
                await harness.aclose()

        results = anyio.run(thrice)
    assert [result.outcome for result in results] == ["harness_error", "completed", "completed"]
    assert opened == ["resets", "answers"]
