"""`skilltrial improve`."""

from __future__ import annotations

import os

import typer

from skilltrial.cli import improve_options as own
from skilltrial.cli import run_options as option


def improve(  # noqa: PLR0917 - options of a command line
    skill: option.SkillFolder,
    proposer: own.Proposer = None,
    proposer_url: own.ProposerUrl = None,
    evals: option.EvalFile = None,
    rounds: own.Rounds = 3,
    candidates: own.Candidates = 3,
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
    propose_only: own.ProposeOnly = False,  # noqa: FBT002 - typer's way
    apply: own.Apply = None,
    json_: own.AsJson = False,  # noqa: FBT002 - typer's way
) -> None:
    """Let a model write better versions of a skill, and prove it.

    It sees what fails on some cases; others choose among its versions; the rest decide whether the best is accepted. The same
    command goes on where it stopped. Exit code 0: a better version, or none. 2: the request or its files. 3: tools failed. 4: a
    ceiling.
    """
    from skilltrial.cli.improve_page import apply_and_print, improve_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.settings_use import use_settings  # noqa: PLC0415
    from skilltrial.errors import SpecError  # noqa: PLC0415
    from skilltrial.operations.improving import ImproveRequest  # noqa: PLC0415
    from skilltrial.request import Ceilings, RunRequest  # noqa: PLC0415

    if apply is not None:
        raise typer.Exit(apply_and_print(skill, workspace, apply, as_json=json_))
    if proposer is None:
        raise SpecError("there is no model that writes versions.", hint="Add --proposer NAME, as anthropic:NAME.")
    asked = {"runs": runs, "timeout": timeout, "concurrency": concurrency, "seed": seed, "harness": harness}
    asked |= {"model": model, "judge": judge, "judge_samples": judge_samples, "judge_prompt": judge_prompt}
    used = use_settings(skill, config, asked=asked, arms=False)
    run = RunRequest(
        skill=skill,
        env=dict(os.environ),
        evals=evals,
        base_url=base_url,
        harness_args=tuple(harness_arg or ()),
        sandbox=sandbox,
        network=network,
        responder=responder,
        beside=tuple(beside or ()),
        workspace=workspace,
        ceilings=Ceilings(max_cost_usd=max_cost, max_tokens=max_tokens, max_trials=max_trials),
        **used.asked,
    )
    request = ImproveRequest(
        run=run,
        proposer=proposer,
        proposer_url=proposer_url,
        rounds=rounds,
        candidates=candidates,
        propose_only=propose_only,
    )
    raise typer.Exit(
        improve_and_print(request, as_json=json_, dry=dry_run, ask_above_usd=ask_above, yes=yes, notice=used.line)
    )
