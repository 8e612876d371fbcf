"""How a run ended, by the words of the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from skilltrial.importing.events import run_fields
from skilltrial.records.foreign import ForeignRun
from skilltrial.records.json_value import Json
from skilltrial.records.trial import Outcome, Reason

_KEYS = ("outcome", "status", "state", "exit_status", "termination_reason")
_LATE = frozenset({"timeout", "timed_out", "timedout", "time_out"})
_CANCELLED = frozenset({"cancelled", "canceled", "aborted", "interrupted", "killed"})
_ERRORS = frozenset({"error", "errored", "crashed", "crash", "exception", "harness_error", "infra_error", "api_error"})
_GAVE_UP = frozenset({"agent_failed", "refused", "refusal", "max_turns", "turn_limit"})
_TRUE_FLAGS = {"timed_out": "timed_out", "timeout": "timed_out", "is_error": "error", "crashed": "crashed"}


class End(NamedTuple):
    """An outcome with its reason."""

    outcome: Outcome
    reason: Reason | None


def end_of(run: ForeignRun) -> End:
    """What the run's files say of its end; `completed` where they say nothing else.

    Words like "failed" are no outcome: most tools mean the verdict by them. An error of a run that was graded all the same is the
    agent's, since the other tool counted it.
    """
    for word in _words(run):
        if word in _LATE:
            return End("timed_out", Reason(code="timeout", message=_said(word)))
        if word in _GAVE_UP:
            code = "turn_limit" if "turn" in word else "refusal"
            return End("agent_failed", Reason(code=code, message=_said(word)))
        graded = run.grading is not None and bool(run.grading.statements)
        if word in _ERRORS:
            return End("agent_failed" if graded else "harness_error", Reason(code="crashed", message=_said(word)))
        if word in _CANCELLED and not graded:
            return End("cancelled", Reason(code="interrupted", message=_said(word)))
    return End("completed", None)


def _words(run: ForeignRun) -> Iterator[str]:
    places = list(run_fields(run))
    places += [cast("Mapping[str, Json]", c) for f in places if isinstance(c := f.get("conversation"), Mapping)]
    places += [part.extra for part in (run.timing, run.grading) if part]
    for fields in places:
        for key in _KEYS:
            value = fields.get(key)
            if isinstance(value, str):
                yield value.strip().lower().replace(" ", "_").replace("-", "_")
        for key, word in _TRUE_FLAGS.items():
            if fields.get(key) is True:
                yield word


def _said(word: str) -> str:
    return f"the imported files say {word!r}"
