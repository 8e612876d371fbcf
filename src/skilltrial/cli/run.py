"""`skilltrial run`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import typer

from skilltrial.cli import run_options as option

if TYPE_CHECKING:
    from skilltrial.pipeline import RunRequest

Number = TypeVar("Number", int, float)


def run(  # noqa: PLR0917 - options of a command line
    skill: option.SkillFolder,
    evals: option.EvalFile = None,
    runs: option.Runs = None,
    harness: option.Harnesses = None,
    model: option.Models = None,
    base_url: option.BaseUrl = None,
    harness_arg: option.HarnessArg = None,
    sandbox: option.SandboxLevel = "none",
    network: option.Network = "all",
    judge: option.Judge = None,
    responder: option.Responder = None,
    arms: option.ArmNames = None,
    baseline: option.BaselineSource = None,
    beside: option.Beside = None,
    ablate: option.Ablate = None,
    reuse_baseline: option.ReuseBaseline = False,  # noqa: FBT002 - typer's way
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
    """Run a skill's cases with and without it, and say if it helps.

    Exit code 0: every trial has a result. 2: something in the request or its files. 3: tools failed. 4: a ceiling
    (--max-cost, --max-tokens, --max-trials) was reached. 130: stopped; the same command goes on.
    """
    from skilltrial.cli.settings_use import settings_line, taken  # noqa: PLC0415 - only when a trial runs
    from skilltrial.pipeline import RunRequest  # noqa: PLC0415
    from skilltrial.records.budget import Ceilings  # noqa: PLC0415
    from skilltrial.spec.settings import find_settings, require_named, settings_of  # noqa: PLC0415

    file = config or find_settings(skill)
    settings = settings_of(skill, file)
    if file and config is None and arms is None and baseline is None:
        require_named(settings, file)
    harnesses, models = _several(harness, "--harness"), _several(model, "--model")
    first = {"harness": harnesses[0] if harnesses else None, "model": models[0] if models else None}
    asked = {"runs": runs, "judge": judge, **first}
    told = taken(settings.run, asked | {"timeout": timeout, "concurrency": concurrency, "seed": seed})
    request = RunRequest(
        skill=skill,
        env=dict(os.environ),
        evals=evals,
        runs=_first(runs, told.runs, 3),
        harness=first["harness"] or told.harness,
        model=first["model"] or told.model,
        base_url=base_url,
        harness_args=tuple(harness_arg or ()),
        settings=file if told.harness or (told.model and not harnesses) else None,
        sandbox=sandbox,
        network=network,
        judge=judge or told.judge,
        responder=responder,
        arms=None if arms is None else split(arms, "--arms"),
        baseline=baseline,
        named_arms=settings.arms,
        arms_file=file,
        beside=tuple(beside or ()),
        ablate=ablate,
        reuse_baseline=reuse_baseline,
        only=() if only is None else split(only, "--only"),
        workspace=workspace,
        iteration=iteration_of(iteration),
        concurrency=_first(concurrency, told.concurrency, 4),
        timeout_s=_first(timeout, told.timeout, 600.0),
        seed=_first(seed, told.seed, 1),
        ceilings=Ceilings(max_cost_usd=max_cost, max_tokens=max_tokens, max_trials=max_trials),
    )
    notice = settings_line(file, told, () if arms or baseline else settings.arms)
    if len(harnesses) > 1 or len(models) > 1:
        raise typer.Exit(
            _start_matrix(
                request,
                notice,
                harnesses=harnesses,
                models=models,
                dry_run=dry_run,
                as_json=json_,
                ask_above_usd=ask_above,
                yes=yes,
            )
        )
    start = _start(request, notice, dry_run=dry_run, as_json=json_, ask_above_usd=ask_above, yes=yes)
    raise typer.Exit(start)


def _start(request: RunRequest, notice: str, *, dry_run: bool, as_json: bool, ask_above_usd: float, yes: bool) -> int:
    if dry_run:
        from skilltrial.cli.dry_run import dry_run_and_print  # noqa: PLC0415 - only when it is asked for

        return dry_run_and_print(request, as_json=as_json, notice=notice)
    from skilltrial.cli.trial_run import run_and_print  # noqa: PLC0415 - only when a trial runs

    return run_and_print(request, as_json=as_json, ask_above_usd=ask_above_usd, yes=yes, notice=notice)


def _start_matrix(
    request: RunRequest,
    notice: str,
    *,
    harnesses: Sequence[str],
    models: Sequence[str],
    dry_run: bool,
    as_json: bool,
    ask_above_usd: float,
    yes: bool,
) -> int:
    from skilltrial.matrix import cells_of  # noqa: PLC0415 - only when it is asked for

    cells = cells_of(request, harnesses, models)
    if dry_run:
        from skilltrial.cli.dry_run import dry_run_cells_and_print  # noqa: PLC0415

        return dry_run_cells_and_print(cells, as_json=as_json)
    from skilltrial.cli.matrix_run import run_matrix_and_print  # noqa: PLC0415

    return run_matrix_and_print(cells, request, as_json=as_json, ask_above_usd=ask_above_usd, yes=yes, notice=notice)


def _several(values: Sequence[str] | None, option: str) -> tuple[str, ...]:
    """Each once, in order; given several times, or with commas."""
    return tuple(dict.fromkeys(part for value in values or () for part in split(value, option)))


def _first(asked: Number | None, told: Number | None, default: Number) -> Number:
    """The command line wins over skilltrial.toml."""
    if asked is not None:
        return asked
    return default if told is None else told


def split(text: str, option: str) -> tuple[str, ...]:
    """The parts of a list with commas; a `BadParameter` where there is none."""
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        raise typer.BadParameter(f"{text!r} names nothing", param_hint=option)
    return parts


def iteration_of(text: str | None) -> int | str | None:
    """A number, `new`, or None; a `BadParameter` for anything else."""
    if text is None or text == "new":
        return text
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise typer.BadParameter(f"{text!r} is neither a number nor new", param_hint="--iteration")
