"""`skilltrial trigger`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skilltrial.cli import run_options as option
from skilltrial.cli.run import first_of, iteration_of, several, split

if TYPE_CHECKING:
    from skilltrial.request import RunRequest

_Queries = Annotated[
    Path | None,
    typer.Option(
        help="The trigger set. Default: evals/triggers.json of the skill, else the prompts of its eval file.",
        show_default=False,
    ),
]
_Draft = Annotated[
    str | None,
    typer.Option(
        help="Run nothing; let this model draft evals/triggers.json: openai:NAME, anthropic:NAME, NAME with --base-url.",
        show_default=False,
    ),
]
_Threshold = Annotated[
    float, typer.Option(min=0.0, max=1.0, help="A query passes where its rate is on the right side of this.")
]
_Siblings = Annotated[
    Path | None,
    typer.Option(help="A folder of skills that lie beside it: which of them is taken?", show_default=False),
]
_Canaries = Annotated[
    bool, typer.Option("--canaries/--no-canaries", help="Two queries of ours that show whether anything is measured.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manner:
    """How the trials are started and told."""

    threshold: float
    dry_run: bool
    as_json: bool
    ask_above_usd: float
    yes: bool
    notice: str


def trigger(  # noqa: PLR0917 - options of a command line
    skill: option.SkillFolder,
    queries: _Queries = None,
    draft: _Draft = None,
    runs: option.Runs = None,
    threshold: _Threshold = 0.5,
    with_siblings: _Siblings = None,
    canaries: _Canaries = True,  # noqa: FBT002 - typer's way
    harness: option.Harnesses = None,
    model: option.Models = None,
    base_url: option.BaseUrl = None,
    harness_arg: option.HarnessArg = None,
    sandbox: option.SandboxLevel = "none",
    network: option.Network = "all",
    beside: option.Beside = None,
    config: option.ConfigFile = None,
    only: option.Only = None,
    workspace: option.WorkspaceFolder = None,
    iteration: option.Iteration = None,
    concurrency: option.Concurrency = None,
    timeout: option.Timeout = None,
    seed: option.Seed = None,
    max_cost: option.MaxCost = None,
    max_tokens: option.MaxTokens = None,
    max_trials: option.MaxTrials = None,
    ask_above: option.AskAbove = 5.0,
    yes: option.Yes = False,  # noqa: FBT002 - typer's way
    dry_run: option.DryRun = False,  # noqa: FBT002 - typer's way
    json_: option.AsJson = False,  # noqa: FBT002 - typer's way
) -> None:
    """See if agents load a skill when they should, and only then.

    Each run is a real agent in a folder of its own, ended as soon as the skill is loaded. It is kept in the folder triggers of
    the workspace. Exit code 1: a query is on the wrong side. 2: the request or its files. 3: tools failed in more than a fifth
    of the runs. 4: a ceiling, or a query without a result.
    """
    if draft is not None:
        from skilltrial.cli.trigger_draft import draft_and_print  # noqa: PLC0415 - only when it is asked for

        raise typer.Exit(draft_and_print(skill, model=draft, base_url=base_url, as_json=json_))
    from skilltrial.cli.settings_use import use_settings  # noqa: PLC0415 - only when it runs
    from skilltrial.operations.triggering import trigger_request  # noqa: PLC0415
    from skilltrial.request import Ceilings, RunRequest  # noqa: PLC0415

    agents = several(harness, "--harness"), several(model, "--model")
    asked = {"runs": runs, "timeout": timeout, "concurrency": concurrency, "seed": seed, **first_of(*agents)}
    used = use_settings(skill, config, asked=asked, arms=False)
    request = RunRequest(
        skill=skill,
        env=dict(os.environ),
        base_url=base_url,
        harness_args=tuple(harness_arg or ()),
        sandbox=sandbox,
        network=network,
        beside=tuple(beside or ()),
        only=() if only is None else split(only, "--only"),
        workspace=workspace,
        iteration=iteration_of(iteration),
        ceilings=Ceilings(max_cost_usd=max_cost, max_tokens=max_tokens, max_trials=max_trials),
        **used.agents,
    )
    request = trigger_request(request, queries, siblings=with_siblings, canaries=canaries)
    manner = _Manner(
        threshold=threshold, dry_run=dry_run, as_json=json_, ask_above_usd=ask_above, yes=yes, notice=used.line
    )
    raise typer.Exit(_start(request, agents, manner))


def _start(request: RunRequest, agents: tuple[Sequence[str], Sequence[str]], manner: _Manner) -> int:
    """One run, or one for each combination where the person gave several harnesses or models."""
    if max(map(len, agents)) > 1:
        return _start_matrix(request, agents, manner)
    from skilltrial.cli.trigger_page import trigger_and_print  # noqa: PLC0415 - only when it runs

    return trigger_and_print(
        request,
        threshold=manner.threshold,
        as_json=manner.as_json,
        dry=manner.dry_run,
        ask_above_usd=manner.ask_above_usd,
        yes=manner.yes,
        notice=manner.notice,
    )


def _start_matrix(request: RunRequest, agents: tuple[Sequence[str], Sequence[str]], manner: _Manner) -> int:
    from skilltrial.operations.matrix import cells_of  # noqa: PLC0415 - only when it is asked for

    cells = cells_of(request, *agents)
    if manner.dry_run:
        from skilltrial.cli.dry_run import dry_run_cells_and_print  # noqa: PLC0415

        return dry_run_cells_and_print(cells, as_json=manner.as_json)
    from skilltrial.cli.trigger_matrix import run_trigger_matrix_and_print  # noqa: PLC0415

    return run_trigger_matrix_and_print(
        cells,
        request,
        threshold=manner.threshold,
        as_json=manner.as_json,
        ask_above_usd=manner.ask_above_usd,
        yes=manner.yes,
        notice=manner.notice,
    )
