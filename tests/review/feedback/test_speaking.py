"""What a person says in the page is kept once, beside what others say, and both feedback files follow."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from browsing import subject_of

from skilltrial.errors import SpecError, StoreError
from skilltrial.grade.run import read_grading
from skilltrial.journal import read_journal
from skilltrial.records import layout
from skilltrial.review import speaking
from skilltrial.review.exclusions import balance_of, excluded_trials
from skilltrial.review.feedback import feedback, reviewed_trials
from skilltrial.review.plans import plan_of
from skilltrial.review.subject import Query, Subject

AT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


@pytest.fixture
def subject(shown_workspace: Path) -> Subject:
    """Ada looks at the workspace of the demo."""
    return look(shown_workspace)


def look(workspace: Path, *, by: str = "Ada", **changes: Any) -> Subject:
    """Somebody opens it anew."""
    return subject_of(workspace, by=by, now=lambda: AT, **changes)


def body(subject: Subject, name: str, **more: Any) -> dict[str, Any]:
    """A message about the first trial."""
    key = plan_of(subject, 1).trials[0].key
    return {"id": name, "iteration": 1, "case": key.case_id, "arm": key.arm, "repeat": key.repeat, **more}


def of_trial(subject: Subject) -> Any:
    """What the page shows of the first trial."""
    key = plan_of(subject, 1).trials[0].key
    shown: Any = feedback(subject, Query({"iteration": "1", "case": key.case_id}))
    return next(each for each in shown["things"] if (each["arm"], each["repeat"]) == (key.arm, key.repeat))


def file_of(subject: Subject, place: str = "iteration-1/feedback.json") -> Any:
    """A feedback file."""
    return json.loads(subject.journal.read(place) or b"null")


def test_a_comment_is_in_the_journal_and_both_files(subject) -> None:
    """The run is called as skill-creator calls it, the eval as skill-builder does."""
    speaking.comment(subject, body(subject, "1", text="Größe fehlt – «ok»\n🙂"))
    key = plan_of(subject, 1).trials[0].key
    (review,) = file_of(subject)["reviews"]
    folder = layout.trial_dir(1, key).split("/")[1:]
    assert (review["run_id"], review["feedback"]) == ("-".join(folder), "Größe fehlt – «ok»\n🙂")
    assert review["timestamp"] == AT.isoformat()
    assert file_of(subject)["status"] == "in_progress"
    (entry,) = file_of(subject, "feedback.json")["eval_feedback"]
    assert entry["comment"] == f"{key.arm}, run 1: Größe fehlt – «ok»\n🙂"
    assert reviewed_trials(subject, 1) == {key}


def test_a_message_that_is_sent_again_is_kept_once(subject) -> None:
    """The page did not hear the answer to the first."""
    for _ in range(3):
        speaking.comment(subject, body(subject, "1", text="once"))
    assert len(read_journal(subject.journal).lines) == 1


def test_what_was_written_over_does_not_count_and_stays_in_the_journal(subject) -> None:
    """One typed on."""
    speaking.comment(subject, body(subject, "1", text="goo"))
    speaking.comment(subject, body(subject, "2", text="good", replaces=["1"]))
    assert [each["text"] for each in of_trial(subject)["own"]["comments"]] == ["good"]
    assert [line.text for line in read_journal(subject.journal).lines] == ["goo", "good"]


def test_an_empty_comment_takes_back(subject) -> None:
    """Nothing is shown, and the history stays."""
    speaking.comment(subject, body(subject, "1", text="wrong"))
    speaking.comment(subject, body(subject, "2", text="", replaces=["1"]))
    assert of_trial(subject)["own"]["comments"] == []
    assert file_of(subject)["reviews"] == []
    assert len(read_journal(subject.journal).lines) == 2


def test_two_windows_that_did_not_see_each_other_are_both_kept(subject) -> None:
    """Both wrote over the same."""
    speaking.comment(subject, body(subject, "1", text="start"))
    speaking.comment(subject, body(subject, "2", text="left", replaces=["1"]))
    speaking.comment(subject, body(subject, "3", text="right", replaces=["1"]))
    assert [each["text"] for each in of_trial(subject)["own"]["comments"]] == ["left", "right"]
    assert file_of(subject)["reviews"][0]["feedback"] == "left\n\nright"


def test_two_people_stand_beside_each_other_with_their_names(subject, shown_workspace) -> None:
    """Neither can take the other's words away."""
    speaking.comment(subject, body(subject, "1", text="fine"))
    bob = look(shown_workspace, by="Bob")
    speaking.comment(bob, body(bob, "2", text="not fine", replaces=["1"]))
    assert [each["text"] for each in of_trial(subject)["own"]["comments"]] == ["fine"]
    assert [(each["by"], each["comments"][0]["text"]) for each in of_trial(subject)["others"]] == [("Bob", "not fine")]
    assert file_of(subject)["reviews"][0]["feedback"] == "Ada: fine\n\nBob: not fine"


