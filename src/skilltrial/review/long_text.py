"""Texts of any length in answers: their beginning, and the whole for those who ask."""

from __future__ import annotations

from skilltrial.errors import SpecError
from skilltrial.execute.resume import read_trial
from skilltrial.records import layout
from skilltrial.records.trial import TrialKey
from skilltrial.review.plans import case_of
from skilltrial.review.subject import Query, Subject

MOST = 20_000
"""Characters."""
_MOST_AT_ALL = 2_000_000
_STDERR = 4_000


def beginning(text: str | None) -> object:
    """A text up to `MOST` characters, with the length of the whole; None stays None."""
    return None if text is None else {"text": text[:MOST], "length": len(text)}


def end_of_stderr(subject: Subject, iteration: int, key: TrialKey) -> object:
    """The last characters of what the agent program said of errors; None where it said nothing."""
    data = subject.store.read(f"{layout.trial_dir(iteration, key)}/{layout.STDERR}")
    if not data or not data.strip():
        return None
    return {"text": data[-_STDERR:].decode(errors="replace"), "length": len(data)}


def text(subject: Subject, query: Query) -> object:
    """A whole text: `of` is `prompt` or `expected` of a case, `answer` of a trial."""
    iteration, of = query.iteration(subject, earlier=True), query.text("of")
    if of == "answer":
        key = TrialKey(case_id=query.text("case"), arm=query.text("arm"), repeat=max(1, query.number("repeat")))
        trial = read_trial(subject.store, iteration, key)
        found = trial.final_message if trial else None
    elif of in {"prompt", "expected"}:
        case = case_of(subject, iteration, query.text("case"))
        found = case.prompt if of == "prompt" else case.expected_output
    else:
        raise SpecError(f"there is no text {of[:40]!r} here.")
    return {"text": (found or "")[:_MOST_AT_ALL], "length": len(found or "")}
