"""The doubles of a case around one execution: what the agent gets of them, and what is kept of their use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from skilltrial.ports import Boundary, Harness, StandIns, TrialFolders, TrialRequest
from skilltrial.records import layout
from skilltrial.records.suite import Case


def stand_in(
    boundary: Boundary | None, case: Case, *, folders: TrialFolders, harness: Harness
) -> AbstractAsyncContextManager[StandIns | None]:
    """Puts up the doubles of a case; None where it has none, and for a replay, in which nothing is called."""
    if boundary is None or case.doubles is None or harness.capabilities.discovery == "recorded":
        return nullcontext(None)
    return boundary.open(case.doubles, folders)


def reaching(request: TrialRequest, doubles: StandIns | None) -> TrialRequest:
    """The request with what the agent needs to reach the doubles."""
    if doubles is None:
        return request
    return replace(
        request,
        env={**request.env, **doubles.env},
        path=(*doubles.path, *request.path),
        servers=(*request.servers, *doubles.servers),
    )


def keep_calls(doubles: StandIns | None, staged: Path) -> Mapping[str, int] | None:
    """Write every call to `doubles.jsonl`; how many there were, as in `Trial.double_calls`."""
    if doubles is None:
        return None
    calls = doubles.calls()
    lines = "".join(call.model_dump_json(exclude_none=True) + "\n" for call in calls)
    (staged / layout.DOUBLES).write_text(lines, encoding="utf-8")
    counts = Counter(f"{call.kind}:{call.name}" for call in calls)
    counts.update(f"{call.kind}:{call.name}!" for call in calls if not call.expected)
    return dict(sorted(counts.items()))
