"""The blind page: a person says PASS or FAIL by keys, and nothing tells the arm, the trial or what the judge said."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from browsing import page_at, served, subject_of
from playwright.sync_api import Browser, Response

from skilltrial.errors import SpecError, StoreError
from skilltrial.execute.resume import read_trial
from skilltrial.grade.native import to_native
from skilltrial.grade.run import read_grading
from skilltrial.journal import read_journal
from skilltrial.labelling.desk import LabelRequest, lay_out
from skilltrial.records import layout
from skilltrial.records.suite import LlmJudge
from skilltrial.review.labels import answer_label, labels
from skilltrial.review.plans import plan_of
from skilltrial.review.subject import Query, Subject


def judged(workspace: Path) -> Path:
    """The demo's workspace as if a judge had graded it: every assertion is in prose, and a judge's."""
    subject = subject_of(workspace)
    plan = plan_of(subject, 1)
    cases = tuple(
        case.model_copy(
            update={
                "assertions": tuple(LlmJudge(id=each.id, text=each.text, rubric=each.text) for each in case.assertions)
            }
        )
        for case in plan.suite.cases
    )
    plan = plan.model_copy(update={"suite": plan.suite.model_copy(update={"cases": cases})})
    subject.store.write(f"iteration-1/{layout.PLAN}", plan.model_dump_json().encode())
    for planned in plan.trials:
        grading, trial = read_grading(subject.store, 1, planned.key), read_trial(subject.store, 1, planned.key)
        assert grading
        assert trial
        prose = {"type": "llm_judge", "grader": "judge"}
        results = tuple(each.model_copy(update=prose) for each in grading.results)
        native: Any = to_native(grading.model_copy(update={"results": results}), trial)
        subject.store.write(f"{layout.trial_dir(1, planned.key)}/{layout.GRADING}", json.dumps(native).encode())
    return workspace


@pytest.fixture
def subject(shown_workspace: Path) -> Subject:
    """Ada, blind."""
    at = datetime(2026, 1, 2, tzinfo=UTC)
    return subject_of(judged(shown_workspace), by="Ada", blind=True, now=lambda: at)


def test_it_asks_what_label_asks_and_keeps_the_same(subject) -> None:
    """The same draw, the same `drawn_for`; an answer that is sent again is kept once."""
    shown: Any = labels(subject, Query({}))
    desk = lay_out(LabelRequest(workspace=subject.store.path(""), by="Ada"))
    assert [each["id"] for each in shown["questions"]] == [each.id for each in desk.questions]
    for _ in range(2):
        answer_label(subject, {"question": desk.questions[0].id, "verdict": "FAIL", "note": "no"})
    (said,) = read_journal(subject.journal).verdicts
    assert (said.blind, said.verdict, said.drawn_for) == (True, "FAIL", desk.questions[0].drawn_for)
    assert said.key == desk.questions[0].item.key


def test_the_calibration_comes_after_the_last(subject) -> None:
    """Before, it would tell what the judge says."""
    asked: Any = labels(subject, Query({"n": "2"}))
    assert asked["calibration"] is None
    for each in asked["questions"]:
        answer_label(subject, {"n": 2, "question": each["id"], "verdict": "PASS", "note": ""})
    asked = labels(subject, Query({"n": "2"}))
    assert asked["calibration"]


def test_only_a_blind_page_has_it(subject, shown_workspace) -> None:
    """Anybody else has seen the arms."""
    with pytest.raises(SpecError, match="not blind"):
        labels(subject_of(shown_workspace), Query({}))
    with pytest.raises(StoreError, match="nothing is kept"):
        answer_label(subject_of(shown_workspace, blind=True, read_only=True), {})


@pytest.mark.browser
def test_a_person_answers_by_keys_and_nothing_tells_the_arm(browser: Browser, subject: Subject) -> None:
    """All that the server sends while three are answered is searched for arms, trials and verdicts of the judge."""
    sent: list[str] = []

    def keep(response: Response) -> None:
        if "/static/" not in response.url:
            sent.append(f"{response.url.partition('/')[2]} {response.headers} {response.text()}")

    with served(subject) as link, page_at(browser, link) as page:
        page.on("response", keep)
        page.reload()
        page.get_by_role("heading", name="Statement 1 of").wait_for(timeout=9000)
        page.get_by_text("task", exact=True).wait_for()
        page.keyboard.press("n")
        page.get_by_label("Note").fill("because")
        page.get_by_role("button", name="PASS").click()
        page.get_by_role("heading", name="Statement 2 of").wait_for()
        page.keyboard.press("f")
        page.get_by_role("heading", name="Statement 3 of").wait_for()
        page.keyboard.press("b")
        page.get_by_role("button", name="FAIL", pressed=True).wait_for()
        for name in ("api/overview", "api/cases", "api/feedback", "live"):
            assert page.request.get(f"{link}{name}").status == 404
    assert [(each.verdict, each.note) for each in read_journal(subject.journal).verdicts] == [
        ("PASS", "because"),
        ("FAIL", ""),
    ]
    everything = "\n".join(sent)
    assert len(sent) > 5
    assert not re.search(r"with_skill|without_skill|run-\d|treatment|baseline|repeat|evidence", everything)
