"""What a person says in the page, one action each: a line of the journal, then both feedback files.

A line that was sent before (the same id) is answered as if it had just been kept. Where the files cannot be written the line is
kept all the same, and the answer has a `warning`.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import TypeVar

from pydantic import ValidationError

from skilltrial.errors import SpecError, StoreError
from skilltrial.grade.digest import ASSERTION, TRIAL
from skilltrial.grade.run import read_grading
from skilltrial.journal import note
from skilltrial.records.journal import (
    About,
    Comment,
    Completion,
    Decision,
    Exclusion,
    Line,
    Note,
    PersonVerdict,
    Rating,
    Reviewed,
    WholeCase,
)
from skilltrial.records.json_value import Json
from skilltrial.records.trial import TrialKey
from skilltrial.review.feedback import thing, trial_digest, whole
from skilltrial.review.feedback_files import write_files
from skilltrial.review.plans import case_of, plan_of
from skilltrial.review.said import journal_of, said_of
from skilltrial.review.subject import Query, Subject

Body = Mapping[str, Json]
LineT = TypeVar("LineT", Comment, Rating, Note, Decision, Completion, Exclusion, Reviewed, PersonVerdict)

_LONGEST_ID = 100
_SPEAKING = Lock()
"""Whether a line is there already is looked up before it is added."""


def comment(subject: Subject, body: Body) -> object:
    """`text` on a trial or a case; `replaces` has the ids that it was written over. Empty takes those back."""
    about = _about(subject, body)
    more = {"about": about, "text": _clean(body.get("text")), "replaces": body.get("replaces", [])}
    return _thing_said(subject, body, Comment, about, {**more, "trial_digest": _digest(subject, body, about)})


def rate(subject: Subject, body: Body) -> object:
    """`rating` of a trial or a case: good, needs-work, bad, or null."""
    about = _about(subject, body)
    more = {"about": about, "rating": body.get("rating"), "trial_digest": _digest(subject, body, about)}
    return _thing_said(subject, body, Rating, about, more)


def review(subject: Subject, body: Body) -> object:
    """`reviewed`: the person has looked at a trial or a case."""
    about = _about(subject, body)
    more = {"about": about, "reviewed": body.get("reviewed"), "trial_digest": _digest(subject, body, about)}
    return _thing_said(subject, body, Reviewed, about, more)


def exclude(subject: Subject, body: Body) -> object:
    """`excluded` with a `reason`, or no longer, with one too."""
    key, reason = _key(subject, body), _clean(body.get("reason")).strip()
    if not reason:
        raise SpecError("a trial is neither left out nor taken back without a reason.", hint="Say why.")
    more = {"key": key, "excluded": body.get("excluded"), "reason": reason}
    return _thing_said(subject, body, Exclusion, key, {**more, "trial_digest": _digest(subject, body, key)})


def general(subject: Subject, body: Body) -> object:
    """`text` on the iteration as a whole."""
    return _whole_said(subject, body, Note, {"text": _clean(body.get("text")), "replaces": body.get("replaces", [])})


def decide(subject: Subject, body: Body) -> object:
    """`action`: iterate, publish, stop, or null."""
    return _whole_said(subject, body, Decision, {"action": body.get("action")})


def finish(subject: Subject, body: Body) -> object:
    """The review is done."""
    return _whole_said(subject, body, Completion, {})


def verdict(subject: Subject, body: Body) -> object:
    """`verdict` (PASS, FAIL, UNSURE) on an `assertion` of a trial whose verdicts the person saw."""
    key, assertion = _key(subject, body), _clean(body.get("assertion"))
    grading = read_grading(subject.store, _iteration(subject, body), key)
    if grading is None or all(each.id != assertion for each in grading.results):
        raise SpecError(f"no assertion {assertion[:80]!r} of {key} was graded.")
    more = {
        "key": key,
        "assertion": assertion,
        "verdict": body.get("verdict"),
        "note": _clean(body.get("note")),
        "blind": False,
        "trial_digest": grading.parts.get(TRIAL, ""),
        "assertion_digest": grading.parts.get(f"{ASSERTION}{assertion}", ""),
    }
    kept = _say(subject, body, PersonVerdict, more)
    return {**kept, "verdict": body.get("verdict")}


def _thing_said(subject: Subject, body: Body, kind: type[LineT], about: About, more: Mapping[str, object]) -> object:
    kept = _say(subject, body, kind, more)
    return {**kept, "thing": thing(subject, said_of(subject, _iteration(subject, body)), about)}


def _whole_said(subject: Subject, body: Body, kind: type[LineT], more: Mapping[str, object]) -> object:
    kept = _say(subject, body, kind, more)
    return {**kept, "whole": whole(subject, said_of(subject, _iteration(subject, body)))}


def _say(subject: Subject, body: Body, kind: type[LineT], more: Mapping[str, object]) -> dict[str, object]:
    """Keep a line; its id and time, and a `warning` where the files are not what they should be."""
    if subject.blind or subject.read_only:
        raise StoreError("nothing is kept here.", where=subject.name, hint="Start `skilltrial view` on the workspace.")
    name, iteration = _clean(body.get("id")), _iteration(subject, body)
    if not 0 < len(name) <= _LONGEST_ID:
        raise SpecError("`id` is missing, or too long.")
    try:
        line = kind.model_validate({"id": name, "at": subject.now(), "by": subject.by, "iteration": iteration, **more})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise SpecError(f"`{'.'.join(map(str, first['loc']))}`: {first['msg']}.") from error
    with _SPEAKING:
        known = next((each for each in journal_of(subject).lines if each.id == name), None)
        if known is None:
            note(subject.journal, line)
    at: Line = known or line
    return {"id": name, "at": at.at.isoformat(), "warning": _write(subject, iteration)}


def _write(subject: Subject, iteration: int) -> str | None:
    try:
        write_files(subject, iteration)
    except StoreError as error:
        return f"This is kept in journal.jsonl, but feedback.json is not what it should be: {error}"
    return None


def _iteration(subject: Subject, body: Body) -> int:
    return Query({"iteration": str(body.get("iteration", ""))}).iteration(subject)


def _about(subject: Subject, body: Body) -> TrialKey | WholeCase:
    if body.get("arm") is not None:
        return _key(subject, body)
    return WholeCase(case_id=case_of(subject, _iteration(subject, body), _clean(body.get("case"))).id)


def _key(subject: Subject, body: Body) -> TrialKey:
    repeat = body.get("repeat")
    if isinstance(repeat, int) and repeat > 0:
        key = TrialKey(case_id=_clean(body.get("case")), arm=_clean(body.get("arm")), repeat=repeat)
        if any(each.key == key for each in plan_of(subject, _iteration(subject, body)).trials):
            return key
    raise SpecError("the iteration has no such trial.")


def _digest(subject: Subject, body: Body, about: About) -> str:
    return trial_digest(subject, _iteration(subject, body), about) if isinstance(about, TrialKey) else ""


def _clean(value: Json) -> str:
    """Halves of characters are none; nothing else is changed."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
