"""Answers of judges that need not be asked for again: `judge.json` beside a trial's grading.

An answer is kept under the digest of all that the judge saw (the view, its name, the prompt, the sample), and in it each vote under
the statement's own text. So another assertion changes nothing for the rest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Literal, cast

from pydantic import Field, ValidationError

from skilltrial.grade.judge import Ballot
from skilltrial.records.grading import Claim, JudgeFacts, UserNotes, Vote
from skilltrial.records.json_value import Json
from skilltrial.records.record import Record
from skilltrial.records.suite import LlmJudge


class Answered(Record):
    """What one judge has said of one view so far."""

    votes: Mapping[str, Vote] = Field(default_factory=dict)
    """By the digest of the statement."""
    claims: tuple[Claim, ...] = ()
    eval_feedback: Mapping[str, Json] = Field(default_factory=dict)
    user_notes: UserNotes = UserNotes()
    facts: JudgeFacts | None = None
    """What all askings took together."""


class _File(Record):
    schema_version: Literal[1] = 1
    answers: Mapping[str, Answered] = Field(default_factory=dict)


class JudgeAnswers:
    """The kept answers of one trial. `fresh`: those of before are not used, only replaced."""

    def __init__(self, data: bytes | None = None, *, fresh: bool = False) -> None:
        self._answers = dict(_read(data).answers)
        self._fresh = fresh
        self.changed = False
        """There is something new to be written."""

    def known(self, place: str, assertions: Sequence[LlmJudge]) -> dict[str, Vote]:
        """The votes that need not be asked for, by the assertion's id."""
        if self._fresh:
            return {}
        votes = self.at(place).votes
        keys = {each.id: statement_digest(each) for each in assertions}
        return {id_: votes[key] for id_, key in keys.items() if key in votes}

    def at(self, place: str) -> Answered:
        """All that is known under this digest."""
        return self._answers.get(place, Answered())

    def add(self, place: str, assertions: Sequence[LlmJudge], ballot: Ballot) -> None:
        """Keep what a judge answered; where it could not be reached, nothing is kept."""
        said = {each.id: ballot.votes[each.id] for each in assertions if ballot.votes[each.id].answered}
        if not said:
            return
        before = self.at(place)
        votes = {statement_digest(each): said[each.id] for each in assertions if each.id in said}
        self._answers[place] = Answered(
            votes={**before.votes, **votes},
            claims=ballot.claims or before.claims,
            eval_feedback=_merged(before.eval_feedback, ballot.eval_feedback),
            user_notes=ballot.user_notes if ballot.user_notes != UserNotes() else before.user_notes,
            facts=sum_facts([*([before.facts] if before.facts else []), ballot.facts]),
        )
        self.changed = True

    def dumped(self) -> bytes:
        """The file's content."""
        text = json.dumps(_File(answers=self._answers).model_dump(mode="json"), ensure_ascii=False, indent=1)
        return f"{text}\n".encode("utf-8", "backslashreplace")


def answer_place(view_digest: str, *, judge: str, prompt: str, sample: int) -> str:
    """The digest under which an answer is kept."""
    text = json.dumps([view_digest, judge, prompt, sample])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def statement_digest(assertion: LlmJudge) -> str:
    """Of what the judge reads of an assertion."""
    return hashlib.sha256(assertion.rubric.encode("utf-8", "surrogatepass")).hexdigest()


def sum_facts(parts: Sequence[JudgeFacts]) -> JudgeFacts:
    """Of one or more; a figure that one does not tell is unknown of all."""
    first = parts[0]
    return first.model_copy(
        update={
            "calls": sum(part.calls for part in parts),
            "duration_ms": sum(part.duration_ms for part in parts),
            "input_tokens": _sum([part.input_tokens for part in parts]),
            "output_tokens": _sum([part.output_tokens for part in parts]),
            "cost_usd": _sum([part.cost_usd for part in parts]),
            "images_refused": any(part.images_refused for part in parts),
        }
    )


def _sum(figures: Sequence[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if len(known) == len(figures) else None


def _merged(before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[str, Json]:
    """The critique of both: the later call was about other statements."""
    merged = dict(before)
    for name, value in after.items():
        old = merged.get(name)
        if isinstance(value, list) and isinstance(old, list):
            new = cast("list[Json]", value)
            merged[name] = [*cast("list[Json]", old), *(each for each in new if each not in old)]
        else:
            merged[name] = value or old
    return merged


def _read(data: bytes | None) -> _File:
    """What cannot be read is asked for again."""
    try:
        return _File() if data is None else _File.model_validate_json(data)
    except ValidationError:
        return _File()
