"""`skilltrial run`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from skilltrial.cli import run_options as option

if TYPE_CHECKING:
    from pathlib import Path

    from skilltrial.request import Ceilings, RunRequest


_DEFAULT_ROUNDS = 5
_AT_MOST = "until decided: what is foreseen is the most that it can take"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manner:
    """How a run is started and told."""

    dry_run: bool
    as_json: bool
    ask_above_usd: float
    yes: bool


def run(  # noqa: PLR0917 - options of a command line
    skill: option.SkillOrSkills,
    evals: option.EvalFile = None,
    runs: option.Runs = None,
    until_decided: option.UntilDecided = False,  # noqa: FBT002 - typer's way
    max_rounds: option.MaxRounds = None,
    harness: option.Harnesses = None,
    model: option.Models = None,
    base_url: option.BaseUrl = None,
    harness_arg: option.HarnessArg = None,
    sandbox: option.SandboxLevel = "none",
    network: option.Network = "all",
    judge: option.Judge = None,
    judge_samples: option.JudgeSamples = None,
    judge_prompt: option.JudgePrompt = None,
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

    Exit code 0: all is run, or decided. 2: the request or its files. 3: tools failed. 4: a ceiling. 130: stopped.
    """
    from skilltrial.cli.settings_use import use_settings  # noqa: PLC0415 - only when a trial runs
    from skilltrial.request import Ceilings, RunRequest  # noqa: PLC0415
    from skilltrial.spec.skill_folders import is_folder_of_skills  # noqa: PLC0415

    agents = several(harness, "--harness"), several(model, "--model")
    runs = _rounds(runs, max_rounds, until_decided=until_decided)
    asked = {"runs": runs, "timeout": timeout, "concurrency": concurrency, "seed": seed, **first_of(*agents)}
    asked |= {"judge": judge, "judge_samples": judge_samples, "judge_prompt": judge_prompt}
    ceilings = Ceilings(max_cost_usd=max_cost, max_tokens=max_tokens, max_trials=max_trials)

    def ask(folder: Path) -> tuple[RunRequest, str]:
        used = use_settings(folder, config, asked=asked, arms=arms is None and baseline is None)
        request = RunRequest(
            skill=folder,
            env=dict(os.environ),
            evals=evals,
            until_decided=until_decided,
            base_url=base_url,
            harness_args=tuple(harness_arg or ()),
            sandbox=sandbox,
            network=network,
            responder=responder,
            arms=None if arms is None else split(arms, "--arms"),
            baseline=baseline,
            beside=tuple(beside or ()),
            ablate=ablate,
            reuse_baseline=reuse_baseline,
            only=() if only is None else split(only, "--only"),
            workspace=workspace,
            iteration=iteration_of(iteration),
            ceilings=ceilings,
            **used.asked,
        )
        return request, used.line

    manner = _Manner(dry_run=dry_run, as_json=json_, ask_above_usd=ask_above, yes=yes)
    if is_folder_of_skills(skill):
        raise typer.Exit(_start_portfolio(skill, ask, agents, manner, workspace=workspace, ceilings=ceilings))
    raise typer.Exit(_start(*ask(skill), agents=agents, manner=manner))


def _rounds(runs: int | None, max_rounds: int | None, *, until_decided: bool) -> int | None:
    """How many repeats are planned. With `--until-decided` that is how many rounds there may be."""
    if not until_decided:
        if max_rounds is not None:
            raise typer.BadParameter("it is for --until-decided", param_hint="--max-rounds")
        return runs
    if None not in {runs, max_rounds} and runs != max_rounds:
        raise typer.BadParameter(f"--runs is {runs}: leave one of them out", param_hint="--max-rounds")
    return max_rounds or runs or _DEFAULT_ROUNDS


def _start(request: RunRequest, notice: str, *, agents: tuple[Sequence[str], Sequence[str]], manner: _Manner) -> int:
    """One run, or one for each combination where the person gave several harnesses or models."""
    if request.until_decided:
        notice = "; ".join(part for part in (notice, _AT_MOST) if part)
    if max(map(len, agents)) > 1:
        return _start_matrix(request, notice, agents=agents, manner=manner)
    if manner.dry_run:
        from skilltrial.cli.dry_run import dry_run_and_print  # noqa: PLC0415 - only when it is asked for

        return dry_run_and_print(request, as_json=manner.as_json, notice=notice)
    from skilltrial.cli.trial_run import run_and_print  # noqa: PLC0415 - only when a trial runs

    return run_and_print(
        request, as_json=manner.as_json, ask_above_usd=manner.ask_above_usd, yes=manner.yes, notice=notice
    )


def _start_matrix(
    request: RunRequest, notice: str, *, agents: tuple[Sequence[str], Sequence[str]], manner: _Manner
) -> int:
    from skilltrial.operations.matrix import cells_of  # noqa: PLC0415 - only when it is asked for

    cells = cells_of(request, *agents)
    if manner.dry_run:
        from skilltrial.cli.dry_run import dry_run_cells_and_print  # noqa: PLC0415

        return dry_run_cells_and_print(cells, as_json=manner.as_json)
    from skilltrial.cli.matrix_run import run_matrix_and_print  # noqa: PLC0415

    return run_matrix_and_print(
        cells,
        request,
        as_json=manner.as_json,
        ask_above_usd=manner.ask_above_usd,
        yes=manner.yes,
        notice=notice,
    )


def _start_portfolio(
    folder: Path,
    ask: Callable[[Path], tuple[RunRequest, str]],
    agents: tuple[Sequence[str], Sequence[str]],
    manner: _Manner,
    *,
    workspace: Path | None,
    ceilings: Ceilings,
) -> int:
    """One run for each skill in the folder."""
    if max(map(len, agents)) > 1:
        message = "several harnesses or models are for one skill, and this is a folder of several"
        raise typer.BadParameter(message, param_hint="--harness, --model")
    from skilltrial.cli.portfolio_run import run_portfolio_and_print  # noqa: PLC0415 - only when it is asked for

    return run_portfolio_and_print(
        folder,
        ask,
        workspace=workspace,
        ceilings=ceilings,
        as_json=manner.as_json,
        ask_above_usd=manner.ask_above_usd,
        yes=manner.yes,
        dry_run=manner.dry_run,
    )


def first_of(harnesses: Sequence[str], models: Sequence[str]) -> dict[str, str | None]:
    """What a single run has of them."""
    return {"harness": next(iter(harnesses), None), "model": next(iter(models), None)}


def several(values: Sequence[str] | None, option: str) -> tuple[str, ...]:
    """Each once, in order; given several times, or with commas."""
    return tuple(dict.fromkeys(part for value in values or () for part in split(value, option)))


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