def test_v6_complete_stays_complete_and_no_review_is_dropped(subject) -> None:
    """Fault V6: saving again turned the status back and dropped reviews."""
    speaking.comment(subject, body(subject, "1", text="first"))
    speaking.finish(subject, {"id": "2", "iteration": 1})
    key = plan_of(subject, 1).trials[1].key
    other = {"case": key.case_id, "arm": key.arm, "repeat": key.repeat}
    speaking.comment(subject, body(subject, "3", text="later", **other))
    assert file_of(subject)["status"] == "complete"
    assert [each["feedback"] for each in file_of(subject)["reviews"]] == ["first", "later"]


def test_ratings_notes_and_decisions_are_in_the_files(subject) -> None:
    """The case's rating comes from the one of its trials, which ran with the skill or without."""
    trials = plan_of(subject, 1).trials
    key = next(each.key for each in trials if each.key.arm == "with_skill")
    trial = {"case": key.case_id, "arm": key.arm, "repeat": key.repeat}
    speaking.rate(subject, body(subject, "1", rating="needs-work", **trial))
    speaking.general(subject, {"id": "2", "iteration": 1, "text": "nearly"})
    speaking.decide(subject, {"id": "3", "iteration": 1, "action": "iterate"})
    builder = file_of(subject, "feedback.json")
    assert builder["eval_feedback"][0]["rating"] == "needs-work"
    assert (builder["general_feedback"], builder["action"], builder["iteration"]) == ("nearly", "iterate", 1)
    assert file_of(subject)["reviews"][0]["rating"] == "needs-work"


def test_an_exclusion_needs_a_reason_and_can_be_taken_back(subject) -> None:
    """Both say why."""
    with pytest.raises(SpecError, match="without a reason"):
        speaking.exclude(subject, body(subject, "1", excluded=True, reason="  "))
    speaking.exclude(subject, body(subject, "2", excluded=True, reason="network was down"))
    key = plan_of(subject, 1).trials[0].key
    assert excluded_trials(subject, 1) == {key: "network was down"}
    arms: Any = balance_of(subject, 1)["arms"]
    assert {each["arm"]: each["excluded"] for each in arms}[key.arm] == 1
    speaking.exclude(subject, body(subject, "3", excluded=False, reason="it was not"))
    assert excluded_trials(subject, 1) == {}


def test_a_trial_that_ran_again_is_no_longer_excluded(subject) -> None:
    """Its grading is of another trial now."""
    speaking.exclude(subject, body(subject, "1", excluded=True, reason="down"))
    speaking.comment(subject, body(subject, "2", text="bad"))
    path = subject.store.path(f"{layout.trial_dir(1, plan_of(subject, 1).trials[0].key)}/{layout.GRADING}")
    grading = path.read_text()
    was = read_journal(subject.journal).lines[0].trial_digest
    assert was
    path.write_text(grading.replace(was, "sha256:other"))
    assert excluded_trials(subject, 1) == {}
    assert of_trial(subject)["own"]["comments"][0]["earlier"] is True


def test_a_file_of_somebody_else_is_taken_in_once_and_carried(shown_workspace) -> None:
    """Also what names no trial here, keys that we do not know, and the status."""
    subject = look(shown_workspace)
    key = plan_of(subject, 1).trials[0].key
    run = layout.trial_dir(1, key).split("/", 1)[1].replace("/", "-")
    theirs = {
        "reviews": [{"run_id": run, "feedback": "slow", "mood": 3}, {"run_id": "eval-99-gone", "feedback": "lost?"}],
        "status": "complete",
        "reviewer": {"team": "x"},
    }
    place = shown_workspace / "iteration-1" / "feedback.json"
    place.write_text(json.dumps(theirs))
    assert of_trial(subject)["others"][0]["comments"][0]["text"] == "slow"
    speaking.comment(subject, body(subject, "1", text="mine"))
    of_trial(look(shown_workspace))
    found = file_of(subject)
    assert found["reviewer"] == {"team": "x"}
    assert found["status"] == "complete"
    texts = {each["run_id"]: each["feedback"] for each in found["reviews"]}
    assert texts == {run: "iteration-1/feedback.json: slow\n\nAda: mine", "eval-99-gone": "lost?"}
    assert found["reviews"][0]["mood"] == 3
    assert len(read_journal(subject.journal).lines) == 4  # two reviews, the status, one comment


