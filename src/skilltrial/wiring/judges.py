"""Who judges: models behind an API, and agent programs."""
# ruff: noqa: PLC0415 - a command that only reads files does not load model clients

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from skilltrial import plugins
from skilltrial.errors import SpecError
from skilltrial.wiring.harnesses import BUILTIN, Wanted, choose_harness, harness_catalogue
from skilltrial.wiring.means import make_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from skilltrial.ports import Confinement, LanguageModel


WITHOUT_TOOLS: Mapping[str, tuple[str, ...]] = {
    "claude-code": ("--tools", ""),
    "codex": (
        *("-c", "features.shell_tool=false", "-c", "features.multi_agent=false", "-c", "features.goals=false"),
        *("-c", "features.view_image=false", "-c", 'web_search="disabled"'),
    ),
}
"""What takes its tools from an agent program that judges: what it reads is hostile, and it needs none."""


def open_judge(
    spec: str,
    *,
    base_url: str | None,
    env: Mapping[str, str],
    confinement: Confinement | None = None,
    settings: Path | None = None,
) -> AbstractAsyncContextManager[LanguageModel]:
    """The judge, as a context manager: a model, or an agent program as `HARNESS` or `HARNESS:MODEL`.

    A base URL is for names without a vendor; vendors have their own variables, and agent programs are left alone. An agent runs in
    `confinement`, in fresh folders. `settings`: the file that names it, where the person did not. Entering raises as
    `choose_harness` does, too.
    """
    from skilltrial.adapters.llm import models

    harness, _, model = spec.partition(":")
    if harness == BUILTIN:
        raise SpecError(
            "the built-in agent is no judge of its own.", hint="Give its model: --judge openai:NAME or anthropic:NAME."
        )
    if is_agent(spec, env):
        wanted = Wanted(
            harness=harness,
            model=model or None,
            args=WITHOUT_TOOLS.get(harness, ()),
            confinement=confinement,
            settings=settings,
            env=env,
        )
        return _open_agent(spec, wanted)
    return models.open_judge(spec, base_url=None if models.has_own_address(spec) else base_url, env=env)


def is_agent(spec: str, env: Mapping[str, str]) -> bool:
    """Whether the name of a judge is an agent program's."""
    name = spec.partition(":")[0]
    if name in {"openai", "anthropic"}:
        return False
    return name in plugins.names(plugins.HARNESSES) or harness_catalogue(env).find(name) is not None


@asynccontextmanager
async def _open_agent(spec: str, wanted: Wanted) -> AsyncGenerator[LanguageModel]:
    from skilltrial.adapters.llm.agent_judge import AgentJudge

    chosen = await choose_harness(wanted)
    try:
        yield AgentJudge(chosen.harness, make_workspace(wanted.env, wanted.confinement), name=spec, model=wanted.model)
    finally:
        await chosen.harness.aclose()
