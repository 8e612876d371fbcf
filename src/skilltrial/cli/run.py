"""`skilltrial run`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def run(  # noqa: PLR0917 - options of a command line
    skill: Annotated[Path, typer.Argument(help="The skill: a folder with a SKILL.md.", show_default=False)],
    evals: Annotated[
        Path | None, typer.Option(help="The eval file. Default: evals/evals.json of the skill.", show_default=False)
    ] = None,
    runs: Annotated[int, typer.Option(help="Repeats of each case in each arm; a case's own `runs` wins.")] = 3,
    harness: Annotated[
        str | None,
        typer.Option(help="claude-code or builtin. Default: the first that `doctor` finds ready.", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The agent's model: embedded, openai:NAME, anthropic:NAME, or a name of the harness.",
            show_default=False,
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Another endpoint: OpenAI-compatible for --model NAME, or Claude Code's.", show_default=False
        ),
    ] = None,
    harness_arg: Annotated[
        list[str] | None,
        typer.Option(help="An extra argument for the agent program; may be repeated.", show_default=False),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="The model that grades prose: openai:NAME, anthropic:NAME.", show_default=False)
    ] = None,
    arms: Annotated[
        str, typer.Option(help="What is compared: names, or NAME=FOLDER for another version (old_skill=../v1).")
    ] = "with_skill,without_skill",
    only: Annotated[str | None, typer.Option(help="Case ids, separated by commas.", show_default=False)] = None,
    workspace: Annotated[
        Path | None, typer.Option(help="Where all is written. Default: beside the skill.", show_default=False)
    ] = None,
    iteration: Annotated[
        str | None,
        typer.Option(
            help="A number, or new. Default: the newest goes on while nothing has changed.", show_default=False
        ),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Trials at a time.")] = 4,
    timeout: Annotated[float, typer.Option(help="Seconds that one trial may take.")] = 600,
    seed: Annotated[int, typer.Option(help="Of the order, and of models that take one.")] = 1,
    json_: Annotated[bool, typer.Option("--json", help="Print the benchmark as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Run a skill's cases with and without it, and say if it helps.

    Exit code 0: every trial has a result. 2: something in the request or its files. 3: tools failed.
    130: stopped; the same command goes on.
    """
    from skilltrial.cli.trial_run import run_and_print  # noqa: PLC0415 - only when a trial runs
    from skilltrial.pipeline import RunRequest  # noqa: PLC0415

    request = RunRequest(
        skill=skill,
        env=dict(os.environ),
        evals=evals,
        runs=runs,
        harness=harness,
        model=model,
        base_url=base_url,
        harness_args=tuple(harness_arg or ()),
        judge=judge,
        arms=_split(arms, "--arms"),
        only=() if only is None else _split(only, "--only"),
        workspace=workspace,
        iteration=_iteration(iteration),
        concurrency=concurrency,
        timeout_s=timeout,
        seed=seed,
    )
    raise typer.Exit(run_and_print(request, as_json=json_))


def _split(text: str, option: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        raise typer.BadParameter(f"{text!r} names nothing", param_hint=option)
    return parts


def _iteration(text: str | None) -> int | str | None:
    if text is None or text == "new":
        return text
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise typer.BadParameter(f"{text!r} is neither a number nor new", param_hint="--iteration")
