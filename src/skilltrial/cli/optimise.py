"""`skilltrial optimise`."""

from __future__ import annotations

import os

import typer

from skilltrial.cli import optimise_options as own
from skilltrial.cli import run_options as option


def optimise(  # noqa: PLR0917 - options of a command line
    skill: option.SkillFolder,
    rewriter: own.Rewriter = None,
    rewriter_url: own.RewriterUrl = None,
    queries: own.Queries = None,
    rounds: own.Rounds = 5,
    patience: own.Patience = 2,
    holdout: own.Holdout = 0.4,
    runs: own.Runs = None,
    threshold: own.Threshold = 0.5,
    canaries: own.Canaries = True,  # noqa: FBT002 - typer's way
    harness: option.Harness = None,
    model: option.Model = None,
    base_url: option.BaseUrl = None,
    harness_arg: option.HarnessArg = None,
    sandbox: option.SandboxLevel = "none",
    network: option.Network = "all",
    beside: option.Beside = None,
    config: option.ConfigFile = None,
    workspace: option.WorkspaceFolder = None,
    concurrency: option.Concurrency = None,
    timeout: option.Timeout = None,
    seed: option.Seed = None,
    max_cost: option.MaxCost = None,
    max_tokens: option.MaxTokens = None,
    max_trials: option.MaxTrials = None,
    ask_above: option.AskAbove = 5.0,
    yes: option.Yes = False,  # noqa: FBT002 - typer's way
    dry_run: option.DryRun = False,  # noqa: FBT002 - typer's way
    apply: own.Apply = False,  # noqa: FBT002 - typer's way
    json_: option.AsJson = False,  # noqa: FBT002 - typer's way
) -> None:
    """Find a description that triggers better, and prove it.

    A model rewrites it from the queries of train, validation chooses, test decides. All is kept in the folder optimise of the
    workspace; the same command goes on where it stopped. Exit code 0: a better one, or none. 2: the request or its files.
    3: tools failed. 4: a ceiling, or it cannot be told.
    """
    from skilltrial.cli.optimise_page import apply_and_print, optimise_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.settings_use import use_settings  # noqa: PLC0415
    from skilltrial.operations.optimising import OptimiseRequest  # noqa: PLC0415
    from skilltrial.request import Ceilings, RunRequest  # noqa: PLC0415

    if apply:
        raise typer.Exit(apply_and_print(skill, workspace, as_json=json_))
    asked = {"runs": runs, "timeout": timeout, "concurrency": concurrency, "seed": seed, "harness": harness}
    asked |= {"model": model}
    used = use_settings(skill, config, asked=asked, arms=False)
    run = RunRequest(
        skill=skill,
        env=dict(os.environ),
        runs=used.runs,
        harness=used.harness,
        model=used.model,
        base_url=base_url,
        harness_args=tuple(harness_arg or ()),
        settings=used.file if used.names_agent else None,
        sandbox=sandbox,
        network=network,
        beside=tuple(beside or ()),
        workspace=workspace,
        concurrency=used.concurrency,
        timeout_s=used.timeout,
        seed=used.seed,
        ceilings=Ceilings(max_cost_usd=max_cost, max_tokens=max_tokens, max_trials=max_trials),
    )
    request = OptimiseRequest(
        run=run,
        rewriter=rewriter or "",
        rewriter_url=rewriter_url,
        queries=queries,
        holdout=holdout,
        rounds=rounds,
        patience=patience,
        threshold=threshold,
        canaries=canaries,
    )
    raise typer.Exit(
        optimise_and_print(request, as_json=json_, dry=dry_run, ask_above_usd=ask_above, yes=yes, notice=used.line)
    )
