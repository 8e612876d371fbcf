"""Which questions a person is asked, and what is kept of the answers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import openpyxl
import pytest

from skilltrial.errors import SpecError
from skilltrial.journal import read_journal
from skilltrial.records import layout


def test_every_stratum_has_the_same_number(desk) -> None:
    """Each arm has 9 and 3, or 3 and 9, of the judge's verdicts; 12 are drawn: 3 of each."""
    strata = Counter(each.item.stratum for each in desk(n=12).questions)
    assert list(strata.values()) == [3, 3, 3, 3]
    assert {(stratum.arm, stratum.judge) for stratum in strata} == {
        (arm, said) for arm in ("with_skill", "without_skill") for said in ("PASS", "FAIL")
    }


def test_what_is_left_of_large_strata_fills_the_draw(desk) -> None:
    """Twelve more come from the two that still have some."""
    assert len(desk(n=100).questions) == 24


def test_the_same_seed_gives_the_same_draw_and_a_larger_one_holds_it(desk) -> None:
    """So the command can be called again to go on, or with more."""
    first, again, larger, other = desk(n=8), desk(n=8), desk(n=16), desk(n=8, seed=9)
    ids = [each.id for each in first.questions]
    assert ids == [each.id for each in again.questions]
    assert set(ids) < {each.id for each in larger.questions}
    assert ids != [each.id for each in other.questions]


def test_questions_name_no_arm(desk) -> None:
    """Neither the id nor anything that is shown; the skill's name beside the word is reworded."""
    found = desk(n=4)
    for question in found.questions:
        shown = "\n".join(section.text for section in found.sections(question))
        assert "with" not in question.id
        assert "skill" not in shown
        assert "I used the guide" in shown
        assert "\x1b" not in shown


def test_documents_are_shown_as_the_judge_sees_them(desk) -> None:
    """A workbook is its cells, not "no text"."""
    found = desk(n=1)
    question = found.questions[0]
    folder = found.store.path(layout.trial_dir(1, question.item.key))
    (folder / "outputs").mkdir()
    book = openpyxl.Workbook()
    book.active.append(["north", 42])
    book.save(folder / "outputs/totals.xlsx")
    data = (folder / "outputs/totals.xlsx").read_bytes()
    record = json.loads((folder / layout.TRIAL).read_text())
    sha256 = hashlib.sha256(data).hexdigest()
    record["files"] = [{"path": "totals.xlsx", "change": "created", "size": len(data), "sha256": sha256}]
    (folder / layout.TRIAL).write_text(json.dumps(record))
    shown = found.sections(question)[-1]
    assert shown.passages[0].place == "file totals.xlsx"
    assert "north\t42" in shown.text


def test_an_answer_is_kept_at_once_with_what_it_was_about(desk, now) -> None:
    """Blind, with the digests of the grading and the judge it was drawn for."""
    found = desk(n=4)
    question = found.questions[0]
    found.answer(question, "FAIL", note="too short", at=now())
    (said,) = read_journal(found.store).verdicts
    assert (said.by, said.verdict, said.note, said.blind, said.iteration) == ("Ada", "FAIL", "too short", True, 1)
    assert (said.key, said.assertion) == (question.item.key, question.item.result.id)
    assert (said.trial_digest, said.drawn_for) == (f"t:{question.item.key}", "sha256:j")
    assert len(desk(n=4).open) == 3
    assert len(desk(n=4, by="Bea").open) == 4


def test_answers_hold_for_another_judge_where_its_draw_has_them(desk, now) -> None:
    """All 24 were answered; the same verdicts by another judge need no second answer, and are noted once."""
    for question in (first := desk(n=24)).questions:
        first.answer(question, "PASS", note="", at=now())
    second = desk(n=8, judge="sha256:new")
    assert (second.open, second.carry_over(), second.carry_over()) == ((), 8, 0)
    assert Counter(said.drawn_for for said in read_journal(second.store).verdicts) == {"sha256:j": 24, "sha256:new": 8}


def test_what_a_person_chose_is_not_drawn(desk) -> None:
    """The answers correct no figures."""
    found = desk(only=("c2",))
    assert {each.item.key.case_id for each in found.questions} == {"c2"}
    assert {each.drawn_for for each in found.questions} == {""}


def test_an_unknown_id_is_named(desk) -> None:
    """With the ids that there are."""
    with pytest.raises(SpecError, match=r"'c9'.*c0, c1"):
        desk(only=("c9",))


def test_without_verdicts_of_a_judge_there_is_nothing_to_ask(desk) -> None:
    """And it is said what to do."""
    found = desk(n=4)
    for path in found.store.find("iteration-1/*/*/*/grading.json"):
        found.store.path(path).unlink()
    with pytest.raises(SpecError, match=r"no judge has a verdict here.*--judge"):
        desk(n=4)


def test_gradings_that_do_not_say_what_was_judged_are_refused(desk) -> None:
    """A label on them could never be matched."""
    found = desk(n=4)
    for path in found.store.find("iteration-1/*/*/*/grading.json"):
        text = found.store.path(path).read_text().replace('"parts": {', '"parts": null, "kept": {')
        found.store.path(path).write_text(text)
    with pytest.raises(SpecError, match="do not say what was judged"):
        desk(n=4)
