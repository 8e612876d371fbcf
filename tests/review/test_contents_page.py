"""Files of trials in a real browser: every kind looked at, every button pressed."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from documents import LONG, one_of_each, picture, word_document
from playwright.sync_api import Browser, Page, expect
from trials import CASE, trial_with

pytestmark = pytest.mark.browser

_SHOW = """async ([what, left, right]) => {
  const module = await import(new URL("static/contents.js", document.baseURI));
  const context = { signal: new AbortController().signal };
  const both = () => [left, right].map((trial) => module.outputsView(trial, context));
  const views = what === "files" ? both() : [module.differenceView(left, right, context)];
  document.querySelector("main").replaceChildren(...views.map((view) => view.element));
  window.views = views;
}"""
_LEFT = {"iteration": 1, "case": CASE, "arm": "left", "repeat": 1}
_RIGHT = {**_LEFT, "arm": "right"}


@pytest.fixture
def page(browser: Browser, shown_workspace: Path) -> Generator[Page]:
    """A page on two trials with a file of each kind, some of them different."""
    files = one_of_each()
    del files["page.html"]  # a browser reports each script that it does not run as an error
    trial_with(shown_workspace, files, arm="left")
    changed = {
        "code.py": files["code.py"].replace(b"adds", b"adds up"),
        "pic.png": picture(spot=(0, 0, 200)),
        "letter.docx": word_document("First paragraph, changed."),
        "long.txt": LONG.replace("line 9000 of", "line nine thousand of").encode()[:900_000],
    }
    trial_with(shown_workspace, {**files, **changed}, arm="right")
    with served(subject_of(shown_workspace)) as link, page_at(browser, link) as page:
        page.get_by_role("link", name="Overview").wait_for()
        page.locator("main:not([aria-busy])").wait_for()
        yield page


def show(page: Page, what: str) -> None:
    """Put the files of both trials, or their difference, onto the page."""
    page.evaluate(_SHOW, [what, _LEFT, _RIGHT])


def pick(page: Page, name: str) -> None:
    """Click on a file of the first view."""
    page.locator(".outputs").first.locator("button.file", has=page.get_by_text(name, exact=True)).click()
    expect(page.locator(".outputs").first.locator(".file-title")).to_contain_text(name)
    expect(page.locator(".outputs").first.locator("[aria-busy]")).to_have_count(0)


def test_every_kind_is_shown(page: Page) -> None:
    """Each kind has its view; what is written there is text; both arms show the same file."""
    show(page, "files")
    page.locator(".outputs").first.locator("details").first.wait_for()
    looked_at = {
        "table.csv": "pears; ripe",
        "data.json": "12345678901234567890",
        "log.jsonl": "no JSON",
        "book.xlsx": "=SUM(B2:B3) (not computed)",
        "letter.docx": "First paragraph.",
        "deck.pptx": "1 slide.",
        "all.zip": "inside/a.txt",
        "bytes.bin": "000010",
        "nothing.txt": "The file is empty.",
        "latin.txt": "which is a guess",
        "answer.md": "<script>alert(1)</script>",
        "code.py": "return sum(values)",
    }
    for name, text in looked_at.items():
        pick(page, name)
        expect(page.locator(".outputs").first.locator(".file-place")).to_contain_text(text)
    expect(page.locator(".outputs").last.locator(".file-place")).to_contain_text("# adds up")
    expect(page.locator(".outputs").first.locator(".token-keyword").first).to_have_text("def")
    assert page.locator("a[href^=javascript]").count() == 0


def test_buttons_of_a_file(page: Page) -> None:
    """Ways to look, wrap, copy, zoom, sheets, the next piece of a long text, and a link to a file beside."""
    show(page, "files")
    first = page.locator(".outputs").first
    pick(page, "answer.md")
    first.get_by_role("button", name="the table").click()
    expect(first.locator(".file-title")).to_contain_text("sub/table.csv")
    pick(page, "answer.md")
    first.get_by_role("button", name="Source").click()
    expect(first.locator(".source")).to_contain_text("# Result")
    first.get_by_role("button", name="Wrap").click()
    expect(first.locator(".body")).to_have_class("body unwrapped")
    first.get_by_role("button", name="Copy").click()
    with page.expect_download() as download:
        first.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "answer.md"
    pick(page, "pic.png")
    first.get_by_role("button", name="Actual size").click()
    first.get_by_role("button", name="Larger").click()
    expect(first.get_by_text("60 × 40 pixels, shown at 150 %")).to_be_visible()
    pick(page, "book.xlsx")
    first.get_by_role("button", name="<b>Other").click()
    expect(first.locator("table.cells")).to_contain_text("only")
    pick(page, "long.txt")
    first.get_by_role("button", name="Show more").click()
    expect(first.locator(".line").last).to_have_attribute("data-n", "12000")


def test_reveal_marks_the_quote(page: Page) -> None:
    """A quote is marked and has the focus: in what is formatted, and far down in a long text."""
    show(page, "files")
    reveal = "([path, quote]) => window.views[0].reveal(path, quote)"
    assert page.evaluate(reveal, ["answer.md", "The total is 42."])
    expect(page.locator("mark.quote").first).to_be_focused()
    assert page.evaluate(reveal, ["answer.md", "*total* is **42**"])
    assert page.evaluate(reveal, ["long.txt", "line 11000 of many, with some words line 11001"])
    expect(page.locator("mark.quote").first).to_be_in_viewport()
    assert page.locator("mark.quote").all_text_contents()[0].startswith("line 11000")
    assert not page.evaluate(reveal, ["code.py", "what is not there"])


def test_differences(page: Page) -> None:
    """Changed files come first; lines both ways with folded parts that open, documents by their words, pictures by pixels."""
    show(page, "difference")
    expect(page.locator(".file-list summary")).to_contain_text("4 of 22 files differ")
    pick(page, "long.txt")
    page.get_by_role("button", name="equal lines").first.click()
    expect(page.locator("tr.added")).to_contain_text("nine thousand")
    page.get_by_role("button", name="Side by side").click()
    expect(page.locator("td.added ins")).to_contain_text("nine thousand")
    pick(page, "letter.docx")
    expect(page.locator(".file-place")).to_contain_text("Only the words are compared")
    pick(page, "pic.png")
    page.get_by_role("button", name="Blend").click()
    page.get_by_role("slider").fill("80")
    expect(page.get_by_text("80 % right")).to_be_visible()
    page.get_by_role("button", name="Difference", exact=True).click()
    expect(page.get_by_text("100 of 2,400 pixels differ (4.2 %)")).to_be_visible()


def test_large_and_heavy_files_stop_nobody(page: Page, shown_workspace: Path) -> None:
    """A tree of 1.8 MB is there at once, and a drawing of billions of shapes is not drawn: the page answers."""
    groups = "".join(f'<g id="g{n}">{f"""<use href="#g{n - 1}"/>""" * 10}</g>' for n in range(1, 10))
    bomb = f'<svg xmlns="http://www.w3.org/2000/svg"><g id="g0"><rect/></g>{groups}</svg>'
    large = json.dumps({str(number): number for number in range(110_000)})
    trial_with(shown_workspace, {"bomb.svg": bomb.encode(), "large.json": large.encode()}, arm="left")
    parsing = """async (text) => {
      const { parseJson } = await import(new URL("static/jsonview.js", document.baseURI));
      const begun = performance.now();
      parseJson(text);
      return performance.now() - begun;
    }"""
    assert page.evaluate(parsing, large) < 3000  # 200 as measured; 11,000 with an error made ready for each token
    show(page, "files")
    pick(page, "large.json")
    expect(page.get_by_text("{ 110,000 }")).to_be_visible()
    pick(page, "bomb.svg")
    expect(page.get_by_text("too heavy")).to_be_visible()
