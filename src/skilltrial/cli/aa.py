"""`skilltrial aa`."""

from __future__ import annotations

import os

import typer

from skilltrial.cli import run_options as option
from skilltrial.cli.run import iteration_of, split


def aa(  # noqa: PLR0917 - options of a command line
    skill: option.SkillFolder,
    evals: option.EvalFile = None,
    runs: option.Runs = None,
    harness: option.Harness = None,
    model: option.Model = None,
    base_url: option.BaseUrl = None,
    harness_arg: option.HarnessArg = None,
    sandbox: option.SandboxLevel = "none",
    network: option.Network = "all",
    judge: option.Judge = None,
    judge_samples: option.JudgeSamples = None,
    judge_prompt: option.JudgePrompt = None,
    responder: option.Responder = None,
    baseline: option.BaselineSource = None,
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
    """Run the baseline against itself: a check for false alarms.

    Everything is as in `run`, judge included, but both arms are the same, so that all differences are noise. It is kept in
    the folder aa of the workspace. Exit code 1: the interval does not hold 0. 2: the request or its files. 3: tools failed.
    4: a ceiling, or too few cases to tell.
    """
    from skilltrial.cli.self_check_page import check_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.settings_use import use_settings  # noqa: PLC0415
    from skilltrial.request import Ceilings, RunRequest  # noqa: PLC0415

    asked = {"runs": runs, "timeout": timeout, "concurrency": concurrency, "seed": seed, "harness": harness}
    asked |= {"model": model, "judge": judge, "judge_samples": judge_samples, "judge_prompt": judge_prompt}
    used = use_settings(skill, config, asked=asked, arms=baseline is None)
    request = RunRequest(
        skill=skill,
        env=dict(os.environ),
        evals=evals,
        runs=used.runs,
        harness=used.harness,
        model=used.model,
        base_url=base_url,
        harness_args=tuple(harness_arg or ()),
        settings=used.file if used.names_agent else None,
        sandbox=sandbox,
        network=network,
        **used.judging,
        responder=responder,
        baseline=baseline,
        named_arms=used.arms,
        arms_file=used.file,
        beside=tuple(beside or ()),
        only=() if only is None else split(only, "--only"),
        workspace=workspace,
        iteration=iteration_of(iteration),
        concurrency=used.concurrency,
        timeout_s=used.timeout,
        seed=used.seed,
        ceilings=Ceilings(max_cost_usd=max_cost, max_tokens=max_tokens, max_trials=max_trials),
    )
    raise typer.Exit(
        check_and_print(request, as_json=json_, dry=dry_run, ask_above_usd=ask_above, yes=yes, notice=used.line)
    )
