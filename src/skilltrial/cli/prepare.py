"""`skilltrial prepare`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from skilltrial.cli import run_options as option


def prepare(  # noqa: PLR0917 - options of a command line
    skill: option.SkillFolder,
    evals: option.EvalFile = None,
    runs: option.Runs = None,
    harness: Annotated[
        str | None,
        typer.Option(
            help="The agent that will be used: claude-code, codex, … or any name. Default: none, unknown.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model that will be used.", show_default=False)] = None,
    skill_root: Annotated[
        str | None,
        typer.Option(
            help="Where that agent discovers skills. Default: as the harness says, else .claude/skills.",
            metavar="PATH",
            show_default=False,
        ),
    ] = None,
    arms: option.ArmNames = None,
    baseline: option.BaselineSource = None,
    ablate: option.Ablate = None,
    config: option.ConfigFile = None,
    only: option.Only = None,
    out: Annotated[
        Path | None,
        typer.Option(help="A new folder for the tasks. Default: one outside any project.", show_default=False),
    ] = None,
    workspace: option.WorkspaceFolder = None,
    iteration: option.Iteration = None,
    timeout: option.Timeout = None,
    seed: option.Seed = None,
    json_: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Write the tasks of a trial for somebody else's agent to run.

    For agents that cannot be started from here: a subscription, an IDE. `skilltrial collect` takes back what came of them.
    """
    from skilltrial.cli.handover_page import prepare_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.run import iteration_of, split  # noqa: PLC0415
    from skilltrial.cli.settings_use import use_settings  # noqa: PLC0415
    from skilltrial.request import RunRequest  # noqa: PLC0415

    # The agent that will be used is unknown unless the person says it: the file's is for agents that are started here.
    used = use_settings(skill, config, asked={"runs": runs, "timeout": timeout, "seed": seed}, arms=False)
    request = RunRequest(
        skill=skill,
        env=dict(os.environ),
        evals=evals,
        runs=used.runs,
        harness=harness,
        model=model,
        arms=None if arms is None else split(arms, "--arms"),
        baseline=baseline,
        named_arms=used.arms,
        arms_file=used.file,
        ablate=ablate,
        only=() if only is None else split(only, "--only"),
        workspace=workspace,
        iteration=iteration_of(iteration),
        timeout_s=used.timeout,
        seed=used.seed,
    )
    prepare_and_print(request, out=out, skill_root=skill_root, as_json=json_)
