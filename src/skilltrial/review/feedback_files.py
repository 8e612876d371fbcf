"""Two files for others' tools, made from the journal: each lies where its own tool looks for it.

`iteration-N/feedback.json` is skill-creator's (`reviews` and `status`), `feedback.json` at the root is skill-builder's, of the
iteration that was spoken of last. Nothing that somebody else wrote there is lost: it is taken into the journal before, and what we
do not know is carried on. A checksum at each of our entries tells them from those that were changed or added.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Literal, NamedTuple, cast
from uuid import NAMESPACE_URL, uuid5

from skilltrial.feedback import Feedback, Opinion
from skilltrial.journal import note
from skilltrial.plan.iteration import iterations
from skilltrial.records import layout
from skilltrial.records.journal import (
    About,
    Comment,
    Completion,
    Decision,
    ForeignRun,
    Line,
    Note,
    Rating,
    WholeCase,
)
from skilltrial.records.json_value import Json
from skilltrial.records.trial import TrialKey
from skilltrial.review.plans import file_state, plan_of
from skilltrial.review.run_names import names_of
from skilltrial.review.said import journal_of, journal_state, said_of
from skilltrial.review.subject import Subject

Object = dict[str, Json]
RatingWord = Literal["good", "needs-work", "bad"]

_SUM = "checksum"
_WORST: Sequence[RatingWord] = ("bad", "needs-work", "good")
_ACTIONS: tuple[Literal["iterate", "publish", "stop"], ...] = ("iterate", "publish", "stop")
_TRIES = 3


class _Places(NamedTuple):
    """Relative to the journal."""

    creator: str
    builder: str | None
    """None in workspaces of tools that have no such file."""


class _Entry(NamedTuple):
    """A piece of a feedback file that is about one thing."""

    about: str
    """As the file calls it."""
    text: str
    rating: str
    raw: Object


def run_name(subject: Subject, iteration: int, about: About) -> str:
    """What the files call it."""
    return about.run_id if isinstance(about, ForeignRun) else names_of(subject, iteration).name(about)


def write_files(subject: Subject, iteration: int) -> None:
    """Make both anew. Raises `StoreError` where they cannot be written: the journal has everything still."""
    places = _places(subject, iteration)
    for _ in range(_TRIES):
        take_in(subject, iteration)
        state, said = journal_state(subject), said_of(subject, iteration)
        _write(subject, places.creator, _creator(subject, said, _there(subject, places.creator)))
        if places.builder:
            _write(subject, places.builder, _builder(subject, said, _there(subject, places.builder)))
        # Somebody else's server may have added a line and written its files between our reading and our writing.
        if journal_state(subject) == state:
            return


def take_in(subject: Subject, iteration: int) -> None:
    """Bring into the journal what others wrote into the files; once, however often it is called. Raises `StoreError`."""
    for place in filter(None, _places(subject, iteration)):
        state = file_state(subject.journal.path(place))
        subject.kept.get(("taken in", iteration, place), state, lambda place=place: _take_in(subject, iteration, place))


def _places(subject: Subject, iteration: int) -> _Places:
    if subject.foreign is None:
        return _Places(f"{layout.iteration_dir(iteration)}/{layout.FEEDBACK}", layout.FEEDBACK)
    own = PurePosixPath(subject.places.get(iteration, "."), layout.FEEDBACK).as_posix()
    return _Places(own, layout.FEEDBACK if subject.foreign == "skill-builder" and own != layout.FEEDBACK else None)


def _take_in(subject: Subject, iteration: int, place: str) -> None:
    found = _there(subject, place)
    if found is None:
        return
    told = found.get("iteration")
    if place == layout.FEEDBACK and isinstance(told, int) and told in iterations(subject.store):
        iteration = told
    lines = list(_lines(subject, iteration, found, place))
    if not lines:
        return
    known, about = journal_of(subject).lines, names_of(subject, iteration).about
    names = {line.id for line in known}
    texts = {(line.about, line.text) for line in known if isinstance(line, Comment)}
    texts |= {
        (about(str(each["run_id"])), str(each["feedback"])) for each in _reviews(subject, said_of(subject, iteration))
    }
    for line in lines:
        repeated = isinstance(line, Comment) and (line.about, line.text) in texts
        if line.id not in names and not repeated:
            note(subject.journal, line)


def _lines(subject: Subject, iteration: int, found: Object, place: str) -> Iterator[Line]:
    """What a file says, without what we wrote ourselves. Ids come from the content: the same is the same line."""

    def name(*parts: Json) -> str:
        return str(uuid5(NAMESPACE_URL, json.dumps([place, iteration, *parts])))

    at = _moment(found.get("timestamp")) or subject.now()
    for entry in _entries(found):
        if entry.raw.get(_SUM) == _checksum(entry.about, entry.text, entry.rating):
            continue
        stamp = entry.raw.get("timestamp")
        about, when = names_of(subject, iteration).about(entry.about), _moment(stamp) or at
        if entry.text.strip():
            key = name("comment", entry.about, entry.text)
            yield Comment(id=key, at=when, by=place, iteration=iteration, about=about, text=entry.text)
        if entry.rating in _WORST:
            key, rating = name("rating", entry.about, entry.rating, stamp), cast("RatingWord", entry.rating)
            yield Rating(id=key, at=when, by=place, iteration=iteration, about=about, rating=rating)
    yield from _general_lines(found, name, (at, place, iteration))
    if found.get("status") == "complete":
        yield Completion(id=name("complete"), at=at, by=place, iteration=iteration)


def _general_lines(
    found: Object, name: Callable[..., str], said: tuple[datetime, str, int]
) -> Iterator[Note | Decision]:
    at, by, iteration = said
    general, action = _text(found.get("general_feedback")), _text(found.get("action"))
    if found.get(_SUM) == _checksum("", general, action):
        return
    if general.strip():
        yield Note(id=name("note", general), at=at, by=by, iteration=iteration, text=general)
    if action in _ACTIONS:
        key = name("action", action, found.get("timestamp"))
        yield Decision(id=key, at=at, by=by, iteration=iteration, action=action)


def _entries(found: Object) -> Iterator[_Entry]:
    for key, subject, text in (("reviews", "run_id", "feedback"), ("eval_feedback", "eval_id", "comment")):
        listed = found.get(key)
        for raw in cast("list[Json]", listed) if isinstance(listed, list) else ():
            if isinstance(raw, dict):
                entry = cast("Object", raw)
                yield _Entry(str(entry.get(subject, "")), _text(entry.get(text)), _text(entry.get("rating")), entry)


def _creator(subject: Subject, said: Feedback, before: Object | None) -> Object:
    carried = {
        entry.about: {name: value for name, value in entry.raw.items() if name not in _OWN_KEYS}
        for entry in _entries(before or {})
    }
    reviews: list[Json] = [{**carried.get(str(each["run_id"]), {}), **each} for each in _reviews(subject, said)]
    done = said.completion is not None or (before or {}).get("status") == "complete"
    return {
        **(before or {}),
        "reviews": reviews,
        "status": "complete" if done else "in_progress",
        "iteration": said.iteration,
        **_general(said),
    }


_OWN_KEYS = frozenset({"run_id", "feedback", "timestamp", "rating", "eval_id", "comment", _SUM})


def _reviews(subject: Subject, said: Feedback) -> Iterator[Object]:
    for about, opinions in said.opinions.items():
        text, rating, at = _together(opinions), _rating(opinions), _last(opinions)
        if at is None:
            continue
        entry: Object = {
            "run_id": run_name(subject, said.iteration, about),
            "feedback": text,
            "timestamp": at.isoformat(),
        }
        if rating:
            entry["rating"] = rating
        yield {**entry, _SUM: _checksum(str(entry["run_id"]), text, rating or "")}


def _builder(subject: Subject, said: Feedback, before: Object | None) -> Object:
    plan = plan_of(subject, said.iteration)
    treatments = {arm.name for arm in plan.arms if arm.role == "treatment"}
    entries: list[Json] = []
    for case in plan.suite.cases:
        own = said.opinions.get(WholeCase(case_id=case.id), {})
        trials = {
            key: each
            for key, each in said.opinions.items()
            if isinstance(key, TrialKey) and key.case_id == case.id and _last(each)
        }
        if _last(own) is None and not trials:
            continue
        told = [_together(own), *(f"{key.arm}, run {key.repeat}: {_together(each)}" for key, each in trials.items())]
        comment = "\n".join(text for text in told if text and not text.endswith(": "))
        ratings = {_rating(each) for key, each in trials.items() if key.arm in treatments}
        rating = _rating(own) or next((word for word in _WORST if word in ratings), None)
        name = str(case.id if case.written_id is None else case.written_id)
        entry: Object = {"eval_id": name, **({"rating": rating} if rating else {}), "comment": comment}
        entries.append({**entry, _SUM: _checksum(name, comment, rating or "")})
    last = [at for each in said.opinions.values() if (at := _last(each))]
    last += [each.at for notes in said.notes.values() for each in notes]
    last += [said.decision.at] if said.decision else []
    return {
        **(before or {}),
        "timestamp": max(last).isoformat() if last else None,
        "iteration": said.iteration,
        "eval_feedback": entries,
        "general_feedback": "",
        "action": None,
        **_general(said),
    }


def _general(said: Feedback) -> Object:
    notes = [each for own in said.notes.values() for each in own]
    many = len(said.notes) > 1
    text = "\n\n".join(f"{each.by}: {each.text}" if many else each.text for each in notes)
    action = said.decision.action if said.decision else None
    return {"general_feedback": text, "action": action, _SUM: _checksum("", text, action or "")}


def _together(opinions: Mapping[str, Opinion]) -> str:
    """Words of all people, with their names where there are several."""
    speaking = {by: each.comments for by, each in opinions.items() if each.comments}
    many = len(speaking) > 1
    return "\n\n".join(f"{by}: {c.text}" if many else c.text for by, own in speaking.items() for c in own)


def _rating(opinions: Mapping[str, Opinion]) -> RatingWord | None:
    """The last of all people's."""
    rated = [each.rating for each in opinions.values() if each.rating]
    return max(rated, key=lambda rating: rating.at).rating if rated else None


def _last(opinions: Mapping[str, Opinion]) -> datetime | None:
    """When something was said that a file has room for."""
    return max(
        (said.at for each in opinions.values() for said in (*each.comments, each.rating) if said is not None),
        default=None,
    )


def _there(subject: Subject, place: str) -> Object | None:
    """The file as it is; None where there is none, or no object in it."""
    data = subject.journal.read(place)
    try:
        found: object = None if data is None else json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if data is not None and not isinstance(found, dict):
        _put_aside(subject, place, data)
    return cast("Object", found) if isinstance(found, dict) else None


def _put_aside(subject: Subject, place: str, data: bytes) -> None:
    """A file that nobody can read, under a name that no reader of feedback looks for."""
    aside = f"{place.removesuffix('.json')}.unreadable-{hashlib.sha256(data).hexdigest()[:8]}"
    if not subject.read_only and subject.journal.read(aside) is None:
        subject.journal.write(aside, data)


def _write(subject: Subject, place: str, content: Object) -> None:
    subject.journal.write(place, (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode(errors="replace"))


def _checksum(about: str, text: str, word: str) -> str:
    data = json.dumps([about, text, word]).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def _text(value: Json) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _moment(value: Json) -> datetime | None:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found and found.tzinfo else None
