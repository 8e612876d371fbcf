"""`skilltrial run`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypeVar

import typer

Number = TypeVar("Number", int, float)


def run(  # noqa: PLR0917 - options of a command line
    skill: Annotated[Path, typer.Argument(help="The skill: a folder with a SKILL.md.", show_default=False)],
    evals: Annotated[
        Path | None, typer.Option(help="The eval file. Default: evals/evals.json of the skill.", show_default=False)
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            help="Repeats of each case in each arm; a case's own `runs` wins. Default: 3.", show_default=False
        ),
    ] = None,
    harness: Annotated[
        str | None,
        typer.Option(
            help="claude-code, builtin, codex, … (`harness list`). Default: the first that `doctor` finds ready.",
            show_default=False,
        ),
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
            help="Another endpoint for --model NAME: OpenAI-compatible, or what the harness speaks.", show_default=False
        ),
    ] = None,
    harness_arg: Annotated[
        list[str] | None,
        typer.Option(help="An extra argument for the agent program; may be repeated.", show_default=False),
    ] = None,
    sandbox: Annotated[
        str,
        typer.Option(
            help="What the agent runs in: none, bwrap, landlock, or auto (the best that works here).", metavar="LEVEL"
        ),
    ] = "none",
    judge: Annotated[
        str | None, typer.Option(help="The model that grades prose: openai:NAME, anthropic:NAME.", show_default=False)
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(
            help="What is compared: names, or NAME=FOLDER for another version (old_skill=../v1). "
            "Default: with_skill,without_skill.",
            show_default=False,
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            help="The skill as it was: a folder, git:REF, iteration:N; or none.", metavar="SOURCE", show_default=False
        ),
    ] = None,
    ablate: Annotated[
        str | None,
        typer.Option(help="sections: also try the skill without one ## section each.", show_default=False),
    ] = None,
    reuse_baseline: Annotated[  # noqa: FBT002 - typer's way
        bool, typer.Option("--reuse-baseline", help="Take over baseline trials of earlier iterations that still fit.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(help="Settings. Default: the nearest skilltrial.toml of the skill.", show_default=False),
    ] = None,
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
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Trials at a time. Default: 4.", show_default=False)
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds that one trial may take. Default: 600.", show_default=False)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the order, and of models that take one. Default: 1.", show_default=False)
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="US dollars that the trials may cost; the judge is apart.", show_default=False)
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Tokens that the trials may take together.", show_default=False)
    ] = None,
    max_trials: Annotated[
        int | None, typer.Option(help="Trials of the plan that may be begun.", show_default=False)
    ] = None,
    ask_above: Annotated[float, typer.Option(help="Ask first where the forecast is above so many US dollars.")] = 5.0,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,  # noqa: FBT002 - typer's way
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan and forecast only; nothing is started.")] = False,  # noqa: FBT002
    json_: Annotated[bool, typer.Option("--json", help="Print the benchmark as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Run a skill's cases with it and without it, grade them, and say whether it helps.

    Exit code 0: every trial has a result. 2: something in the request or its files. 3: tools failed. 4: a ceiling
    (--max-cost, --max-tokens, --max-trials) was reached. 130: stopped; the same command goes on.
    """
    from skilltrial.cli.trial_run import run_and_print  # noqa: PLC0415 - only when a trial runs
    from skilltrial.pipeline import RunRequest  # noqa: PLC0415
    from skilltrial.records.budget import Ceilings  # noqa: PLC0415
    from skilltrial.records.settings import Settings  # noqa: PLC0415
    from skilltrial.spec.settings import find_settings, load_settings  # noqa: PLC0415

    found = config or find_settings(skill)
    settings = load_settings(found) if found else Settings()
    told = settings.run
    request = RunRequest(
        skill=skill,
        env=dict(os.environ),
        evals=evals,
        runs=_first(runs, told.runs, 3),
        harness=harness or told.harness,
        # A model belongs to its harness: another one on the command line may not know it.
        model=model or (told.model if harness in {None, told.harness} else None),
        base_url=base_url,
        harness_args=tuple(harness_arg or ()),
        sandbox=sandbox,
        judge=judge or told.judge,
        arms=None if arms is None else _split(arms, "--arms"),
        baseline=baseline,
        named_arms=settings.arms,
        ablate=ablate,
        reuse_baseline=reuse_baseline,
        only=() if only is None else _split(only, "--only"),
        workspace=workspace,
        iteration=_iteration(iteration),
        concurrency=_first(concurrency, told.concurrency, 4),
        timeout_s=_first(timeout, told.timeout, 600.0),
        seed=_first(seed, told.seed, 1),
        ceilings=Ceilings(max_cost_usd=max_cost, max_tokens=max_tokens, max_trials=max_trials),
    )
    if dry_run:
        from skilltrial.cli.dry_run import dry_run_and_print  # noqa: PLC0415

        raise typer.Exit(dry_run_and_print(request, as_json=json_))
    raise typer.Exit(run_and_print(request, as_json=json_, ask_above_usd=ask_above, yes=yes))


def _first(asked: Number | None, told: Number | None, default: Number) -> Number:
    """The command line wins over skilltrial.toml."""
    if asked is not None:
        return asked
    return default if told is None else told


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
