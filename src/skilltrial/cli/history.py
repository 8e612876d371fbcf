"""`skilltrial history`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from skilltrial.cli import run_options as option


class ShownByDefault(TyperGroup):
    """`skilltrial history WORKSPACE` is `skilltrial history show WORKSPACE`."""

    default = "show"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the default in front where there is none."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [self.default, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    help="Compare the iterations of a workspace, or add a version.",
    cls=ShownByDefault,
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def show(
    workspace: Annotated[Path, typer.Argument(help="A workspace that `run` or `import` made.", show_default=False)],
    html: Annotated[Path | None, typer.Option(help="Write the page to this file as well.", show_default=False)] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the iterations as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Compare the iterations; also without the word show.

    The lift of each with its interval, and what changed between them. Nothing is run. Exit code 2: there is no such workspace.
    """
    from skilltrial.cli.history_page import show_history  # noqa: PLC0415 - only when it runs

    show_history(workspace, html_file=html, as_json=json_)


@app.command()
def add(  # noqa: PLR0917 - options of a command line
    version: Annotated[Path, typer.Argument(help="The new version: a folder with a SKILL.md.", show_default=False)],
    skill: Annotated[
        Path | None,
        typer.Option(help="The skill that it is a version of. Default: the same folder, changed.", show_default=False),
    ] = None,
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
    json_: option.AsJson = False,  # noqa: FBT002 - typer's way
) -> None:
    """Try a version that you wrote against the best so far.

    All cases run with both, and history.json gets a row. Exit code 0: it is tried. 2: the request or its files. 3: tools failed.
    4: a ceiling.
    """
    from skilltrial.cli.addition_page import add_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.settings_use import use_settings  # noqa: PLC0415
    from skilltrial.request import Ceilings, RunRequest  # noqa: PLC0415

    home = skill or version
    asked = {"runs": runs, "timeout": timeout, "concurrency": concurrency, "seed": seed, "harness": harness}
    asked |= {"model": model, "judge": judge, "judge_samples": judge_samples, "judge_prompt": judge_prompt}
    used = use_settings(home, config, asked=asked, arms=False)
    request = RunRequest(
        skill=home,
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
    raise typer.Exit(add_and_print(version, request, as_json=json_, ask_above_usd=ask_above, yes=yes, notice=used.line))
