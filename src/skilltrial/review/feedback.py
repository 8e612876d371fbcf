"""What people said, as a page shows it: own words apart from those of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from skilltrial.feedback import Feedback, Opinion
from skilltrial.grade.digest import TRIAL
from skilltrial.grade.run import read_grading
from skilltrial.records.journal import About, Comment, ForeignRun, Note, PersonVerdict, WholeCase
from skilltrial.records.trial import TrialKey
from skilltrial.review.exclusions import balance_of, excluded_trials
from skilltrial.review.feedback_files import run_name, take_in
from skilltrial.review.plans import case_of, plan_of
from skilltrial.review.said import said_of
from skilltrial.review.subject import Query, Subject


def feedback(subject: Subject, query: Query) -> object:
    """With `case` all that was said of it and its trials, else what was said of the iteration as a whole."""
    iteration = query.iteration(subject)
    if not subject.read_only:
        take_in(subject, iteration)
    case = query.optional("case")
    said = said_of(subject, iteration)
    if case is None:
        return whole(subject, said)
    about: list[About] = [WholeCase(case_id=case_of(subject, iteration, case).id)]
    about += [each.key for each in plan_of(subject, iteration).trials if each.key.case_id == case]
    return {
        "by": subject.by,
        "iteration": iteration,
        "things": [thing(subject, said, each) for each in about],
        "verdicts": list(_verdicts(subject, said, case)),
    }


def reviewed_trials(subject: Subject, iteration: int) -> frozenset[TrialKey]:
    """Those that the person who looks has rated, commented or marked, also by marking the case."""
    opinions = said_of(subject, iteration).opinions
    cases = {
        about.case_id
        for about, own in opinions.items()
        if isinstance(about, WholeCase) and subject.by in own and own[subject.by].reviewed
    }
    return frozenset(
        each.key
        for each in plan_of(subject, iteration).trials
        if each.key.case_id in cases or subject.by in opinions.get(each.key, {})
    )


def thing(subject: Subject, said: Feedback, about: About) -> Mapping[str, object]:
    """A case or a trial: own words, and those of others."""
    opinions = said.opinions.get(about, {})
    excluded = said.exclusions.get(about) if isinstance(about, TrialKey) else None
    return {
        **_named(about),
        "run_id": run_name(subject, said.iteration, about),
        "own": _opinion(subject, said.iteration, opinions.get(subject.by, Opinion())),
        "others": [
            {"by": by, **_opinion(subject, said.iteration, own)} for by, own in opinions.items() if by != subject.by
        ],
        "excluded": excluded and {"reason": excluded.reason, "by": excluded.by, "at": excluded.at.isoformat()},
    }


def whole(subject: Subject, said: Feedback) -> Mapping[str, object]:
    """The iteration: notes, what to do next, how far the review is."""
    planned = plan_of(subject, said.iteration).trials
    decision, completion = said.decision, said.completion
    opinions = {key: own for key, own in said.opinions.items() if isinstance(key, TrialKey)}
    return {
        "by": subject.by,
        "iteration": said.iteration,
        "own": [_typed(note) for note in said.notes.get(subject.by, ())],
        "others": [
            {"by": by, "comments": [_typed(note) for note in notes]}
            for by, notes in said.notes.items()
            if by != subject.by
        ],
        "decision": decision and {"action": decision.action, "by": decision.by, "at": decision.at.isoformat()},
        "complete": completion and {"by": completion.by, "at": completion.at.isoformat()},
        "trials": len(planned),
        "reviewed": len(reviewed_trials(subject, said.iteration)),
        "commented": sum(any(each.comments for each in own.values()) for own in opinions.values()),
        "excluded": [
            {"case": key.case_id, "arm": key.arm, "repeat": key.repeat, "reason": reason}
            for key, reason in excluded_trials(subject, said.iteration).items()
        ],
        "balance": balance_of(subject, said.iteration),
        "elsewhere": [
            {"run_id": about.run_id, "by": by, "text": comment.text}
            for about, own in said.opinions.items()
            if isinstance(about, ForeignRun)
            for by, opinion in own.items()
            for comment in opinion.comments
        ],
        "unread": [f"{each.where}: {each.why}" for each in said.unread],
    }


def _opinion(subject: Subject, iteration: int, opinion: Opinion) -> Mapping[str, object]:
    return {
        "comments": [{**_typed(each), "earlier": _is_outdated(subject, iteration, each)} for each in opinion.comments],
        "rating": opinion.rating and opinion.rating.rating,
        "reviewed": opinion.reviewed is not None,
    }


def _typed(said: Comment | Note) -> Mapping[str, object]:
    return {"id": said.id, "text": said.text, "at": said.at.isoformat()}


def _is_outdated(subject: Subject, iteration: int, said: Comment) -> bool:
    """The trial ran again since."""
    if not said.trial_digest or not isinstance(said.about, TrialKey):
        return False
    now = trial_digest(subject, iteration, said.about)
    return bool(now) and now != said.trial_digest


def trial_digest(subject: Subject, iteration: int, key: TrialKey) -> str:
    """What its grading says it was made from; empty where there is none that says so."""
    grading = read_grading(subject.store, iteration, key)
    return grading.parts.get(TRIAL, "") if grading else ""


def _verdicts(subject: Subject, said: Feedback, case: str) -> Iterator[Mapping[str, object]]:
    """The last of each person on each assertion that were given with open eyes: the blind ones tell nothing here."""
    last: dict[tuple[str, TrialKey, str], PersonVerdict] = {}
    for each in said.verdicts:
        if each.key.case_id == case and not each.blind:
            last[each.by, each.key, each.assertion] = each
    for (by, key, assertion), each in last.items():
        yield {
            "own": by == subject.by,
            "by": by,
            "arm": key.arm,
            "repeat": key.repeat,
            "assertion": assertion,
            "verdict": each.verdict,
            "note": each.note,
            "earlier": each.trial_digest not in {"", trial_digest(subject, said.iteration, key)},
        }


def _named(about: About) -> Mapping[str, object]:
    match about:
        case TrialKey():
            return {"case": about.case_id, "arm": about.arm, "repeat": about.repeat}
        case WholeCase():
            return {"case": about.case_id, "arm": None, "repeat": None}
        case ForeignRun():
            return {"case": None, "arm": None, "repeat": None}
        case _:
            assert_never(about)
