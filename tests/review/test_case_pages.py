"""The pages Overview, Cases and Case, in a real browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser


def test_from_the_overview_to_a_case(browser: Browser, kept_everything: Path) -> None:
    """The sentence comes first; trials that were lost lead to their case, with their arm and run on the right."""
    with served(subject_of(kept_everything)) as link, page_at(browser, link) as page:
        page.locator(".word-badge").wait_for()
        expect(page.get_by_role("img", name="Difference of pass rates")).to_be_visible()
        page.locator(".finding", has_text="not run").locator("summary").click()
        page.locator(".finding", has_text="not run").get_by_role("link").click()
        expect(page.get_by_text("This trial has not been run, or not to its end.")).to_be_visible()


def test_cases_are_searched_filtered_and_ordered(browser: Browser, kept_everything: Path) -> None:
    """What is chosen stands in the address, and a reload shows the same."""
    with served(subject_of(kept_everything)) as link, page_at(browser, f"{link}#/cases") as page:
        rows = page.locator(".case-list tbody tr")
        expect(rows).to_have_count(7)
        page.keyboard.press("/")
        page.keyboard.type("case 10")
        expect(rows).to_have_count(1)
        page.reload()
        expect(rows).to_have_count(1)
        page.locator("h1").click()
        page.keyboard.press("x")
        expect(rows).to_have_count(7)
        page.get_by_label("Show").select_option("flaky")
        expect(rows).to_have_count(1)
        page.get_by_label("Show").select_option("")
        page.get_by_label("Order").select_option("harm")
        expect(rows.first).to_contain_text("Case 10")
        page.get_by_label("Order").select_option("")
        page.locator("h1").click()
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Case 10")).to_be_visible()


def test_evidence_leads_to_its_place(browser: Browser, kept_everything: Path) -> None:
    """A quote is marked in the final message; the file and the transcript are opened at their place."""
    with served(subject_of(kept_everything)) as link, page_at(browser, f"{link}#/case?case=2") as page:
        side = page.locator(".side").nth(1)
        cells = page.locator(".verdict-row td:last-child")
        cells.nth(0).get_by_role("button", name="Show in final message").click()
        expect(side.locator(".answer mark")).to_be_visible()
        cells.nth(1).get_by_role("button", name="Show in file report.md").click()
        expect(side.locator(".file-title")).to_contain_text("report.md")
        cells.nth(2).get_by_role("button", name="Show in step 3").click()
        expect(side.locator(".timeline")).to_be_visible()


def test_keys_of_a_case(browser: Browser, kept_everything: Path) -> None:
    """Runs, assertions, files, transcript, difference and neighbours have keys; arrows are left to scrolling."""
    with served(subject_of(kept_everything)) as link, page_at(browser, f"{link}#/case?case=2") as page:
        pressed = page.locator('.repeats [aria-pressed="true"]')
        expect(pressed.first).to_contain_text("Run 1")
        page.keyboard.press("3")
        expect(pressed.nth(0)).to_contain_text("Run 3")
        expect(pressed.nth(1)).to_contain_text("Run 3")
        page.keyboard.press("j")
        expect(page.locator(".verdict-row").first).to_be_focused()
        page.keyboard.press("t")
        expect(page.locator(".timeline")).to_have_count(2)
        page.keyboard.press("d")
        expect(page.locator("details.folded[open]", has_text="Difference of the files")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("heading", level=1)).to_have_text("Case 2")
        page.keyboard.press("n")
        expect(page.get_by_role("heading", level=1)).to_have_text("Case 10")
        page.keyboard.press("p")
        expect(page.get_by_role("heading", level=1)).to_have_text("Case 2")


def test_either_side_shows_any_arm_and_the_iteration_before(browser: Browser, kept_everything: Path) -> None:
    """The third arm beside the treatment, then the treatment of the iteration before; a reload keeps it."""
    with served(subject_of(kept_everything)) as link, page_at(browser, f"{link}#/case?case=2") as page:
        left = page.get_by_label("Left side")
        left.select_option(label='old "<i>skill')
        expect(page.locator(".side").first.get_by_role("heading", level=2)).to_have_text('old "<i>skill')
        left.select_option(label="with_skill, iteration 1")
        page.reload()
        expect(page.locator(".side").first.get_by_role("heading", level=2)).to_have_text("with_skill, iteration 1")


def test_many_cases_come_in_parts(browser: Browser, shown_workspace: Path) -> None:
    """Of 700 cases no more rows are made than are scrolled to, and the last can be reached."""
    path = shown_workspace / "iteration-1/plan.json"
    plan = json.loads(path.read_bytes())
    first = plan["suite"]["cases"][0]
    plan["suite"]["cases"] += [{**first, "id": f"more-{n}", "written_id": f"more-{n}"} for n in range(700)]
    path.write_text(json.dumps(plan))
    with served(subject_of(shown_workspace)) as link, page_at(browser, f"{link}#/cases") as page:
        rows = page.locator(".case-list tbody tr")
        expect(page.get_by_text("706 cases")).to_be_visible()
        assert rows.count() <= 200
        page.get_by_role("button", name="Show more").click()
        expect(rows.nth(150)).to_be_attached()
        page.get_by_label("Search").fill("more-699")
        expect(rows).to_have_count(1)


def test_words_on_a_trial_show_in_the_list(browser: Browser, everything: Path) -> None:
    """A rating by keys is kept, found by a filter, and the overview goes on to the next case."""
    with served(subject_of(everything)) as link, page_at(browser, f"{link}#/case?case=2") as page:
        page.locator(".side").first.wait_for()
        with page.expect_response("**/api/rate"):
            page.keyboard.press("r")
            page.keyboard.press("w")
        page.keyboard.press("g")
        page.keyboard.press("c")
        page.get_by_label("Show").select_option("needs-work")
        rows = page.locator(".case-list tbody tr")
        expect(rows).to_have_count(1)
        expect(rows.first).to_contain_text("needs work")
        page.get_by_role("link", name="Overview").click()
        expect(page.get_by_role("link", name="Next case that you have not reviewed")).to_contain_text("Case 10")


def test_an_assertion_of_the_matrix_is_marked_in_its_case(browser: Browser, shown_workspace: Path) -> None:
    """The link of its row leads to the case, where its row has the focus and a mark that stays."""
    with served(subject_of(shown_workspace)) as link, page_at(browser, f"{link}#/benchmark") as page:
        row = page.get_by_role("region", name="Assertions by arm").locator("tbody tr", has_text="csv-header").nth(1)
        text = row.locator(".hostile").last.inner_text()
        row.get_by_role("link").click()
        marked = page.locator('.verdict-row[aria-current="true"]')
        expect(marked).to_contain_text(text)
        expect(marked).to_be_focused()
        expect(marked).to_be_in_viewport()
        page.keyboard.press("2")
        expect(page.get_by_role("button", name="Run 2", pressed=True)).to_have_count(2)
        expect(marked).to_contain_text(text)


def test_a_file_takes_the_place_of_its_lines_before_it_is_seen(browser: Browser, shown_workspace: Path) -> None:
    """Nothing moves when one comes to it: two lines far below are about as high as two lines."""
    small = {"viewport": {"width": 1400, "height": 200}}
    where = "#/case?case=csv-header"
    with served(subject_of(shown_workspace)) as link, page_at(browser, f"{link}{where}", **small) as page:
        text = page.get_by_role("region", name="Text of message.txt").last
        text.wait_for(state="attached")
        before = text.evaluate("element => element.offsetHeight")
        text.scroll_into_view_if_needed()
        expect(text).to_be_in_viewport()
        assert before <= 60
        assert text.evaluate("element => element.offsetHeight") <= 100


def test_hits_of_a_search_are_gone_through_by_keys(browser: Browser, shown_workspace: Path) -> None:
    """Within a transcript n and N, N also elsewhere on the page; n outside still leads to the next case."""
    with served(subject_of(shown_workspace)) as link, page_at(browser, f"{link}#/case?case=csv-header") as page:
        page.locator(".side").first.wait_for()
        page.keyboard.press("t")
        expect(page.locator(".timeline-tools")).to_have_count(2)
        tools = page.locator(".timeline-tools").last
        tools.get_by_label("Search").fill("e")
        tools.get_by_label("Search").press("Enter")
        expect(tools).to_contain_text("1 of 7")
        tools.get_by_role("button", name="Collapse all").focus()
        page.keyboard.press("n")
        expect(tools).to_contain_text("2 of 7")
        page.locator("h1").click()
        page.keyboard.press("N")
        expect(tools).to_contain_text("1 of 7")
        page.keyboard.press("n")
        expect(page.locator("h1")).not_to_have_text("csv-header")


def test_a_case_is_marked_as_reviewed(browser: Browser, shown_workspace: Path) -> None:
    """By its box or a key, which goes on to the next; the list and the count of runs know it, and it can be taken back."""
    with served(subject_of(shown_workspace)) as link, page_at(browser, f"{link}#/case?case=cache-lock") as page:
        page.get_by_label("I have reviewed this case").wait_for()
        with page.expect_response("**/api/review"):
            page.keyboard.press("v")
        expect(page.get_by_role("heading", level=1)).to_have_text("csv-header")
        page.get_by_role("link", name="Overview").click()
        expect(page.get_by_text("You have looked at 4 of 24 runs.")).to_be_visible()
        page.get_by_role("link", name="Cases", exact=True).click()
        page.get_by_label("Show").select_option("unreviewed")
        expect(page.get_by_text("5 of 6 cases")).to_be_visible()
        page.evaluate("location.hash = '#/case?case=cache-lock'")
        with page.expect_response("**/api/review"):
            page.get_by_label("I have reviewed this case").uncheck()
        page.get_by_role("link", name="Overview").click()
        expect(page.get_by_text("You have looked at 0 of 24 runs.")).to_be_visible()
        page.get_by_role("button", name="Finish the review").click()
        expect(page.get_by_text("The review is finished")).to_be_visible()
    told = json.loads((shown_workspace / "iteration-1/feedback.json").read_bytes())
    assert (told["status"], told["reviews"]) == ("complete", [])
