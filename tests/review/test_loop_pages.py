"""The transcript of a trial, comparisons and triggers, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from comparison_bench import Bench
from comparison_words import BETTER, GOOD, POOR, analysis
from loop_files import HOSTILE, lay_comparisons, loop_file, put
from playwright.sync_api import Browser, Page, expect

from skilltrial.records.events import AssistantMessage, Event, Notice, ToolCall, ToolResult, UserMessage

pytestmark = pytest.mark.browser

KEY = {"iteration": 1, "case": "csv-header", "arm": "with_skill", "repeat": 1}
FOLDER = "iteration-1/eval-csv-header/with_skill/run-1"
SHOW = """async (trial) => {
  const { timelineView } = await import("./static/timeline.js");
  window.view = timelineView(trial, { signal: null });
  view.element.addEventListener("showfile", (event) => { window.shownFile = event.detail.path; });
  document.querySelector("main").replaceChildren(view.element);
  await view.open();
}"""
EDIT = {"file_path": "/w/a.csv", "old_string": "one\ntwo", "new_string": "one\n2"}
EVENTS: list[Event] = [
    UserMessage(ordinal=0, text="Go"),
    ToolCall(ordinal=1, call_id="s", name="Skill", input={"skill": "commit-style"}),
    ToolResult(ordinal=2, call_id="s", text="Launching", is_error=False),
    ToolCall(ordinal=3, call_id="b", name="Bash", input={"command": f"cat {HOSTILE}"}),
    ToolResult(ordinal=4, call_id="b", text="No such file", is_error=True),
    ToolCall(ordinal=5, call_id="e", name="Edit", input=EDIT),
    ToolCall(ordinal=6, call_id="t", name="Task", input={"prompt": "look"}),
    AssistantMessage(ordinal=7, agent="t", text="A sub-agent speaks"),
    ToolCall(ordinal=8, call_id="d", name="TodoWrite", input={"todos": [{"content": "Read", "status": "completed"}]}),
    Notice(ordinal=9, code="api_retry", text="429"),
    AssistantMessage(ordinal=10, text="long " * 2_000 + "the very end"),
    *(AssistantMessage(ordinal=number, text=f"Sentence {number}") for number in range(11, 1_400)),
]


def lay_transcript(workspace: Path) -> None:
    """The events above, for a trial."""
    lines = "".join(event.model_dump_json(exclude_none=True) + "\n" for event in EVENTS)
    (workspace / FOLDER / "transcript.jsonl").write_text(lines)


def rows(page: Page) -> int:
    """How many events are in the page."""
    return page.locator(".event").count()


def test_timeline(browser: Browser, shown_workspace: Path) -> None:
    """Steps, folding, search, filters, long texts, quotes in their place, and no more rows than one can look at."""
    lay_transcript(shown_workspace)
    with served(subject_of(shown_workspace)) as link, page_at(browser, link) as page:
        page.get_by_role("navigation").wait_for()
        page.evaluate(SHOW, KEY)
        expect(page.get_by_text("1,400 events", exact=True)).to_be_visible()
        assert rows(page) == 200
        expect(page.locator(".event", has_text="Asks for the skill")).to_be_visible()
        expect(page.locator(".diff-line.removed")).to_contain_text("two")
        expect(page.locator(".event-todos")).to_contain_text("Read")
        expect(page.locator(".event", has_text="✗ Failed result of")).to_be_visible()
        expect(page.locator(".event-code", has_text="onerror")).to_be_visible()
        assert page.locator("main img").count() == 0

        page.get_by_label("Search").fill("THE VERY END")
        page.keyboard.press("Enter")
        expect(page.locator("mark")).to_have_text("the very end")
        page.get_by_label("Search").fill("sentence 1399")
        page.keyboard.press("Enter")
        expect(page.locator(".event-here mark")).to_have_text("Sentence 1399")
        page.locator(".event-here").focus()
        page.keyboard.press("N")
        expect(page.get_by_text("1 of 1", exact=True)).to_be_visible()

        page.get_by_label("Show").select_option("errors")
        expect(page.locator(".event")).to_have_count(2)
        page.get_by_label("Show").select_option("all")
        expect(page.locator(".event")).to_have_count(200)
        for _ in range(6):
            before = page.locator(".event").last.get_attribute("data-ordinal")
            page.get_by_role("button", name="Later steps").scroll_into_view_if_needed()
            page.wait_for_function(
                "before => [...document.querySelectorAll('.event')].at(-1).dataset.ordinal !== before", arg=before
            )
        assert rows(page) <= 1_000
        expect(page.get_by_role("button", name="Earlier steps")).to_be_visible()

        page.evaluate("view.reveal(2, 'No such file')")
        expect(page.locator(".event-here mark")).to_have_text("No such file")
        page.get_by_role("button", name="Go to its call").first.click()
        expect(page.locator(".event-here")).to_contain_text("Calls Bash")
        page.get_by_role("button", name="Collapse all").click()
        expect(page.locator(".event-todos")).to_be_hidden()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download the raw stream").click()
        assert download.value.suggested_filename.startswith("stream.")


def test_raw_transcript(browser: Browser, shown_workspace: Path) -> None:
    """A transcript that no steps can be told from is a text."""
    folder = shown_workspace / FOLDER
    (folder / "transcript.jsonl").unlink()
    for stream in folder.glob("stream.*"):
        stream.unlink()
    (folder / "stream.md").write_text(f"# What I did\n{HOSTILE}")
    with served(subject_of(shown_workspace)) as link, page_at(browser, link) as page:
        page.get_by_role("navigation").wait_for()
        page.evaluate(SHOW, KEY)
        expect(page.get_by_text("# What I did")).to_be_visible()
        assert page.locator("main img").count() == 0


def test_comparisons_page(browser: Browser, shown_workspace: Path) -> None:
    """Blind first; then which arm is which, the rubric, the analysis with its quotes, and how often an arm won."""
    with served(subject_of(shown_workspace)) as link, page_at(browser, link) as page:
        page.get_by_role("link", name="Comparisons").click()
        expect(page.get_by_text("There is no blind comparison in this iteration.")).to_be_visible()
        lay_comparisons(shown_workspace)
        page.reload()
        expect(page.get_by_text("A won 1")).to_be_visible()
        assert page.get_by_text("with_skill").count() == 0
        page.get_by_role("button", name="Show which arm is which").click()
        expect(page.get_by_role("row", name="with_skill without_skill 88 %")).to_be_visible()
        page.get_by_text("comparison-1", exact=True).click()
        expect(page.get_by_role("row", name="correctness")).to_contain_text("5")
        expect(page.get_by_text("✓ found there by code")).to_be_visible()
        expect(page.get_by_text("✗ not found there")).to_be_visible()
        expect(page.get_by_role("table").last.get_by_role("row").nth(1)).to_contain_text("high")
        assert page.locator("main img").count() == 0
        page.get_by_role("link", name="with_skill, run 1").first.click()
        expect(page).to_have_url(link + "#/case?case=csv-header&arm=with_skill&repeat=1")


def test_comparisons_of_the_command(browser: Browser, tmp_path: Path) -> None:
    """What `compare` and `analyse` write is what the page reads; the only comparison is open at once."""
    bench = Bench(tmp_path / "w")
    bench.fill({"one": {"with_skill": [GOOD], "without_skill": [POOR]}})
    bench.made(BETTER, analysis())
    with served(subject_of(bench.folder)) as link, page_at(browser, link) as page:
        page.get_by_role("link", name="Comparisons").click()
        expect(page.get_by_text("comparison-1", exact=True)).to_be_visible()
        assert page.get_by_text("with_skill").count() == 0
        assert page.get_by_text("summary.json").count() == 0
        page.get_by_role("button", name="Show which arm is which").click()
        expect(page.get_by_role("row", name="with_skill without_skill 100 % needs two cases")).to_be_visible()
        expect(page.get_by_role("row", name="correctness")).to_contain_text("5")
        expect(page.get_by_text("✓ found there by code").first).to_be_visible()
        expect(page.get_by_text("Say to check")).to_be_visible()
        bench.leave_out(("one", "with_skill", 1))
        page.reload()
        expect(page.get_by_text("1 of them in no figure, since people left out a run of theirs")).to_be_visible()
        expect(page.get_by_text("comparison-1").locator("..")).to_contain_text("· left out")
        assert page.get_by_text("Who wins how often").count() == 0


def test_triggers_page(browser: Browser, shown_workspace: Path) -> None:
    """How to get results where there are none; then queries, wrong ones first, filtered, searched and sorted."""
    with served(subject_of(shown_workspace)) as link, page_at(browser, link) as page:
        page.get_by_role("link", name="Triggers").click()
        expect(page.get_by_text("Nothing is known yet")).to_be_visible()
        put(shown_workspace / "triggers/1.json", loop_file())
        page.reload()
        queries = page.locator("table.queries tbody tr")
        expect(queries).to_have_count(4)
        expect(queries.first).to_contain_text("✗ wrong")
        page.get_by_label("Order").select_option("high")
        expect(queries.first).to_contain_text("make a table")
        page.get_by_label("Show").select_option("wrong")
        expect(queries).to_have_count(2)
        page.get_by_label("Search").fill("fill")
        expect(queries).to_have_count(1)
        expect(page.get_by_text("too good to be true")).to_be_visible()
        expect(page.get_by_role("row", name="★ chosen")).to_contain_text("new words")
        assert page.locator("main img").count() == 0