def test_a_file_edited_by_hand_between_is_not_overwritten_unread(subject) -> None:
    """A person changed our text and added one."""
    speaking.comment(subject, body(subject, "1", text="mine"))
    place = subject.journal.path("iteration-1/feedback.json")
    found = json.loads(place.read_text())
    found["reviews"][0]["feedback"] = "mine, edited"
    place.write_text(json.dumps(found))
    speaking.rate(subject, body(subject, "2", rating="bad"))
    assert "mine, edited" in file_of(subject)["reviews"][0]["feedback"]


def test_a_file_that_nobody_can_read_is_put_aside(subject) -> None:
    """It may hold somebody's words."""
    subject.journal.path("iteration-1/feedback.json").write_bytes(b'{"reviews": [cut')
    speaking.comment(subject, body(subject, "1", text="mine"))
    (aside,) = subject.journal.path("iteration-1").glob("feedback.unreadable-*")
    assert aside.read_bytes() == b'{"reviews": [cut'
    assert file_of(subject)["reviews"][0]["feedback"] == "mine"


def test_a_journal_that_cannot_be_written_is_said_and_nothing_is_acknowledged(subject, monkeypatch) -> None:
    """The disk is full."""

    def full(path: str, line: bytes) -> None:
        raise StoreError("cannot be written (No space left on device).", where=path)

    monkeypatch.setattr(subject.journal, "append", full)
    with pytest.raises(StoreError, match="No space left"):
        speaking.comment(subject, body(subject, "1", text="mine"))


def test_a_line_is_kept_where_only_the_files_cannot_be_written(subject, monkeypatch) -> None:
    """The answer says so, and the next one mends them."""

    def full(path: str, data: bytes) -> None:
        raise StoreError("cannot be written (No space left on device).", where=path)

    with monkeypatch.context() as patch:
        patch.setattr(subject.journal, "write", full)
        answer: Any = speaking.comment(subject, body(subject, "1", text="mine"))
    assert "No space left" in answer["warning"]
    assert of_trial(subject)["own"]["comments"][0]["text"] == "mine"


def test_a_megabyte_is_kept_and_five_are_refused(subject) -> None:
    """In words."""
    speaking.comment(subject, body(subject, "1", text="é" * 1_000_000))
    assert len(of_trial(subject)["own"]["comments"][0]["text"]) == 1_000_000
    with pytest.raises(StoreError, match="more than 4,000,000 are not kept"):
        speaking.comment(subject, body(subject, "2", text="x" * 5_000_000))


def test_halves_of_characters_do_no_harm(subject) -> None:
    """A browser may send one where a person typed an emoji."""
    speaking.comment(subject, body(subject, "1", text="a\ud83d b"))
    assert of_trial(subject)["own"]["comments"][0]["text"] == "a? b"


def test_a_verdict_of_ones_own_is_no_blind_one(subject) -> None:
    """It is shown beside the judge's and calibrates nothing."""
    key = plan_of(subject, 1).trials[0].key
    grading = read_grading(subject.store, 1, key)
    assert grading
    name = grading.results[0].id
    speaking.verdict(subject, body(subject, "1", assertion=name, verdict="UNSURE"))
    (said,) = read_journal(subject.journal).verdicts
    assert (said.blind, said.verdict, said.drawn_for) == (False, "UNSURE", "")
    assert said.trial_digest == grading.parts["trial"]
    shown: Any = feedback(subject, Query({"iteration": "1", "case": key.case_id}))
    assert [(each["assertion"], each["verdict"]) for each in shown["verdicts"]] == [(name, "UNSURE")]


@pytest.mark.parametrize("wrong", [{"id": ""}, {"repeat": 99}, {"case": "none"}, {"rating": "great"}, {"iteration": 7}])
def test_what_makes_no_sense_is_refused_and_not_kept(subject, wrong) -> None:
    """A message that no page of ours sends."""
    with pytest.raises(SpecError):
        speaking.rate(subject, {**body(subject, "1", rating="good"), **wrong})
    assert read_journal(subject.journal).lines == ()


@pytest.mark.parametrize("closed", [{"blind": True}, {"read_only": True}])
def test_nothing_is_kept_where_nothing_may_be(shown_workspace, closed) -> None:
    """On a blind page, and in a folder that cannot be written to."""
    subject = look(shown_workspace, **closed)
    with pytest.raises(StoreError, match="nothing is kept here"):
        speaking.comment(subject, body(subject, "1", text="x"))


def test_lines_of_a_newer_version_are_kept_and_said(subject) -> None:
    """And the others count."""
    subject.journal.path(layout.JOURNAL).write_text('{"kind": "dance", "id": "x"}\n')
    speaking.comment(subject, body(subject, "1", text="x"))
    shown: Any = feedback(subject, Query({"iteration": "1"}))
    assert "'dance'" in shown["unread"][0]
    assert shown["unread"][0].startswith("journal.jsonl:1: ")
