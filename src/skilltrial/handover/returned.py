"""What came back for one trial -> its record and its folder in the workspace."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from typing import Any, cast

from pydantic import Field, ValidationError

from skilltrial import wiring
from skilltrial.errors import SpecError, StoreError
from skilltrial.execute.long_texts import bounded
from skilltrial.execute.trial_folder import encodable, publish_trial, write_trial
from skilltrial.handover.preparation import prompt_of
from skilltrial.ports import HandoverFolder, Store
from skilltrial.records.handover import FINAL, STREAM, TAKEN, TIMING, HandoverAgent, Taken, Ticket
from skilltrial.records.layout import STDERR
from skilltrial.records.plan import Plan
from skilltrial.records.record import Record
from skilltrial.records.suite import CaseFile
from skilltrial.records.tool_calls import calls_by_name, failed_calls
from skilltrial.records.trial import HarnessFacts, HarnessResult, OutputFile, Reason, Trial
from skilltrial.records.usage import Usage

ISOLATION = "operator (somebody else's hand; not isolated by skilltrial)"


class Told(Record):
    """`timing.json` as it came back; whatever else it says is left alone."""

    duration_ms: int | None = Field(default=None, ge=0)
    timed_out: bool = False
    model: str | None = None
    version: str | None = None
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)


def publish_returned(
    ticket: Ticket,
    folder: HandoverFolder,
    agent: HandoverAgent,
    *,
    plan: Plan,
    iteration: int,
    store: Store,
    files: Sequence[CaseFile],
) -> Trial:
    """Take a trial's files from its folder and put its record into the workspace; `files` are those that it started with.

    Raises `SpecError` for files that cannot be used, also where they change meanwhile.
    """
    before = folder.fingerprint(ticket.id)
    result = _result(ticket, folder, agent, plan)
    staged = store.stage()
    try:
        stream = folder.read(f"{ticket.id}/{STREAM}") if agent.stream_format else None
        (staged / STREAM).write_text(stream or "", encoding="utf-8")
        (staged / STDERR).touch()
        outputs = folder.collect(ticket, files, staged)
        if folder.fingerprint(ticket.id) != before:
            raise SpecError("its files change while they are read.", hint="Wait until the agent has ended.")
        (staged / TAKEN).write_text(
            Taken(task=ticket.id, fingerprint=before).model_dump_json() + "\n", encoding="utf-8"
        )
        trial = _trial(ticket, plan, result, outputs)
        write_trial(trial, result, plan.case(ticket.key.case_id), staged)
        publish_trial(store, iteration, ticket.key, staged)
    except OSError as error:
        raise StoreError(
            f"the trial cannot be written ({error.strerror}).", where=str(error.filename or staged)
        ) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return trial


def _result(ticket: Ticket, folder: HandoverFolder, agent: HandoverAgent, plan: Plan) -> HarnessResult:
    stream = (folder.read(f"{ticket.id}/{STREAM}") or "").strip() if agent.stream_format else ""
    told = _told(folder.read(f"{ticket.id}/{TIMING}"))
    result = HarnessResult(outcome="completed", discovery=agent.discovery)
    stopped = told.timed_out or (told.duration_ms or 0) > plan.timeout_s * 1000
    if stream:
        arm = plan.arm(ticket.key.arm)
        result = wiring.read_handed_back(
            stream,
            agent,
            prompt=prompt_of(plan, ticket.key),
            skill=(arm.skill or plan.skill).name,
            folder=ticket.skill,
            stopped=stopped,
        )
    said = (folder.read(f"{ticket.id}/{FINAL}") or "").strip()
    updates: dict[str, Any] = {
        "final_message": said or result.final_message,
        "duration_ms": told.duration_ms,
        "model": result.model or told.model,
        "version": result.version or told.version,
        "cost_usd": told.cost_usd if result.cost_usd is None else result.cost_usd,
    }
    if result.usage.total_tokens is None:
        updates["usage"] = Usage(input_tokens=told.input_tokens, output_tokens=told.output_tokens)
    if stopped:
        reason = Reason(code="timeout", message=f"it took longer than {plan.timeout_s:g} s.")
        updates |= {"outcome": "timed_out", "reason": reason}
    return encodable(bounded(result.model_copy(update=updates)))


def _told(text: str | None) -> Told:
    try:
        data: Any = json.loads(text) if text is not None else {}
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{TIMING} is no JSON ({error}).") from None
    if not isinstance(data, dict):
        raise SpecError(f"{TIMING} is no JSON object.")
    fields = cast("dict[str, Any]", data)
    try:
        return Told.model_validate({name: fields[name] for name in Told.model_fields if name in fields})
    except ValidationError as error:
        first = error.errors()[0]
        raise SpecError(f"{TIMING}: {first['loc'][0]} is {str(first['input'])[:60]!r}: {first['msg']}.") from None


def _trial(ticket: Ticket, plan: Plan, result: HarnessResult, files: Sequence[OutputFile]) -> Trial:
    events = result.events
    return Trial(
        key=ticket.key,
        outcome=result.outcome,
        reason=result.reason,
        final_message=result.final_message,
        final_message_cut=result.final_message_cut,
        started_at=None,
        duration_ms=result.duration_ms,
        usage=result.usage,
        cost_usd=result.cost_usd,
        harness=HarnessFacts(
            name=plan.harness.name,
            version=result.version,
            model_asked=plan.harness.model,
            model_served=result.model,
            discovery=result.discovery,
            args=plan.harness.args,
        ),
        evidence=result.evidence,
        attempts=(),
        files=tuple(files),
        tool_calls=calls_by_name(events),
        n_tool_errors=failed_calls(events),
        n_turns=result.usage.requests,
        isolation=ISOLATION,
        seed=next(planned.seed for planned in plan.trials if planned.key == ticket.key),
        plan_digest=plan.digest,
    )
