"""`skilltrial aa`: the baseline against itself, through the whole pipeline, judge included."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from skilltrial import wiring
from skilltrial.errors import SkilltrialError
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.grade.run import read_gradings
from skilltrial.operations.judge_probing import Outlay, ProbeRequest, probe_judge
from skilltrial.pipeline import RunResult, run
from skilltrial.plan.iteration import read_plan
from skilltrial.records import layout
from skilltrial.records.budget import Forecast
from skilltrial.records.self_check import Flips, SelfCheck
from skilltrial.request import RunRequest, default_workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What came out."""

    check: SelfCheck
    run: RunResult
    judge_trouble: str = ""
    """Why the judge could not be asked again."""


def self_request(request: RunRequest) -> RunRequest:
    """The same request with its baseline in both arms, in the folder `aa` of its workspace."""
    home = (request.workspace or default_workspace(request.skill.absolute())).absolute()
    return replace(request, workspace=home / layout.SELF_CHECKS, against_itself=home)


async def check_against_itself(
    request: RunRequest,
    *,
    watcher: Watcher | None = None,
    agree: Callable[[Forecast], Awaitable[None]],
    agree_to_calls: Callable[[Outlay], Awaitable[None]],
) -> Checked:
    """Run both arms (`request` is one of `self_request`), ask the judge again about a few trials, and keep `check.json`.

    A judge that cannot be asked again leaves that part open. Raises what `pipeline.run` raises.
    """
    from skilltrial.aggregate.self_check import self_check  # noqa: PLC0415 - numpy, which no trial waits for

    watcher = watcher or Silent()
    result = await run(request, watcher=watcher, agree=agree)
    judge, trouble = await _judge_again(request, result, agree_to_calls) if request.judge else (None, "")
    store = wiring.open_store(result.workspace, write=True)
    try:
        gradings = read_gradings(store, read_plan(store, result.iteration), result.iteration)
        check = self_check(result.benchmark, gradings, judge=judge)
        store.write(layout.SELF_CHECK, check.model_dump_json(indent=2).encode() + b"\n")
    finally:
        store.close()
    return Checked(check=check, run=result, judge_trouble=trouble)


async def _judge_again(
    request: RunRequest, result: RunResult, agree: Callable[[Outlay], Awaitable[None]]
) -> tuple[Flips | None, str]:
    from skilltrial.aggregate.self_check import flips  # noqa: PLC0415 - as above

    asked = ProbeRequest(
        workspace=result.workspace,
        env=request.env,
        iteration=result.iteration,
        judge_prompt=request.judge_prompt,
        base_url=request.base_url,
        seed=request.seed,
        concurrency=request.concurrency,
        probes=frozenset({"repeat"}),
    )
    try:
        probed = await probe_judge(asked, agree=agree)
    except SkilltrialError as error:
        return None, str(error)
    repeat = next((found for found in probed.results if found.probe.name == "repeat"), None)
    if repeat is None or not repeat.n:
        return None, probed.trouble
    return flips(repeat.n, len(repeat.flips)), probed.trouble
