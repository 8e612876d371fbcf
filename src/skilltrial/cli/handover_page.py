"""Prepared and collected tasks in front of a person."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import anyio

from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.handover.collection import Collected, CollectRequest, Receipt, State, collect
from skilltrial.handover.preparation import Prepared, prepare
from skilltrial.records.handover import INSTRUCTIONS, MANIFEST
from skilltrial.report import terminal
from skilltrial.report.figures import dollars, plural
from skilltrial.request import RunRequest

FINDINGS = 1
INCOMPLETE = 3
_STATES: dict[State, str] = {"collected": "collected now", "kept": "collected before", "missing": "not handed back yet"}


def prepare_and_print(request: RunRequest, *, out: Path | None, skill_root: str | None, as_json: bool) -> None:
    """Prepare, and say where the tasks lie and what comes next."""

    async def work() -> Prepared:
        return await prepare(request, out=out, skill_root=skill_root)

    prepared = anyio.run(work)
    if as_json:
        told = {
            "folder": str(prepared.folder),
            "manifest": str(prepared.folder / MANIFEST),
            "instructions": str(prepared.folder / INSTRUCTIONS),
            "workspace": str(prepared.workspace),
            "iteration": prepared.iteration,
            "tasks": prepared.n_tasks,
            "finished": prepared.n_finished,
            "agent": prepared.agent.model_dump(mode="json"),
        }
        put(json.dumps(told, indent=2) + "\n")
        return
    agent = prepared.agent
    known = f"stream format {agent.stream_format}" if agent.stream_format else "its stream cannot be read"
    done = f" ({plural(prepared.n_finished, 'trial')} of the plan finished already)" if prepared.n_finished else ""
    lines = [
        f"{plural(prepared.n_tasks, 'task')} in {prepared.folder}{done}",
        f"  agent       {agent.name}; skills in {agent.skill_root}; {known}",
        f"  iteration   {prepared.iteration} of {prepared.workspace}",
        f"  dispatch    as {INSTRUCTIONS} there says; nothing in it names arms or expectations",
        f"  then        skilltrial collect {shlex.quote(str(prepared.folder))}",
    ]
    put("".join(f"{text}\n" for text in lines))


def collect_and_print(request: CollectRequest, *, as_json: bool) -> int:
    """Collect, print tasks and report; returns the exit code."""
    collected = anyio.run(collect, request)
    benchmark, page = collected.evaluation.benchmark, collected.evaluation.page
    if as_json:
        tasks = [receipt._asdict() for receipt in collected.receipts]
        told = {"tasks": tasks, "workspace": str(collected.workspace), "iteration": collected.iteration}
        told |= {"judge_usd": collected.judge_usd}
        put(json.dumps({**told, "benchmark": benchmark.model_dump(mode="json")}, indent=2) + "\n")
    else:
        console = Screen()
        put("".join(f"{text}\n" for text in _lines(collected, console.width)) + "\n")
        terminal.print_report(benchmark, console, report_path=str(page))
    if collected.judge_failed:
        return INCOMPLETE
    return FINDINGS if collected.count("refused") or collected.count("failed") else 0


def _lines(collected: Collected, width: int) -> list[str]:
    counts = {words: collected.count(state) for state, words in _STATES.items()}
    summary = ", ".join(f"{n} {words}" for words, n in counts.items() if n) or "nothing"
    cost = [] if collected.judge_usd is None else [f"The judge cost {dollars(collected.judge_usd)} so far."]
    head = [f"Tasks: {summary}", *([paragraph(collected.notice, width)] if collected.notice else []), *cost]
    return [*head, *(_trouble(receipt, width) for receipt in collected.receipts if receipt.why)]


def _trouble(receipt: Receipt, width: int) -> str:
    return paragraph(f"{receipt.id} {receipt.state}: {receipt.why}", width, indent="  ", further="    ")
