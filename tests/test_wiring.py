"""From what a person asked for to objects."""

from __future__ import annotations

import os

import anyio
import pytest

from skilltrial import wiring

URL = "http://127.0.0.1:9/v1"


def test_a_judge_behind_an_address_may_have_a_colon_in_its_name() -> None:
    """Local servers name models like `llama3:8b`; only the vendors before a colon have addresses of their own."""

    async def name() -> str:
        async with wiring.open_judge("llama3:8b", base_url=URL, env={}) as judge:
            return judge.name

    assert anyio.run(name) == "llama3:8b"


@pytest.mark.parametrize("harness", ["builtin", "claude-code"])
def test_a_password_in_an_address_is_not_in_the_plan(harness: str) -> None:
    """The plan is written; the password stays with the client."""
    url = "http://me:hunter2-hunter2@127.0.0.1:9/v1"
    # Any program that tells a version will do: no trial is started.
    env = {"ANTHROPIC_API_KEY": "sk-ant-12345678", "SKILLTRIAL_CLAUDE": "git", "PATH": os.environ["PATH"]}
    wanted = wiring.Wanted(harness=harness, model="llama3:8b", base_url=url, env=env)

    async def choice() -> str:
        chosen = await wiring.choose_harness(wanted)
        await chosen.harness.aclose()
        return repr((chosen.choice, chosen.notices))

    said = anyio.run(choice)
    assert "hunter2" not in said
    assert URL in said
