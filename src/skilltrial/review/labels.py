"""The blind page: the questions of `labelling`, and nothing that tells an arm, a trial or what a judge said."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from skilltrial.errors import SpecError, StoreError
from skilltrial.records.json_value import Json
from skilltrial.report.calibration import calibration_sentences
from skilltrial.review.numbers import benchmark_of
from skilltrial.review.subject import Query, Subject

if TYPE_CHECKING:
    from skilltrial.grade.judge_view import Section
    from skilltrial.labelling.desk import Answer, Desk, Question

_DRAWN = 30
"""As `skilltrial label` draws, so that both ask the same."""
_ANSWERS: Sequence[Answer] = ("PASS", "FAIL", "UNSURE")
_LONGEST_NOTE = 100_000


def labels(subject: Subject, query: Query) -> object:
    """With `question` all there is to look at for it, else the draw: ids, statements, own answers.

    The calibration comes once all are answered. Raises `SpecError` on a page that is not blind, and where no judge has a verdict.
    """
    desk = _desk(subject, query.iteration(subject), query.number("n", _DRAWN))
    wanted = query.optional("question")
    if wanted is not None:
        return _shown(desk, _question(desk, wanted))
    return {
        "iteration": desk.iteration,
        "n": query.number("n", _DRAWN),
        "more": len(desk.everything) > len(desk.questions),
        "questions": [_listed(desk, each) for each in desk.questions],
        "calibration": None if desk.open else list(_calibration(subject, desk.iteration)),
    }


def answer_label(subject: Subject, body: Mapping[str, Json]) -> object:
    """`verdict` (PASS, FAIL, UNSURE) and `note` on the `question`; the same answer again is kept once."""
    fields = {name: str(body[name]) for name in ("iteration", "n", "question") if body.get(name) is not None}
    query = Query(fields)
    if subject.read_only:
        raise StoreError("nothing is kept here.", where=subject.name, hint="The folder cannot be written to.")
    desk = _desk(subject, query.iteration(subject), query.number("n", _DRAWN))
    question = _question(desk, query.text("question"))
    verdict, given = body.get("verdict"), body.get("note")
    note = given.encode("utf-8", "replace").decode() if isinstance(given, str) else ""
    if verdict not in _ANSWERS or len(note) > _LONGEST_NOTE:
        raise SpecError("this is no answer: PASS, FAIL or UNSURE, and a note that is not too long.")
    last = desk.last.get(question.looked)
    if last is None or (last.verdict, last.note, last.drawn_for) != (verdict, note, question.drawn_for):
        desk.answer(question, cast("Answer", verdict), note=note, at=subject.now())
    return {**_listed(desk, question), "open": len(desk.open)}


def _desk(subject: Subject, iteration: int, n: int) -> Desk:
    if not subject.blind:
        raise SpecError("this page is not blind.", hint="`skilltrial view WORKSPACE --blind` opens one that is.")
    # Every grading is read for a desk, so one is kept as long as the page: it notes this person's answers itself.
    return subject.kept.get(("desk", iteration, n), None, lambda: _laid_out(subject, iteration, n))


def _laid_out(subject: Subject, iteration: int, n: int) -> Desk:
    from skilltrial.labelling.desk import LabelRequest, lay_out  # noqa: PLC0415 - no other page waits for it

    desk = lay_out(LabelRequest(workspace=subject.store.path(""), by=subject.by, iteration=iteration, n=max(n, 1)))
    desk.carry_over()
    return desk


def _question(desk: Desk, name: str) -> Question:
    found = next((each for each in desk.questions if each.id == name), None)
    if found is None:
        raise SpecError("there is no such question in this draw.")
    return found


def _listed(desk: Desk, question: Question) -> Mapping[str, object]:
    said = desk.last.get(question.looked)
    return {
        "id": question.id,
        "statement": question.statement,
        "verdict": said and said.verdict,
        "note": said.note if said else "",
    }


def _shown(desk: Desk, question: Question) -> Mapping[str, object]:
    view = desk.view(question, images=True)
    return {
        "sections": [_section(each) for each in (*view.frame, *view.material)],
        "pictures": [
            {"name": image.name, "data": f"data:{image.media_type};base64,{base64.b64encode(image.data).decode()}"}
            for image in view.images
        ],
    }


def _section(section: Section) -> Mapping[str, object]:
    place = section.passages[0].place if section.passages else ""
    return {
        "name": section.name,
        "title": place if place.startswith("file ") else section.name,
        "text": section.text,
    }


def _calibration(subject: Subject, iteration: int) -> Iterator[str]:
    found = benchmark_of(subject, iteration).calibration
    if found is not None:
        yield from filter(None, (found.banner, *calibration_sentences(found)))
