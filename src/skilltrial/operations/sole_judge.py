"""The one judge of a comparison or an analysis."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from anyio import to_thread

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.ports import Confinement, LanguageModel
from skilltrial.preparing.judging import judge_names
from skilltrial.records.plan import UNKNOWN_JUDGE, Plan
from skilltrial.spec.settings import find_settings, load_settings


async def open_sole_judge(
    asked: str | None,
    plan: Plan,
    *,
    workspace: Path,
    base_url: str | None,
    env: Mapping[str, str],
    stack: AsyncExitStack,
) -> LanguageModel:
    """The judge asked for, else the first of those that graded, else the one of the skill's skilltrial.toml.

    Raises `SpecError` where there is none, or several are asked for, and what opening does.
    """
    file = find_settings(Path(plan.skill.folder))
    before = None if plan.judge == UNKNOWN_JUDGE else plan.judge
    told = load_settings(file).run.judge if file and not asked and not before else None
    names = judge_names(asked or before or told)
    if asked and len(names) > 1:
        raise SpecError(f"--judge names {len(names)} judges.", hint="Here one judges; give one name.")
    if not names:
        hint = "Give one with --judge anthropic:NAME, openai:NAME, or an agent program's name."
        raise SpecError("no judge is known in this workspace.", hint=hint)
    if names[0] == wiring.EMBEDDED:
        raise SpecError(
            "the embedded model is too small to judge: it decides at chance.", hint="Give another with --judge NAME."
        )

    def confinement() -> Confinement | None:
        hidden = (workspace.absolute(), Path(plan.skill.folder))
        return wiring.open_sandbox(plan.harness.sandbox or "none", env, hidden=hidden, base_url=base_url)

    opened = wiring.open_judge(
        names[0],
        base_url=base_url,
        env=env,
        confinement=await to_thread.run_sync(confinement),
        settings=file if told else None,
    )
    return await stack.enter_async_context(opened)
