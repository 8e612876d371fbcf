"""The pages Benchmark and History in a real browser."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from playwright.sync_api import Browser, Page

from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions

pytestmark = pytest.mark.browser

_ROWS = "[...document.querySelectorAll('tr')].map(row => [...row.cells].map(cell => cell.textContent.trim()))"


@pytest.fixture(scope="module")
def three_arms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two iterations with a third arm, imported."""
    folder = tmp_path_factory.mktemp("three")
    arms = ("with_skill", "without_skill", "old_skill")
    write_workspace(folder, WorkspaceOptions(evals=4, runs=2, iterations=2, configs=arms))
    return program("import", folder / "workspace", "--out", folder / "imported", result=folder / "imported")


def program(*arguments: object, result: Path) -> Path:
    """Run skilltrial; returns what it makes."""
    subprocess.run([sys.executable, "-m", "skilltrial", *map(str, arguments)], check=True, capture_output=True)
    return result


def reported_rows(workspace: Path, folder: Path) -> list[list[str]]:
    """The rows of all tables of the Markdown report, as a reader sees them."""
    file = program(
        "report", workspace, "--format", "markdown", "--out", folder / "report.md", result=folder / "report.md"
    )
    lines = [line for line in file.read_text("utf-8").splitlines() if line.startswith("| ")]
    return [[plain(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def plain(cell: str) -> str:
    """Without Markdown's escapes and bold."""
    return html.unescape(re.sub(r"\\(.)|\*\*|\u2060", r"\1", cell)).strip()


def shown_rows(page: Page) -> list[list[str]]:
    """The cells of every table of the page, folded or not."""
    page.get_by_role("heading", name="What was tried").wait_for()
    page.get_by_role("region", name="Assertions by arm").wait_for()
    return page.evaluate(_ROWS)


@pytest.mark.parametrize("which", ["kept_demo", "three_arms"])
def test_figures_are_those_of_the_report(
    browser: Browser, which: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Every row of every table of `skilltrial report` stands on the page, to the last digit."""
    workspace: Path = request.getfixturevalue(which)
    reported = reported_rows(workspace, tmp_path)
    with served(subject_of(workspace)) as link, page_at(browser, f"{link}#/benchmark") as page:
        shown = shown_rows(page)
        facts = page.locator("dl.facts").inner_text()
    missing = [row for row in reported if not any(have[: len(row)] == row for have in shown) and row[0] not in facts]
    assert len(reported) > 20
    assert missing == []


def test_charts_are_read_with_the_keyboard(browser: Browser, kept_demo: Path) -> None:
    """One Tab stop, arrows show the words, Escape closes them, Enter opens the case."""
    with served(subject_of(kept_demo)) as link, page_at(browser, f"{link}#/benchmark") as page:
        plot = page.get_by_role("group", name="Pass rate of each case")
        plot.focus()
        tip = plot.get_by_role("status")
        page.keyboard.press("ArrowDown")
        assert "cache-lock: with_skill (treatment) 100 %" in tip.inner_text()
        page.keyboard.press("Escape")
        assert tip.is_hidden()
        page.keyboard.press("End")
        assert tip.inner_text().startswith("search-memory")
        page.keyboard.press("Enter")
        page.wait_for_url("**/#/case?iteration=1&case=search-memory")


def test_charts_are_read_with_the_mouse_and_as_tables(browser: Browser, kept_demo: Path) -> None:
    """Hovering shows the words; below stands a table; cases stand in another order on demand; no page is wider than a phone."""
    with (
        served(subject_of(kept_demo)) as link,
        page_at(browser, f"{link}#/benchmark", viewport={"width": 360, "height": 800}) as page,
    ):
        plot = page.get_by_role("group", name="Lift against the baseline")
        plot.hover()
        assert "+96 points, 95 % interval +42 to +100, better" in plot.get_by_role("status").inner_text()
        page.get_by_label("Order").select_option("Most harmed first")
        plot = page.get_by_role("group", name="Pass rate of each case")
        assert plot.locator("text.row-label").first.text_content() == "mail-retry"
        figure = page.get_by_role("figure").filter(has=plot)
        figure.get_by_text("As a table").click()
        figure.get_by_role("row", name="mail-retry").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_tables_are_searched_and_sorted_and_taken_away(browser: Browser, kept_demo: Path) -> None:
    """Assertions by word, trials by arm and figure; the file is the one of `report`."""
    with served(subject_of(kept_demo)) as link, page_at(browser, f"{link}#/benchmark") as page:
        page.get_by_label("Tells apart").select_option("flaky")
        page.get_by_text("1 assertion", exact=False).first.wait_for()
        assert page.get_by_role("region", name="Assertions by arm").locator("tbody tr").count() == 1
        page.get_by_text("All trials as a table").click()
        table = page.get_by_role("region", name="Trials", exact=True)
        page.get_by_role("combobox", name="Arm", exact=True).select_option("with_skill")
        table.get_by_role("button", name="pass rate").click()
        assert "mail-retry" in table.locator("tbody tr").first.inner_text()
        assert table.locator("tbody tr").count() == 12
        page.get_by_text("Download ▾").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="Trials as CSV").click()
        assert download.value.path().read_text("utf-8").count("\n") == 25


def test_history_shows_iterations_and_versions(browser: Browser, three_arms: Path) -> None:
    """Charts and table of two iterations, the tree of versions; a point leads to its iteration."""
    with served(subject_of(three_arms)) as link, page_at(browser, f"{link}#/history") as page:
        page.get_by_text("★ current best").wait_for()
        plot = page.get_by_role("group", name="Lift of each iteration")
        plot.focus()
        page.keyboard.press("Home")
        assert plot.get_by_role("status").inner_text().startswith("Iteration 1")
        page.keyboard.press("Enter")
        page.wait_for_url("**/#/overview?iteration=1")


def test_one_iteration_is_no_history_yet(browser: Browser, kept_demo: Path) -> None:
    """It says so in place of a chart."""
    with served(subject_of(kept_demo)) as link, page_at(browser, f"{link}#/history") as page:
        page.get_by_text("There is one iteration.").wait_for()
