"""`skilltrial run --dry-run`: what would be run, and what it would take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import anyio

from skilltrial.cli.standard_output import put
from skilltrial.errors import SkilltrialError
from skilltrial.operations.cells import Cell, together
from skilltrial.pipeline import DryRun, RunRequest, dry_run
from skilltrial.records.budget import Forecast
from skilltrial.records.plan import Arm
from skilltrial.report.figures import plural
from skilltrial.report.forecast import forecast_lines
from skilltrial.report.plain_text import line


def dry_run_and_print(request: RunRequest, *, as_json: bool, notice: str = "") -> int:
    """Plan, forecast, print; the exit code is always 0, what cannot be planned raises."""
    planned = anyio.run(dry_run, request)
    put(json.dumps(_as_json(planned), indent=2) + "\n" if as_json else _as_text(planned, notice))
    return 0


def dry_run_cells_and_print(cells: Sequence[Cell], *, as_json: bool, left_out: Mapping[str, str] | None = None) -> int:
    """The same for each of several runs, and the sum; the exit code is that of the last one that cannot be planned.

    `left_out`: what is not run, and why.
    """
    told: list[dict[str, object]] = []
    forecasts: list[Forecast] = []
    code = 0
    for cell in cells:
        try:
            planned = anyio.run(dry_run, cell.request)
        except SkilltrialError as error:
            code = error.exit_code
            told.append({"cell": cell.name, "error": str(error)})
            text = f"{cell.name}: {line(str(error), 400)}\n"
        else:
            forecasts.append(planned.forecast)
            told.append({"cell": cell.name, **_as_json(planned)})
            text = f"{cell.name}\n{_as_text(planned, '')}"
        if not as_json:
            put(text)
    for name, why in (left_out or {}).items():
        told.append({"cell": name, "left_out": why})
        if not as_json:
            put(f"{line(name, 80)}: {line(why, 400)}\n")
    whole = together(forecasts) if forecasts else None
    if as_json:
        all_of_them = whole and whole.model_dump(mode="json")
        put(json.dumps({"cells": told, "forecast": all_of_them}, indent=2) + "\n")
    elif whole:
        count = (
            plural(len(forecasts), "run") if len(forecasts) == len(cells) else f"{len(forecasts)} of {len(cells)} runs"
        )
        put(f"{count} together\n" + "".join(f"  {text}\n" for text in forecast_lines(whole)))
    return code


def _as_json(planned: DryRun) -> dict[str, object]:
    plan = planned.plan
    return {
        "skill": plan.skill.model_dump(mode="json"),
        "iteration": planned.iteration,
        "workspace": str(planned.workspace),
        "plan_digest": plan.digest,
        "harness": plan.harness.model_dump(mode="json"),
        "arms": [arm.model_dump(mode="json") for arm in plan.arms],
        "cases": [case.id for case in plan.suite.cases],
        "trials": [str(trial.key) for trial in plan.trials],
        "forecast": planned.forecast.model_dump(mode="json"),
    }


def _as_text(planned: DryRun, notice: str) -> str:
    plan = planned.plan
    model = f", model {plan.harness.model}" if plan.harness.model else ""
    judge = f", judge {plan.judge}" if plan.judge else ""
    version = f" {plan.harness.version}" if plan.harness.version else ""
    size = f"{plural(len(plan.suite.cases), 'case')}, {plural(len(plan.arms), 'arm')}"
    lines = [
        f"{plan.skill.name}: {plural(len(plan.trials), 'trial')} ({size})",
        f"  by {plan.harness.name}{version}{model}{judge}",
        *([f"  {notice}"] if notice else []),
        *(f"  {_arm(arm)}" for arm in plan.arms),
        f"  iteration {planned.iteration} of {planned.workspace}",
        *(f"  {text}" for text in forecast_lines(planned.forecast)),
        "Nothing was started.",
    ]
    return "".join(line(text, 400) + "\n" if not text.startswith("  ") else f"  {line(text, 400)}\n" for text in lines)


def _arm(arm: Arm) -> str:
    skill = arm.skill
    parts = ["no skill" if skill is None else skill.origin or skill.folder]
    if used := arm.harness:
        parts.append(" ".join(["by", used.name, used.model or "with its own model", *used.args]))
    parts += [f"beside {ref.name}" for ref in arm.beside]
    parts += [f"{name}={value}" for name, value in arm.env.items()]
    parts += [f"prefix {arm.prompt_prefix!r}"] if arm.prompt_prefix else []
    return f"{arm.role} {arm.name}: {', '.join(parts)}"
