"""What a person types into the page, in a real browser: kept at once, said truly, and never lost."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from browsing import page_at, served, subject_of
from playwright.sync_api import Browser, Locator, Page, expect

from skilltrial.errors import StoreError
from skilltrial.journal import read_journal
from skilltrial.review.plans import plan_of
from skilltrial.review.subject import Subject

pytestmark = pytest.mark.browser

MOUNT = """async ({part, trial, changes}) => {
  const feedback = await import("./static/feedback.js");
  const { ask } = await import("./static/api.js");
  const context = { ...(await ask("workspace")), ...changes, signal: new AbortController().signal };
  const main = document.querySelector("main");
  main.replaceChildren();
  const about = { generalFeedback: [trial.iteration], verdictControl: [trial, changes.assertion] }[part] ?? [trial];
  const made = feedback[part](...about, context);
  main.append(made.element ?? made);
}"""


def first_trial(subject: Subject, *, iteration: int = 1) -> dict[str, Any]:
    """As the page names it."""
    key = plan_of(subject, iteration).trials[0].key
    return {"iteration": iteration, "case": key.case_id, "arm": key.arm, "repeat": key.repeat}


def show(page: Page, part: str, trial: dict[str, Any], **changes: Any) -> None:
    """One piece of the page alone, as the page of a case puts it in."""
    page.locator("main:not([aria-busy])").wait_for()
    page.evaluate(MOUNT, {"part": part, "trial": trial, "changes": changes})


def saved(page: Page) -> Locator:
    """Where the page says that something is."""
    return page.get_by_text(re.compile(r"^Saved \d"))


def texts(subject: Subject) -> list[str]:
    """What the journal has, in its order."""
    return [line.text for line in read_journal(subject.journal).lines if line.kind == "comment"]


def test_typing_is_kept_and_there_after_a_reload(browser: Browser, shown_workspace: Path) -> None:
    """Also a rating, an own undo, and line feeds."""
    subject = subject_of(shown_workspace)
    trial = first_trial(subject)
    with served(subject) as link, page_at(browser, link) as page:
        show(page, "trialFeedback", trial)
        box = page.get_by_label("Comment on this run")
        box.fill("Größe\n«ok» 🙂")
        expect(saved(page)).to_be_visible()
        box.fill("a mistake")
        box.blur()
        page.get_by_role("button", name="Undo").click()
        expect(box).to_have_value("Größe\n«ok» 🙂")
        page.get_by_label("Needs work").check()
        expect(saved(page)).to_have_count(2)
        page.reload()
        show(page, "trialFeedback", trial)
        expect(box).to_have_value("Größe\n«ok» 🙂")
        expect(page.get_by_label("Needs work")).to_be_checked()
    assert texts(subject) == ["Größe\n«ok» 🙂", "a mistake", "Größe\n«ok» 🙂"]


def test_v7_comments_of_a_later_iteration_are_there_after_a_reload(browser: Browser, shown_workspace: Path) -> None:
    """Fault V7: they vanished, and were overwritten."""
    (shown_workspace / "iteration-1").rename(shown_workspace / "kept")
    import_again(shown_workspace)
    subject = subject_of(shown_workspace)
    trial = first_trial(subject, iteration=2)
    with served(subject) as link, page_at(browser, link) as page:
        for text in ("first", "first and second"):
            show(page, "trialFeedback", trial)
            box = page.get_by_label("Comment on this run")
            expect(box).to_have_value("" if text == "first" else "first")
            box.fill(text)
            expect(saved(page)).to_be_visible()
            page.reload()
    found = json.loads((shown_workspace / "iteration-2" / "feedback.json").read_text())
    assert [each["feedback"] for each in found["reviews"]] == ["first and second"]


def import_again(workspace: Path) -> None:
    """The same trials as iterations 1 and 2."""
    for number in (1, 2):
        shutil.copytree(workspace / "kept", workspace / f"iteration-{number}")


def test_v8_what_is_not_saved_is_not_called_saved(browser: Browser, shown_workspace: Path, monkeypatch) -> None:
    """Fault V8: the page said Saved where the server had failed. The disk is full, then it is not."""
    subject = subject_of(shown_workspace)
    trial = first_trial(subject)

    def full(path: str, line: bytes) -> None:
        raise StoreError("cannot be written (No space left on device).", where=path)

    with served(subject) as link:
        context = browser.new_context()
        page = context.new_page()
        page.goto(link)
        show(page, "trialFeedback", trial)
        box = page.get_by_label("Comment on this run")
        with monkeypatch.context() as patch:
            patch.setattr(subject.journal, "append", full)
            box.fill("precious")
            expect(page.locator(".typed-foot", has_text="No space left on device")).to_be_visible()
            expect(page.get_by_text("Your text is kept in this browser")).to_be_visible()
            assert saved(page).count() == 0
            page.reload()
            show(page, "trialFeedback", trial)
            expect(box).to_have_value("precious")
            expect(page.locator(".typed-foot", has_text="No space left on device")).to_be_visible()
        page.get_by_role("button", name="Try again").click()
        expect(saved(page)).to_be_visible()
        context.close()
    assert texts(subject) == ["precious"]


def test_two_windows_keep_both_and_the_person_chooses(browser: Browser, shown_workspace: Path) -> None:
    """Neither writes over what it did not see."""
    subject = subject_of(shown_workspace)
    trial = first_trial(subject)
    with served(subject) as link, page_at(browser, link) as left:
        right = left.context.new_page()
        right.goto(link)
        for page in (left, right):
            show(page, "trialFeedback", trial)
            page.get_by_label("Comment on this run").wait_for()
        left.get_by_label("Comment on this run").fill("from the left")
        expect(saved(left)).to_be_visible()
        right.get_by_label("Comment on this run").fill("from the right")
        expect(right.get_by_text("You also wrote, in another window:")).to_be_visible()
        expect(right.locator("blockquote")).to_have_text("from the left")
        right.get_by_role("button", name="Keep both").click()
        expect(right.get_by_text("You also wrote")).to_have_count(0)
        right.reload()
        show(right, "trialFeedback", trial)
        expect(right.get_by_label("Comment on this run")).to_have_value("from the right\n\nfrom the left")
    assert texts(subject)[:2] == ["from the left", "from the right"]


def test_v9_a_page_that_cannot_save_keeps_drafts_and_gives_them_out(browser: Browser, shown_workspace: Path) -> None:
    """Fault V9: comments on a static page were lost at a reload. What it gives out is taken in by the next view."""
    subject = subject_of(shown_workspace, read_only=True)
    trial = first_trial(subject)
    with served(subject) as link, page_at(browser, link) as page:
        show(page, "trialFeedback", trial)
        page.get_by_label("Comment on this run").fill("kept here")
        page.get_by_label("Bad").check()
        expect(page.get_by_text("Kept in this browser.")).to_have_count(2)
        page.reload()
        show(page, "trialFeedback", trial)
        expect(page.get_by_label("Comment on this run")).to_have_value("kept here")
        show(page, "generalFeedback", trial)
        with page.expect_download() as download:
            page.get_by_role("button", name="Download feedback.json").click()
        download.value.save_as(shown_workspace / "iteration-1" / "feedback.json")
    again = subject_of(shown_workspace)
    with served(again) as link, page_at(browser, link) as page:
        show(page, "trialFeedback", trial)
        expect(page.locator(".said")).to_contain_text("kept here")
        expect(page.locator(".said")).to_contain_text("Bad")


def test_a_run_is_left_out_with_a_reason_and_the_review_is_finished(browser: Browser, shown_workspace: Path) -> None:
    """The dialog says what the arms lose, and does not close without a reason."""
    subject = subject_of(shown_workspace)
    trial = first_trial(subject)
    with served(subject) as link, page_at(browser, link) as page:
        show(page, "exclusionControl", trial)
        page.get_by_role("button", name="Leave out of the figures…").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("The arms lose unequal shares")
        dialog.get_by_label("Reason").fill("   ")
        dialog.get_by_role("button", name="Leave out").click()
        expect(dialog.get_by_role("alert")).to_contain_text("Say why")
        dialog.get_by_label("Reason").fill("the network was down")
        dialog.get_by_role("button", name="Leave out").click()
        expect(page.locator(".exclusion")).to_contain_text("by tester: the network was down")
        show(page, "generalFeedback", trial)
        page.get_by_label("Note on the whole").fill("nearly there")
        page.get_by_label("Iterate").check()
        expect(saved(page)).to_have_count(2)
        page.get_by_role("button", name="Finish the review").click()
        expect(page.get_by_text("The review is finished")).to_be_visible()
        expect(page.get_by_label("Note on the whole")).to_have_value("nearly there")
    found = json.loads((shown_workspace / "iteration-1" / "feedback.json").read_text())
    assert (found["status"], found["action"], found["general_feedback"]) == ("complete", "iterate", "nearly there")


def test_a_verdict_of_ones_own_is_kept_and_shown_again(browser: Browser, shown_workspace: Path) -> None:
    """The last click counts."""
    subject = subject_of(shown_workspace)
    trial, case = first_trial(subject), plan_of(subject, 1).suite.cases[0]
    assertion = case.assertions[0].id
    with served(subject) as link, page_at(browser, link) as page:
        show(page, "verdictControl", {**trial, "case": case.id}, assertion=assertion)
        for word in ("PASS", "UNSURE"):
            page.get_by_role("button", name=word).click()
            expect(page.get_by_role("button", name=word, pressed=True)).to_be_focused()
        show(page, "verdictControl", {**trial, "case": case.id}, assertion=assertion)
        expect(page.get_by_role("button", pressed=True)).to_have_text("UNSURE")
    assert [each.verdict for each in read_journal(subject.journal).verdicts] == ["PASS", "UNSURE"]
