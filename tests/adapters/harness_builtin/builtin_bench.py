"""What the tests of the built-in agent share: requests, and a harness on the scripted model server."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio

from skilltrial.adapters.harness.builtin import create
from skilltrial.adapters.llm.models import open_model
from skilltrial.ports import ChatModel, HarnessSettings, PlacedSkill, TrialRequest
from skilltrial.records.trial import HarnessResult
from skilltrial.testing.mock_llm import MockLLM

BODY = "Sign every letter with a quokka."
DESCRIPTION = "How letters are signed. Use when writing a letter."
NAME = "letter-end"
KEY = "sk-builtin-0123456789"
PATH = "/usr/local/bin:/usr/bin:/bin"


def make_request(root: Path, *, skill: bool, timeout_s: float = 60.0, seed: int = 7) -> TrialRequest:
    """A request in fresh folders, with the skill or without."""
    work, home, tmp, capture = (root / name for name in ("work", "home", "tmp", "capture"))
    for folder in (work, home, tmp, capture):
        folder.mkdir(parents=True)
    placed = None
    if skill:
        folder = work / ".agents" / "skills" / NAME
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {NAME}\ndescription: {DESCRIPTION}\n---\n{BODY}\n")
        (folder / "notes").mkdir()
        (folder / "notes" / "animals.md").write_text("Quokkas smile.\n")
        placed = PlacedSkill(name=NAME, description=DESCRIPTION, folder=folder)
    return TrialRequest(
        prompt="Write a letter to the mayor.",
        work=work,
        home=home,
        tmp=tmp,
        capture=capture,
        skill=placed,
        model=None,
        timeout_s=timeout_s,
        seed=seed,
        mark="mark-of-a-test-1234567890",
    )


def run(
    mock: MockLLM,
    request: TrialRequest,
    *,
    mode: Literal["tools", "schema"] = "schema",
    args: tuple[str, ...] = (),
    vendor: Literal["openai", "anthropic"] = "openai",
) -> HarnessResult:
    """Runs one request, with a model that acts in the given mode."""
    env = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "PATH": PATH}
    url = mock.url(openai=vendor == "openai")

    @asynccontextmanager
    async def model() -> AsyncGenerator[ChatModel]:
        async with open_model(f"{vendor}:mock-model", base_url=url, env=env) as opened:
            yield ChatModel(client=opened.client, name=opened.name, mode=mode, facts={"engine": "scripted"})

    async def once() -> HarnessResult:
        harness = create(HarnessSettings(model="mock-model", env=env, args=args, open_model=model))
        try:
            return await harness.run(request)
        finally:
            await harness.aclose()

    return anyio.run(once)


def action(**fields: Any) -> dict[str, Any]:
    """A rule's reply that is one JSON action."""
    return {"json": fields}


def script(*replies: dict[str, Any]) -> dict[str, Any]:
    """A scenario that gives the replies one after the other, and again for a second run."""
    n = len(replies)
    rules = [{"when": {"number": [at, at + n]}, "reply": reply} for at, reply in enumerate(replies, 1)]
    return {"name": "script", "rules": rules}


def bodies(mock: MockLLM) -> list[dict[str, Any]]:
    """The request bodies that came."""
    return [record["body"] for record in mock.log.select() if "body" in record]
