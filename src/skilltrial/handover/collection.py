"""What came back from somebody else's hand -> trials of the workspace, graded and reported like those of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from anyio import to_thread
from pydantic import TypeAdapter, ValidationError

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.execute.codebases import code_files, starting_files
from skilltrial.execute.failure_policy import policy
from skilltrial.execute.resume import is_finished, read_trial
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.handover.key import Key, read_key, workspace_of
from skilltrial.handover.returned import publish_returned
from skilltrial.pipeline import Evaluation, evaluate, judge_cost
from skilltrial.plan.iteration import freeze, read_plan
from skilltrial.ports import HandoverFolder, Store
from skilltrial.preparing.judging import JudgesWanted, open_panel, planned_judges, settings_told, wanted_again
from skilltrial.records import layout
from skilltrial.records.handover import FINAL, MANIFEST, TAKEN, Taken, Ticket, Token
from skilltrial.records.plan import Plan
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import Trial

State = Literal["collected", "kept", "missing", "failed", "refused"]
Code = Mapping[str, tuple[CaseFile, ...]]
"""The files of each case's codebase."""
_TOKEN = TypeAdapter(Token)


class Receipt(NamedTuple):
    """What became of one task."""

    id: str
    state: State
    """`kept`: it has a result already. `missing`: not handed back yet. `failed`: an error of a tool, no result; the task may be
    handed back again. `refused`: its files cannot be used."""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectRequest:
    """What a person asks for."""

    folder: Path
    env: Mapping[str, str] = field(repr=False)
    workspace: Path | None = None
    """None: the one that was noted when the folder was prepared."""
    judge: str | None = None
    """None: the judges of before, else those of the skill's skilltrial.toml."""
    judge_samples: int | None = None
    judge_prompt: Path | None = None
    base_url: str | None = None
    """Of the judge."""
    concurrency: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What came back so far, and what it says."""

    receipts: tuple[Receipt, ...]
    evaluation: Evaluation
    workspace: Path
    iteration: int
    judge_failed: bool
    """There is a judge, and it did not answer, so that prose is left open; the next call asks again."""
    judge_usd: float | None = None
    """What the judge has cost in this iteration so far; None: no judge, or it does not tell."""
    notice: str = ""
    """What was taken from a skilltrial.toml."""

    def count(self, state: State) -> int:
        """How many tasks are in a state."""
        return sum(receipt.state == state for receipt in self.receipts)


async def collect(request: CollectRequest, *, watcher: Watcher | None = None) -> Collected:
    """Take over what was handed back, grade, aggregate, report. May be called as often as something comes.

    Without a judge, the one of the call before is asked about what is new.
    Raises `SpecError` for a folder that was not prepared, or whose workspace is not known, and the errors of stores and judges.
    """
    token = _token(request.folder)
    root = request.workspace or workspace_of(token, request.env)
    async with AsyncExitStack() as stack:
        if not root.is_dir():
            raise SpecError("the workspace of this folder is gone.", where=str(root), hint="Give --workspace.")
        store = wiring.open_store(root, write=True)
        stack.callback(store.close)
        key = read_key(store, token)
        plan = read_plan(store, key.iteration)
        if plan.digest != key.handover.plan_digest:
            raise SpecError("the plan is not the one that these tasks were prepared for.", where=str(root))
        asked = JudgesWanted(
            names=request.judge,
            samples=request.judge_samples,
            prompt=request.judge_prompt,
            base_url=request.base_url,
            env=request.env,
        )
        judges = wanted_again(plan, asked)
        judge = await open_panel(judges, plan.suite.cases, stack=stack)
        told = planned_judges(judges.names, samples=judges.samples, prompt=judges.prompt)
        plan = freeze(store, plan.model_copy(update=told), key.iteration)
        folder = wiring.open_handover(request.folder.absolute(), request.env)
        receipts = await to_thread.run_sync(_take_all, folder, key, plan, store)
        evaluation = await evaluate(
            plan,
            key.iteration,
            store,
            judge=judge,
            concurrency=request.concurrency,
            watcher=watcher or Silent(),
            env=request.env,
        )
    return Collected(
        receipts=receipts,
        evaluation=evaluation,
        workspace=root.absolute(),
        iteration=key.iteration,
        judge_failed=judge is not None and evaluation.has_open_prose,
        judge_usd=judge_cost(evaluation.gradings),
        notice=settings_told(asked, judges),
    )


def _token(folder: Path) -> str:
    """The id of a prepared folder. Its manifest may have been in other hands, so that nothing else of it is believed."""
    where = str(folder / MANIFEST)
    try:
        data = json.loads((folder / MANIFEST).read_bytes())
        return _TOKEN.validate_python(data["id"])
    except OSError as error:
        hint = "Give the folder that `prepare` printed."
        raise SpecError(f"the manifest cannot be read ({error.strerror}).", where=where, hint=hint) from None
    except (ValidationError, ValueError, TypeError, KeyError, RecursionError):
        raise SpecError("this is no manifest of a prepared folder.", where=where) from None


def _take_all(folder: HandoverFolder, key: Key, plan: Plan, store: Store) -> tuple[Receipt, ...]:
    code = code_files(plan, key.iteration, store)
    return tuple(_take(ticket, folder, key, plan, store, code) for ticket in key.handover.tickets)


def _take(ticket: Ticket, folder: HandoverFolder, key: Key, plan: Plan, store: Store, code: Code) -> Receipt:
    before = read_trial(store, key.iteration, ticket.key)
    try:
        is_back = folder.read(f"{ticket.id}/{FINAL}") is not None
        known = _known(ticket, key.iteration, store)
        if before is not None and known is not None:
            changed = is_back and folder.fingerprint(ticket.id) != known
            if not changed:
                return _receipt(ticket, before, kept=True)
            if is_finished(before, plan):
                return Receipt(ticket.id, "refused", "it was changed after it had been collected; the first stays.")
        elif is_finished(before, plan):
            return Receipt(ticket.id, "kept", "its trial has a result from elsewhere.")
        if not is_back:
            return Receipt(ticket.id, "missing")
    except (SpecError, OSError) as error:
        return Receipt(ticket.id, "refused", _words(error))
    return _publish(ticket, folder, key, plan, store, code)


def _publish(ticket: Ticket, folder: HandoverFolder, key: Key, plan: Plan, store: Store, code: Code) -> Receipt:
    try:
        trial = publish_returned(
            ticket,
            folder,
            key.handover.agent,
            plan=plan,
            iteration=key.iteration,
            store=store,
            files=starting_files(plan, code, ticket.key.case_id),
        )
    except (SpecError, OSError) as error:
        return Receipt(ticket.id, "refused", _words(error))
    return _receipt(ticket, trial, kept=False)


def _words(error: SpecError | OSError) -> str:
    return str(error) if isinstance(error, SpecError) else f"its folder cannot be read ({error.strerror})."


def _known(ticket: Ticket, iteration: int, store: Store) -> str | None:
    """The fingerprint of what was collected before of this very task; None where nothing was."""
    data = store.read(f"{layout.trial_dir(iteration, ticket.key)}/{TAKEN}")
    try:
        taken = Taken.model_validate_json(data) if data is not None else None
    except ValidationError:
        return None
    return taken.fingerprint if taken and taken.task == ticket.id else None


def _receipt(ticket: Ticket, trial: Trial, *, kept: bool) -> Receipt:
    if not policy(trial.outcome, trial.reason).grade:
        return Receipt(ticket.id, "failed", trial.reason.message if trial.reason else trial.outcome)
    return Receipt(ticket.id, "kept" if kept else "collected")
